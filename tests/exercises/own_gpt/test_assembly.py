"""A GPT from my_transformer.py: all solved, none, some, and in other styles."""

import itertools
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.errors import ShapeError
from tutorial_lib.exercises import assemble, check
from tutorial_lib.exercises.engine.keep import keep, keeping_place, with_section
from tutorial_lib.exercises.engine.sources import standing
from tutorial_lib.exercises.own_gpt import assembly
from tutorial_lib.exercises.own_gpt.model import MyTransformer
from tutorial_lib.exercises.own_gpt.parts import PARTS, TASKS
from tutorial_lib.exercises.own_gpt.proof import compare

SMALL = {"context": 12, "d_model": 8, "n_layers": 2, "n_heads": 2, "n_merges": 60}


@pytest.fixture(scope="module")
def text():
    return load_shakespeare().text[:6_000]


@pytest.fixture
def path(progress_folder):
    progress_folder.mkdir()
    return progress_folder / "my_transformer.py"


def write(path, codes):
    """Write {exercise's name: code} as a notebook's learner would leave them."""
    text = ""
    for name, code in codes.items():
        body, left = standing(code, known=[other for other in codes if other != code.__name__])
        assert not left
        if code.__name__ != name:
            body += f"\n\n\n{name} = {code.__name__}"
        text = with_section(text, TASKS[name], body)
    path.write_text(text, encoding="utf-8")


def styles(style):
    return {name: getattr(task, style) for name, task in TASKS.items()}


def test_without_a_file_all_is_ours_and_the_report_says_so(path):
    mine = assemble(**SMALL)
    assert not any(choice.yours for choice in mine.choices.values())
    lines = repr(mine).splitlines()
    assert lines[0] == "Your own GPT: 0 of 16 functions are yours."
    assert lines[1].startswith("my_transformer.py is not there yet")
    assert lines[2] == "tokenizer  1.1 Count the pairs              ours: not solved yet"
    assert len(lines) == 2 + len(TASKS)
    assert str(path.parent) not in repr(mine)
    assert mine.compare()


@pytest.mark.parametrize("style", ["solution", "second_style"])
def test_all_solved_all_is_theirs_and_equal_to_ours(path, style):
    write(path, styles(style))
    mine = assemble(**SMALL)
    assert all(choice.yours for choice in mine.choices.values()), repr(mine)
    for name, choice in mine.choices.items():
        assert choice.code.__module__ == f"my_transformer.{name}"
    comparison = mine.compare()
    assert comparison, repr(comparison)
    assert repr(mine).splitlines()[1] == "Read from my_transformer.py."
    assert repr(comparison).endswith("It is equal to ours.")
    assert max(row.difference for row in comparison.rows) < 1e-5


def test_checked_solutions_are_kept_as_imports_and_serve_too(path, capsys):
    for task in TASKS.values():
        keep(task, task.solution)
    assert "from tutorial_lib" in keeping_place().read_text()
    assert "16 of 16 functions are yours" in repr(assemble(**SMALL))


def test_from_the_cells_of_a_notebook(path, learner, capsys):
    learner.run("import math\nimport torch")
    learner.run("def helper(q, k):\n    return q @ k.T / math.sqrt(k.size(-1))")
    learner.run(
        "def masked_attention(q, k, v, mask):\n"
        "    weights = helper(q, k).masked_fill(~mask, -math.inf).softmax(-1)\n"
        "    return weights @ v, weights"
    )
    learner.run("def causal_mask(n):\n    return [[s <= t for s in range(n)] for t in range(n)]")
    check("2.8", "b", learner.masked_attention)
    check("2.7", learner.causal_mask)
    capsys.readouterr()
    mine = assemble(**SMALL)
    assert {name for name, choice in mine.choices.items() if choice.yours} == {
        "causal_mask",
        "masked_attention",
    }
    assert mine.compare()


def test_each_function_of_theirs_runs(path, text):
    called = set()
    write(path, styles("solution"))
    mine = assemble(**SMALL)
    for name, code in mine.functions.items():

        def counted(*args, name=name, code=code, **kwargs):
            called.add(name)
            return code(*args, **kwargs)

        mine.functions[name] = counted
    mine.model = MyTransformer(mine.functions, mine.model.config)
    mine.tokenizer.train(text[:500], 5)
    mine.loss(torch.tensor([mine.tokenizer.encode("To be, or")])).backward()
    mine.sample("To be", n_tokens=2, top_k=5, top_p=0.9)
    assert called == set(TASKS) - {"count_pairs", "merge_pair"}  # these two: by train_merges


@pytest.mark.parametrize("part", PARTS)
def test_one_part_alone(path, part):
    write(path, {task.name: task.solution for task in PARTS[part]})
    mine = assemble(**SMALL)
    yours = {name for name, choice in mine.choices.items() if choice.yours}
    assert yours == {task.name for task in PARTS[part]}
    assert mine.compare()


def test_the_pairs_serve_our_training_until_theirs_is_written(path):
    write(path, {name: TASKS[name].second_style for name in ("count_pairs", "merge_pair")})
    mine = assemble(**SMALL)
    theirs = mine.functions["count_pairs"]
    assert theirs.__module__ == "my_transformer.count_pairs"
    closure = mine.functions["train_merges"].__closure__
    assert theirs in [cell.cell_contents for cell in closure]
    assert mine.compare()


