"""A Llama in the page computes, on packed weights, what the course's Llama does in Python."""

import itertools
import json
import subprocess

import pytest
import torch
from alike import close
from isolation import ROOT
from small_llama import small, write_gguf

from tutorial_lib import explorers
from tutorial_lib.attention import capture_attention
from tutorial_lib.decoding import generate
from tutorial_lib.interpret import Patch, Uniform, Zero, head_output, intervene, logit_lens
from tutorial_lib.models import Llama

SITE = ROOT / "docs" / "site"
WAT = SITE / "models" / "llama" / "products.wat"
SIZES = {
    "vocab_size": 556,
    "context": 300,
    "d_model": 96,
    "n_heads": 6,
    "n_kv_heads": 2,
    "d_ff": 64,
}
IDS = [3, 141, 59, 26, 455, 3, 0, 59]


@pytest.fixture(scope="module")
def large_files(exported):
    """The module that writes large files."""
    import large_files

    return large_files


@pytest.fixture(params=["plain", "fast"])
def asked(node, request):
    """asked(files, *jobs): what JavaScript says, plain and with SIMD."""
    fast = request.param == "fast"
    if fast and not (SITE / "node_modules" / "wabt").is_dir():
        pytest.skip("no assembler for WebAssembly: make site brings one")

    def ask(files, *jobs):
        given = {"files": list(map(str, files)), "wat": str(WAT) if fast else None, "jobs": jobs}
        done = subprocess.run(
            [node, str(ROOT / "tests" / "site" / "llama.mjs")], input=json.dumps(given),
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [torch.tensor(x) if isinstance(x, list) else x for x in json.loads(done.stdout)]

    return ask


@pytest.fixture(params=[True, False], ids=["tied", "untied"])
def tiny(tmp_path, large_files, request, monkeypatch):
    """A small Llama, packed as SmolLM2 is, and its file for the page, in several parts."""
    return packed_small(tmp_path, tmp_path, large_files, monkeypatch, tied=request.param)


def packed_small(folder, base, large_files, monkeypatch, **changes):
    """The Llama that Python reads in a folder, and its files below that of a page."""

    def kind(name, tensor):
        return "F32" if tensor.ndim == 1 else "Q8_0" if "embd" in name else "Q4_1"

    write_gguf(small(**SIZES, **changes), folder / "small.gguf", kind=kind)
    monkeypatch.setattr(large_files, "MOST", 50_000)
    data = large_files.packed(folder)
    assert large_files.packed(folder) == data  # else a browser fetches it anew after each build
    monkeypatch.setitem(large_files.FILES, "smollm2", ("Small", lambda: data))
    card = large_files.main(base / "models" / "large", ["smollm2"])["smollm2"]
    assert len(card) > 2
    assert max(part["bytes"] for part in card) <= 50_000
    return Llama.from_pretrained(folder), [base / part["file"] for part in card]


def same(one, other):
    """Whether numbers are equal, but for rounding."""
    return (one - other).abs().max() < 1e-4 * other.abs().max()


@torch.no_grad()
def test_a_small_llama_reads_alike(asked, tiny):
    model, files = tiny
    expected = model(torch.tensor([IDS]))[0]
    lens = logit_lens(model, torch.tensor([IDS]))
    state = {"floats": lens.states[2].flatten().tolist()}
    longer, other = [*IDS, 7, 8, 9], [*IDS[:3], 1, 2]
    reads = [IDS, IDS[:3], longer, other, other, longer[:1]]  # one cache: longer, shorter, another
    found = asked(
        files,
        *(["read", ids, *more] for ids in reads for more in ([], [False])),
        ["states", IDS],
        ["logits", state],
        ["logitsOf", 59, state],
    )
    for ids, logits in zip(itertools.chain(*zip(reads, reads, strict=True)), found, strict=False):
        assert same(logits, model(torch.tensor([ids]))[0, -1])
    states, logits, logit = found[-3:]
    assert same(states.view(lens.states.shape), lens.states)
    wanted = lens.states[2] @ lens.output_vectors.T
    assert same(logits.view(wanted.shape), wanted)
    assert same(logit, wanted[:, 59])
    assert same(found[0], expected[-1])


@torch.no_grad()
def test_a_head_is_broken_alike(asked, tiny):
    model, files = tiny
    ids, other = torch.tensor([IDS]), torch.tensor([IDS[::-1]])
    patch = Patch(1, 4, head_output(model, 1, 4, other))
    ways = {None: None, "zero": Zero(1, 4), "uniform": Uniform(1, 4), "patch": patch}
    broken = [{"how": how, "layer": 1, "head": 4, "from": IDS[::-1]} for how in ways]
    found = asked(files, *(["attention", IDS, change] for change in broken))
    for change, seen in zip(ways.values(), found, strict=True):
        with intervene(model, *filter(None, [change])), capture_attention(model) as maps:
            logits = model(ids)[0, -1]
        assert same(torch.tensor(seen["logits"]), logits)
        maps = torch.cat(list(maps))  # (L, H, T, T)
        assert same(torch.tensor(seen["maps"]).view(seen["shape"]), maps)


@pytest.fixture
def on_a_page(tmp_path, vocabularies, exported, large_files, monkeypatch):
    """A small Llama, its tokenizer, and the folder of a site that takes it for SmolLM2."""
    import extras_models

    monkeypatch.setattr(extras_models, "is_smollm2", lambda model: True)
    model, _ = packed_small(tmp_path, vocabularies, large_files, monkeypatch)
    return model, exported.tokenizer("hamlet"), vocabularies


def test_its_explorers_answer_as_in_the_notebook(both, both_tell, on_a_page):
    model, one, base = on_a_page
    writer = explorers.GenerationExplorer(model, one.encode, one.decode, temperature=0)
    messages = [
        {"prompt": "To be, or not"},
        *({"request": {"action": "write", "tokens": 4, "number": i}} for i in range(3)),
    ]
    written = both_tell("generation", writer, messages, base)[-1][1]["answer"]["written"]
    assert "".join(token[0] for token in written) == writer.text_so_far.removeprefix(writer.prompt)
    lens = explorers.LogitLensExplorer(model, one.encode, one.decode)
    [(python, javascript)] = both("logit_lens", lens, [{"text": "To be, or not"}], base)
    for side in (python, javascript):
        del side["shares"], side["words"]  # in half precision; signs of which Python draws a box
    assert close(python, javascript)


@pytest.mark.parametrize("asked", ["fast"], indirect=True)
@torch.no_grad()
def test_smollm2_writes_alike(asked, smollm2, smollm2_tokenizer, large_files, tmp_path):
    """The real file, as the site has it."""
    card = large_files.main(tmp_path / "models" / "large", ["smollm2"])["smollm2"]
    files = [tmp_path / part["file"] for part in card]
    assert sum(part["bytes"] for part in card) < 100e6
    ids = smollm2_tokenizer.encode("The capital of France is")
    written = generate(smollm2, ids, 4)
    texts = [written[:n] for n in range(len(ids), len(written))]
    for text, logits in zip(texts, asked(files, *(["read", text] for text in texts)), strict=True):
        assert same(logits, smollm2(torch.tensor([text]))[0, -1])
        assert int(logits.argmax()) == written[len(text)]
