"""my_transformer.py after it was edited, moved, or cut: what breaks is said and replaced."""

import re

import pytest

from tutorial_lib.exercises import assemble
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.keep import HEADER, with_section
from tutorial_lib.exercises.engine.sources import standing
from tutorial_lib.exercises.own_gpt.learners_file import split
from tutorial_lib.exercises.own_gpt.parts import TASKS, gradients_pass

SMALL = {"context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2, "n_merges": 20}
ATTENTION = """
import math

def masked_attention(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ v, weights
"""
MASK = "import torch\n\ndef causal_mask(n):\n    return torch.ones(n, n).tril().bool()"


@pytest.fixture
def path(progress_folder):
    progress_folder.mkdir()
    return progress_folder / "my_transformer.py"


def file_of(sections):
    text = HEADER
    for name, body in sections.items():
        text = with_section(text, TASKS[name], body)
    return text


def whose(mine):
    """The functions that are the learner's."""
    return {name for name, choice in mine.choices.items() if choice.yours}


def line_of(mine, name):
    task = TASKS[name]
    return next(line for line in repr(mine).splitlines() if f" {task.id} {task.title}" in line)


BROKEN = {
    "a syntax error": (
        "def masked_attention(q, k, v, mask)\n    return q",
        r"SyntaxError: expected ':' \(my_transformer.py, line 11\)",
    ),
    "a missing import": (
        ATTENTION.replace("import math", ""),
        "NameError in line 12 of my_transformer.py, "
        r"`scores = q @ k.T / math.sqrt\(q.size\(-1\)\)`: name 'math' is not defined",
    ),
    "a module that is gone": (
        "from my_old_helpers import masked_attention",
        "ModuleNotFoundError in line 11 of my_transformer.py",
    ),
    "a renamed helper": (
        ATTENTION.replace("scores = q @ k.T", "scores = product(q, k)"),
        "name 'product' is not defined",
    ),
    "an older signature": (
        ATTENTION.replace("(q, k, v, mask)", "(q, k, v)"),
        r"TypeError: .*masked_attention\(\) takes 3 positional arguments but 4 were given",
    ),
    "an endless recursion": (
        "def masked_attention(q, k, v, mask):\n    return masked_attention(q, k, v, mask)",
        "RecursionError",
    ),
    "an error when it is imported": (
        ATTENTION + "\nprint('half way')\n1 / 0",
        "ZeroDivisionError in line 19 of my_transformer.py, `1 / 0`: division by zero",
    ),
    "the end of Python": ("raise SystemExit(3)\n" + ATTENTION, "SystemExit in line 11"),
    "the end of Python, later": (
        ATTENTION.replace("    return", "    raise SystemExit\n    return"),
        "it ends Python",
    ),
    "another name": (
        ATTENTION.replace("masked_attention", "attention_masked"),
        "its section does not define masked_attention",
    ),
    "an open stub": (
        "def masked_attention(q, k, v, mask):\n    raise NotImplementedError",
        "it is still an open stub",
    ),
    "a number": ("masked_attention = 3", "give check the function itself"),
    "a known mistake": (
        ATTENTION.replace(" / math.sqrt(q.size(-1))", ""),
        "The scores lack the 1/sqrt",
    ),
    "an empty section": ("", "its section does not define masked_attention"),
}


@pytest.mark.parametrize("damage", BROKEN)
def test_a_damaged_section_is_named_and_replaced(path, damage, capfd):
    body, message = BROKEN[damage]
    path.write_text(file_of({"masked_attention": body, "causal_mask": MASK}), encoding="utf-8")
    mine = assemble(**SMALL)
    line = line_of(mine, "masked_attention")
    assert "ours: yours fails: " in line
    assert re.search(message, line), line
    assert str(path.parent) not in repr(mine)
    assert whose(mine) == {"causal_mask"}
    assert mine.compare()
    assert capfd.readouterr().out == ""


def test_all_sections_damaged(path):
    path.write_text(file_of(dict.fromkeys(TASKS, "def (")), encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == set()
    assert repr(mine).count("yours fails: SyntaxError") == len(TASKS)
    assert mine.compare()


def test_a_helper_of_a_broken_section_is_replaced_by_ours(path):
    sections = {
        "count_pairs": standing(TASKS["count_pairs"].solution)[0].replace("+ count", "+ 1"),
        "merge_pair": standing(TASKS["merge_pair"].solution)[0],
        "train_merges": standing(TASKS["train_merges"].solution, ["count_pairs", "merge_pair"])[0],
    }
    path.write_text(file_of(sections), encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"merge_pair", "train_merges"}
    assert "counts each word once" in line_of(mine, "count_pairs")
    assert mine.compare()
    path.write_text(file_of(sections | {"count_pairs": "def count_pairs("}), encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"merge_pair", "train_merges"}
    assert mine.compare()


@pytest.mark.parametrize("body", ["def attention(", "def attention(q, k, v):\n    return q, k"])
def test_a_broken_exercise_that_is_no_part(path, body):
    """2.5 may call 2.2, which is not in the model itself."""
    many = """
import math

def multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask):
    q, k, v = ((x @ w).unflatten(-1, (n_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    scores = attention(q, k, v)[1].log().masked_fill(~mask, -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ w_o
"""
    text = with_section(file_of({"multi_head": many}), registry.find("2.4"), body)
    path.write_text(text, encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"multi_head"}, repr(mine)
    assert mine.compare()


def test_a_function_of_another_section_and_of_the_text_around(path):
    many = """
import torch

def multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask):
    q, k, v = (my_split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    rows = [[masked_attention(*qkv, mask)[0] for qkv in zip(*text)] for text in zip(q, k, v)]
    return torch.stack([torch.cat(row, dim=-1) for row in rows]) @ w_o
"""
    text = file_of({"multi_head": many, "masked_attention": ATTENTION})
    text += (
        "\n\ndef my_split(y, n_heads):\n    return y.unflatten(-1, (n_heads, -1)).transpose(1, 2)\n"
    )
    path.write_text(text, encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"multi_head", "masked_attention"}
    assert mine.compare()
    path.write_text(text + "\nthis is no code\n", encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"masked_attention"}
    assert "The text outside the sections is left out: SyntaxError: invalid" in repr(mine)
    assert "name 'my_split' is not defined" in line_of(mine, "multi_head")
    assert mine.compare()


def test_a_name_from_further_down_at_import(path):
    """A section may need another when it is imported: an alias, a decorator, a constant."""
    sections = {
        "masked_attention": "@plainly\n" + ATTENTION.replace("import math\n\n", "").strip(),
        "causal_mask": "import math\n\ndef plainly(code):\n    return code\n\n" + MASK,
    }
    path.write_text(file_of(sections), encoding="utf-8")
    assert whose(assemble(**SMALL)) == {"masked_attention", "causal_mask"}


def test_a_section_without_its_end_mark_is_still_their_code(path):
    text = file_of({"masked_attention": ATTENTION, "causal_mask": MASK})
    path.write_text(text.replace("# --- end of masked_attention ---", "# mine"), encoding="utf-8")
    assert whose(assemble(**SMALL)) == {"masked_attention", "causal_mask"}


def test_broken_code_without_its_end_mark_is_named(path):
    text = file_of({"masked_attention": "def masked_attention(", "causal_mask": MASK})
    path.write_text(text.replace("# --- end of masked_attention ---\n", ""), encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"causal_mask"}
    no_mark = "ours: yours fails: its section has no end mark"
    assert line_of(mine, "masked_attention").endswith(no_mark)
    assert "outside the sections, with 2.8 whose end mark is gone, is left out: Syn" in repr(mine)
    assert repr(mine).count("end mark") == 2
    assert mine.compare()


def test_a_file_edited_twice_shows_the_line_as_it_is_now(path):
    for wrong in ("scores = oops", "scores = oops_again(q, k)"):
        body = ATTENTION.replace("scores = q @ k.T", wrong)
        path.write_text(file_of({"masked_attention": body}), encoding="utf-8")
        assert f"`{wrong} / math.sqrt(q.size(-1))`" in line_of(
            assemble(**SMALL), "masked_attention"
        )


def test_what_prints_is_silent(path, capsys):
    noisy = ATTENTION.replace("    scores", "    print('shape', q.shape)\n    scores")
    path.write_text(file_of({"masked_attention": "print('hello')\n" + noisy}), encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"masked_attention"}
    assert mine.compare()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (
            "masked_attention",
            ATTENTION.replace("weights @ v, weights", "(weights @ v).tolist(), weights.tolist()"),
        ),
        (
            "layer_norm",
            "import torch\n\ndef layer_norm(x, gain, shift, eps):\n    with torch.no_grad():\n"
            "        return torch.nn.functional.layer_norm(x, gain.shape, gain, shift, eps)",
        ),
        (
            "feed_forward",
            "import torch\n\ndef feed_forward(x, w1, b1, w2, b2):\n"
            "    return torch.relu(x @ w1 + b1).detach() @ w2 + b2",
        ),
        (
            "next_token_loss",
            "import torch.nn.functional as F\n\ndef next_token_loss(logits, ids):\n"
            "    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:]).item()",
        ),
    ],
)
def test_right_but_without_gradients(path, name, body):
    path.write_text(file_of({name: body}), encoding="utf-8")
    mine = assemble(**SMALL)
    assert "yours is right, but no gradient comes back through it" in line_of(mine, name)
    assert whose(mine) == set()
    assert mine.train("to be or not to be, that is it " * 9, 0.05, progress=False).loss