def test_a_function_that_is_not_needed_is_said_to_be(path):
    names = ("count_pairs", "train_merges")
    write(path, {name: TASKS[name].second_style for name in names})
    report = repr(assemble(**SMALL))
    assert "1.1 Count the pairs              yours, though your 1.4 does without it" in report
    assert "1.4 Learn the merges             yours\n" in report


def test_a_wrong_part_would_be_seen(path):
    mine = assemble(**SMALL)
    right = {name: task.solution for name, task in TASKS.items()}
    wrong = {
        "masked_attention": (
            lambda q, k, v, mask: right["masked_attention"](2 * q, k, v, mask),
            ("logits", "gradient"),
        ),
        "next_token_loss": (
            lambda logits, ids: F.cross_entropy(logits.flatten(0, 1), ids.flatten()),
            ("loss", "gradient"),
        ),
        "decode": (
            lambda ids, vocabulary: "".join(vocabulary[i].decode("utf-8", "replace") for i in ids),
            ("text",),
        ),
        "train_merges": (
            lambda words, n_merges: right["train_merges"](words, n_merges)[::-1],
            ("merges", "token ids"),
        ),
        "encode_by_rank": (TASKS["encode_by_rank"].mistakes[0], ("token ids",)),
        "top_p_filter": (lambda logits, p: right["top_p_filter"](logits, p / 2), ("chances",)),
        "temperature_probabilities": (
            lambda logits, temperature: (logits * temperature).softmax(dim=-1),
            ("chances", "samples"),
        ),
        "top_k_filter": (lambda logits, k: right["top_k_filter"](logits, k // 2), ("chances",)),
    }
    for name, (code, rows) in wrong.items():
        functions = dict(mine.functions)
        functions[name] = code
        mine.model.functions = functions
        for layer in mine.model.layers:
            layer.functions = functions
        comparison = compare(functions, mine.model)
        seen = {row.name for row in comparison.rows if not row.same}
        assert set(rows) <= seen, (name, comparison)
        assert repr(comparison).endswith("It is not equal to ours.")


@pytest.mark.slow
def test_it_learns(path, text):
    mine = assemble(**SMALL | {"d_model": 32})
    history = mine.train(text, steps=60, progress=False)
    assert (history.stopped, len(history.loss)) == ("finished", 60)
    assert sum(history.loss[-5:]) / 5 < history.loss[0] - 0.5
    assert mine.tokenizer.vocab_size == 316
    assert not mine.model.training
    assert mine.compare()


def test_samples_before_and_after(path, text, capsys):
    mine = assemble(**SMALL)
    mine.train(text, seconds=0.05, prompt="KING", progress=False)
    printed = capsys.readouterr().out
    assert printed.startswith("Before: KING")
    assert "\n\nAfter: KING" in printed
    assert mine.sample("KING", n_tokens=30) == mine.sample("KING", n_tokens=30)
    assert mine.sample("KING", n_tokens=30) != mine.sample("KING", n_tokens=30, seed=1)
    assert mine.sample("", n_tokens=3).startswith("\n")


def test_training_ends_in_time(path, text, monkeypatch):
    mine = assemble(**SMALL)
    mine.tokenizer.train(text[:500], 10)
    mine._seconds_a_step = lambda ids: 1e-4  # the machine seemed much faster than it is
    ticks = itertools.count(step=0.01)  # each look at the clock takes a hundredth of a second
    monkeypatch.setattr(assembly, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    history = mine.train(text, seconds=0.3, progress=False)
    assert history.stopped == "stopped"
    assert len(history.loss) == 16  # two looks a step, the first step does not count
    assert history.lr[-1] < 0.5 * max(history.lr)


def test_a_text_shorter_than_the_context_is_refused(path):
    with pytest.raises(ShapeError, match="the text needs 12 tokens or more, it has 1"):
        assemble(**SMALL).train("Words", progress=False)


def test_a_gpt_without_any_training_writes_bytes(path):
    mine = assemble(**SMALL)
    assert len(mine.sample("To be", n_tokens=100, temperature=9.0)) > 50


def test_an_interrupted_training_leaves_a_model(path, text, monkeypatch):
    mine = assemble(**SMALL)
    before = mine.model.gain.clone()
    calls = []
    theirs = mine.functions["next_token_loss"]

    def stopped(logits, ids):
        calls.append(1)
        if len(calls) > 8:
            raise KeyboardInterrupt
        return theirs(logits, ids)

    mine.functions["next_token_loss"] = stopped
    history = mine.train(text, seconds=1, progress=False)
    assert history.stopped == "interrupted"
    mine.functions["next_token_loss"] = theirs
    assert not torch.equal(mine.model.gain, before)
    assert not mine.model.training
    assert mine.compare()


def test_the_same_seed_the_same_weights(path):
    random = torch.get_rng_state()
    one, two = assemble(**SMALL), assemble(**SMALL)
    other = assemble(**SMALL, seed=1)
    assert torch.equal(one.model.token_embedding, two.model.token_embedding)
    assert not torch.equal(one.model.token_embedding, other.model.token_embedding)
    assert torch.equal(random, torch.get_rng_state())
