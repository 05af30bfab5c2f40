import pytest
import torch

from tutorial_lib.datasets import INSTALL_MODELS
from tutorial_lib.datasets import wheels as data_wheels
from tutorial_lib.decoding import generate
from tutorial_lib.recipes import load_dinov2, load_smollm2, pretrained


@pytest.mark.parametrize(("load", "name"), [(load_smollm2, "SmolLM2"), (load_dinov2, "DINOv2")])
def test_a_model_that_was_left_out_is_one_clear_line(monkeypatch, capsys, load, name):
    def gone(distribution):
        raise data_wheels.metadata.PackageNotFoundError(distribution)

    for cached in (pretrained._smollm2, pretrained._dinov2):
        cached.cache_clear()
    monkeypatch.setattr(data_wheels.metadata, "files", gone)
    assert load() is None
    printed = capsys.readouterr().out
    assert printed.startswith(f"{name} is left out here.")
    assert printed.endswith(f"{INSTALL_MODELS}\n")


def test_a_small_gpt_writes_until_the_model_is_there(shell, monkeypatch, capsys):
    def printed(cell):
        shell.run_cell(cell).raise_error()
        return capsys.readouterr().out

    monkeypatch.setattr(pretrained, "load_smollm2", lambda device: None)
    printed("from tutorial_lib.recipes import load_writer")
    assert "Shakespeare" in printed("model, tokenizer = load_writer()")
    assert printed("print(tokenizer.vocab_size)") == "Left out: what needs SmolLM2.\n"
    printed("writer = load_writer()")
    assert printed("print(writer.model)") == "Left out: what needs SmolLM2.\n"
    smollm2 = pretrained.LanguageModel("a model", "a tokenizer")
    monkeypatch.setattr(pretrained, "load_smollm2", lambda device: smollm2)
    assert printed("model, tokenizer = load_writer()") == ""
    assert printed("print(model, tokenizer)") == "a model a tokenizer\n"


@pytest.mark.slow
def test_each_is_read_once_and_speaks_or_sees():
    model, tokenizer = load_smollm2()
    assert load_smollm2().model is model
    ids = generate(model, tokenizer.encode("The capital of France is"), 1)
    assert tokenizer.decode(ids) == "The capital of France is Paris"
    vision = load_dinov2()
    assert load_dinov2() is vision
    with torch.no_grad():
        assert vision(torch.zeros(1, 3, 28, 42)).shape == (1, 1 + 2 * 3, 384)