def test_what_fails_only_at_the_sizes_of_the_model(path):
    few = MASK.replace("    return", "    if n > 4:\n        raise ValueError(n)\n    return")
    many = """
import math

def multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask):
    q, k, v = ((x @ w).unflatten(-1, (n_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    checked(x)
    scores = (q @ k.mT / math.sqrt(k.size(-1))).masked_fill(~mask, -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ w_o

def checked(x):
    assert x.size(-1) <= 6, "too wide"
"""
    path.write_text(file_of({"causal_mask": few, "multi_head": many}), encoding="utf-8")
    mine = assemble(**SMALL)
    assert "ours: yours fails in the model: ValueError in line" in line_of(mine, "causal_mask")
    assert "AssertionError in line" in line_of(mine, "multi_head")
    assert '`assert x.size(-1) <= 6, "too wide"`: too wide' in line_of(mine, "multi_head")
    assert mine.compare()


def test_heads_from_before_they_took_a_mask_are_named(path):
    old = """
import math

def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = ((x @ w).unflatten(-1, (n_heads, -1)).transpose(1, 2) for w in (w_q, w_k, w_v))
    return ((q @ k.mT / math.sqrt(k.size(-1))).softmax(-1) @ v).transpose(1, 2).flatten(2) @ w_o
"""
    path.write_text(file_of({"multi_head": old, "causal_mask": MASK}), encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"causal_mask"}
    assert "takes 6 positional arguments but 7 were given" in line_of(mine, "multi_head")
    assert "multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask)" in line_of(mine, "multi_head")
    assert mine.compare()


