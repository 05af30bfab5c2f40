import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import (
    ForeignNames,
    Unfilled,
    load_into,
    load_metadata,
    load_tensors,
    save_tensors,
)


def tensors():
    return {"a": torch.arange(6.0).view(2, 3), "b": torch.ones(1, dtype=torch.int64)}


def same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


def write_shards(folder, shards, weight_map=None):
    for name, content in shards.items():
        save_file(content, folder / name)
    found = {tensor: name for name, content in shards.items() for tensor in content}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weight_map or found}))
    return index


def test_round_trip_with_metadata(tmp_path):
    path = tmp_path / "model.safetensors"
    save_tensors(path, tensors(), {"recipe": "numbers"})
    assert same(load_tensors(path), tensors())
    assert same(load_tensors(tmp_path), tensors())
    assert load_metadata(path) == {"recipe": "numbers"}
    save_tensors(path, tensors())
    assert load_metadata(path) == {}


def test_every_flipped_byte_is_seen(tmp_path):
    path = tmp_path / "model.safetensors"
    kinds = (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.bool)
    written = {str(kind): torch.arange(40).view(8, 5).to(kind) for kind in kinds}
    save_tensors(path, written | {"empty": torch.zeros(0, 3)}, {"about": "numbers"})
    whole = path.read_bytes()
    assert load_tensors(path).keys() == {*written, "empty"}
    for place in range(8, len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            found, about = load_tensors(path), load_metadata(path)
        except DamagedFileError:
            continue
        # What is left are flips of the checksum's own name, and spaces.
        assert about.pop("about") == "numbers"
        assert same({k: v for k, v in found.items() if k != "empty"}, written), place


def test_files_of_others_need_no_checksum(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file(tensors(), path, {"format": "pt"})
    assert same(load_tensors(path), tensors())
    save_file(tensors(), path, {"sha256": "0"})
    with pytest.raises(DamagedFileError, match="no longer what was written to it"):
        load_tensors(path)


def test_tied_and_strided_tensors_can_be_saved(tmp_path):
    table = torch.arange(6.0).view(2, 3)
    save_tensors(tmp_path / "m.safetensors", {"in": table, "out": table, "turned": table.T})
    loaded = load_tensors(tmp_path / "m.safetensors")
    assert torch.equal(loaded["in"], loaded["out"])
    assert torch.equal(loaded["turned"], table.T)


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    save_tensors(path, tensors())

    def half(path, content):
        with open(path, "wb") as file:
            file.write(content[: len(content) // 2])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(KeyboardInterrupt):
        save_tensors(path, {"a": torch.zeros(1)})
    assert same(load_tensors(path), tensors())
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_shards(tmp_path):
    first, second = {"a": torch.zeros(2)}, {"b": torch.ones(3), "c": torch.ones(1)}
    write_shards(tmp_path, {"model-1.safetensors": first, "model-2.safetensors": second})
    assert same(load_tensors(tmp_path), first | second)


@pytest.mark.parametrize(
    "name",
    [
        "../x.safetensors",
        "/etc/x.safetensors",
        "a/x.safetensors",
        "a\\x.safetensors",
        "..",
        ".x.safetensors",
        "x.bin",
        7,
    ],
)
def test_shard_names_must_be_plain(tmp_path, name):
    save_file({"a": torch.zeros(1)}, tmp_path / "x.safetensors")
    write_shards(tmp_path, {}, {"a": name})
    with pytest.raises(DamagedFileError, match=r"must name plain \.safetensors files"):
        load_tensors(tmp_path)


def test_shards_that_disagree_with_their_index(tmp_path):
    first = {"a": torch.zeros(2), "extra": torch.zeros(1)}
    write_shards(tmp_path, {"x.safetensors": first}, {"a": "x.safetensors", "b": "x.safetensors"})
    with pytest.raises(DamagedFileError, match="disagree about: b, extra"):
        load_tensors(tmp_path)
    write_shards(tmp_path, {}, {"a": "gone.safetensors"})
    with pytest.raises(MissingDataError, match=r"no file .*gone\.safetensors"):
        load_tensors(tmp_path)
    for text in ("{", "[]", '{"weight_map": 3}', "{}"):
        (tmp_path / "model.safetensors.index.json").write_text(text)
        with pytest.raises(DamagedFileError, match="no index of shards"):
            load_tensors(tmp_path)


def test_nothing_to_read(tmp_path):
    with pytest.raises(MissingDataError, match=r"neither model\.safetensors nor"):
        load_tensors(tmp_path)
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(MissingDataError, match=r"pytorch_model\.bin is pickled and is not opened"):
        load_tensors(tmp_path)
    with pytest.raises(MissingDataError, match="no file or folder"):
        load_tensors(tmp_path / "nothing")
    with pytest.raises(MissingDataError, match="no file"):
        load_metadata(tmp_path / "nothing")


def test_damaged_files(tmp_path):
    path = tmp_path / "model.safetensors"
    save_tensors(path, {"a": torch.zeros(100)})
    whole = path.read_bytes()
    for damaged in (b"", whole[:5], whole[:60], whole[:-1], b"not tensors " * 50):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFileError, match="truncated or no safetensors file"):
            load_tensors(tmp_path)


def test_load_into_lists_every_fault():
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    wrong = {"0.weight": torch.zeros(2, 3), "0.bias": torch.zeros(3), "head": torch.zeros(1)}
    with pytest.raises(DamagedFileError) as caught:
        load_into(model, wrong)
    assert str(caught.value).splitlines() == [
        "these weights do not fit Sequential",
        "  missing (2): 1.bias, 1.weight",
        "  surplus (1): head",
        "  wrong shape (1): 0.weight is (2, 3), the model needs (3, 2)",
    ]
    assert same(model.state_dict(), before)


def test_unfilled_layers_leave_the_seed_alone():
    torch.manual_seed(0)
    expected = torch.randn(3)
    torch.manual_seed(0)
    with Unfilled():
        model = nn.Sequential(nn.Linear(4, 4), nn.Embedding(3, 3), nn.LayerNorm(3))
    assert torch.equal(torch.randn(3), expected)
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_half_precision_is_widened():
    model = nn.Linear(2, 1)
    load_into(model, {"weight": torch.ones(1, 2).half(), "bias": torch.ones(1).bfloat16()})
    assert model.weight.dtype == torch.float32
    assert model(torch.ones(2)).item() == 3.0


def test_numbers_without_a_point_are_no_weights():
    model = nn.BatchNorm1d(2)  # whose count of steps is a whole number
    right = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    load_into(model, right)
    wrong = right | {"weight": torch.ones(2, dtype=torch.int32), "bias": torch.ones(2).bool()}
    with pytest.raises(DamagedFileError) as caught:
        load_into(model, wrong)
    assert str(caught.value).splitlines()[1:] == [
        "  no floating point (2): bias is torch.bool, weight is torch.int32"
    ]


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(2, 6, bias=False) for _ in range(12))


NAMES = ForeignNames(
    {"blocks.{n}.weight": ("h.{n}.q", "h.{n}.k", "h.{n}.v")},
    prefixes=("net.",),
    replaced={"query": "q"},
    ignored=("h.{n}.mask", "steps"),
)


def foreign():
    return {f"net.h.{n}.{part}": torch.full((2, 2), 10.0 * n + i)
            for n in range(12) for i, part in enumerate(["query", "k", "v"])}  # fmt: skip


def test_foreign_names_are_stacked_layer_by_layer():
    model = Stack()
    load_into(model, foreign() | {"steps": torch.zeros(1)}, NAMES)
    assert model.blocks[11].weight[:, 0].tolist() == [110, 110, 111, 111, 112, 112]
    assert model.blocks[1].weight[:, 0].tolist() == [10, 10, 11, 11, 12, 12]


def test_faults_are_named_in_the_files_own_words():
    found = foreign() | {"net.h.12.k": torch.zeros(2, 2), "net.h.3.k": torch.zeros(2, 3)}
    del found["net.h.7.v"]
    with pytest.raises(DamagedFileError) as caught:
        load_into(Stack(), found, NAMES)
    assert str(caught.value).splitlines()[1:] == [
        "  missing (1): h.7.v",
        "  surplus (1): h.12.k",
        "  wrong shape (1): h.3.k is (2, 3), the model needs (2, 2)",
    ]
    with pytest.raises(DamagedFileError, match=r"hold h\.0\.k twice, once as h\.0\.k"):
        load_into(Stack(), foreign() | {"h.0.k": torch.zeros(2, 2)}, NAMES)