@pytest.mark.parametrize("name", TASKS)
def test_gradients_of_solution_and_second_style(name):
    trained = ("masked_attention", "multi_head", "layer_norm", "feed_forward", "gpt_block")
    if name in (*trained, "next_token_loss"):
        assert gradients_pass(TASKS[name], TASKS[name].solution)
        assert gradients_pass(TASKS[name], TASKS[name].second_style)


def test_a_function_that_changes_its_argument_works_on_a_copy(path):
    pairs = (
        "def count_pairs(words):\n    counts = {}\n    while words:\n"
        "        word, n = words.popitem()\n        for pair in zip(word, word[1:]):\n"
        "            counts[pair] = counts.get(pair, 0) + n\n    return counts"
    )
    norm = (
        "def layer_norm(x, gain, shift, eps):\n    x -= x.mean(-1, keepdim=True)\n"
        "    return x * ((x**2).mean(-1, keepdim=True) + eps).rsqrt() * gain + shift"
    )
    path.write_text(file_of({"count_pairs": pairs, "layer_norm": norm}), encoding="utf-8")
    mine = assemble(**SMALL)
    assert whose(mine) == {"count_pairs", "layer_norm"}
    assert mine.compare()


def test_files_that_cannot_be_read(path):
    path.write_bytes(b"\xff\xfe\x00 no text")
    assert "my_transformer.py is not UTF-8 text" in repr(assemble(**SMALL))
    path.unlink()
    path.mkdir()
    report = repr(assemble(**SMALL))
    assert "my_transformer.py cannot be read" in report
    assert "16 functions are yours" in report
    path.rmdir()
    path.write_text("", encoding="utf-8")
    assert whose(assemble(**SMALL)) == set()


def test_another_file_may_be_given(tmp_path):
    path = tmp_path / "older.py"
    path.write_text(file_of({"causal_mask": MASK}), encoding="utf-8")
    assert whose(assemble(path, **SMALL)) == {"causal_mask"}


def test_windows_line_ends_and_other_exercises(path):
    text = file_of({"causal_mask": MASK})
    text += "\n# --- other: exercise 9.9 ---\nother = 1\n# --- end of other ---\n"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert whose(assemble(**SMALL)) == {"causal_mask"}


def test_lines_stay_where_they_are():
    text = file_of({"causal_mask": MASK, "masked_attention": ATTENTION}) + "\nMINE = 1\n"
    sections, around = split(text)
    assert [section.id for section in sections] == ["2.7", "2.8"]
    lines = text.splitlines()
    for source in (around, *(section.source for section in sections)):
        for place, line in enumerate(source.splitlines()):
            assert line in ("", lines[place])
    assert "MINE = 1" in around
