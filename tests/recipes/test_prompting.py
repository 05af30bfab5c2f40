from collections import Counter

import pytest

from tutorial_lib.datasets.prompt_tasks import Item, verb_items
from tutorial_lib.errors import MissingDataError
from tutorial_lib.recipes import confidence, load_result, pretrained, prompting
from tutorial_lib.recipes.prompting import (
    TASKS,
    Asker,
    Wording,
    answer_ids,
    baseline,
    blind_answers,
    by_examples,
    by_prompt,
    draw,
    prompt_ids,
    prompt_text,
)
from tutorial_lib.tokenizers import BPETokenizer

EXAMPLES = [Item("dog", "fresh"), Item("cat", "rotten")]
PLAIN = Wording("plain", "Review: {}\nSentiment:", {"fresh": "good", "rotten": "bad"}, "Say.\n\n")


class Spy(Asker):
    """Notes what is asked instead of asking."""

    def __init__(self):
        self.asked = []

    def right(self, task, wording, examples, asked):
        self.asked.append((wording.name, tuple(examples), tuple(asked)))
        return [True, False]


def test_a_prompt_ends_where_the_answer_begins():
    wanted = (
        "Say.\n\nReview: dog\nSentiment: good\n\nReview: cat\nSentiment: bad\n\n"
        "Review: cow\nSentiment:"
    )
    assert prompt_text(PLAIN, EXAMPLES, "cow") == wanted
    assert prompt_text(PLAIN, [], "cow") == "Say.\n\nReview: cow\nSentiment:"


def test_in_a_chat_examples_are_turns_of_user_and_assistant():
    tokenizer = BPETokenizer.train("a", 258, ["<|im_start|>", "<|im_end|>"])
    chat = Wording("chat", "Which? {}", {"fresh": "Good", "rotten": "Bad"}, chat=True)
    text = tokenizer.decode(prompt_ids(tokenizer, chat, EXAMPLES, "cow"))
    assert text.endswith("<|im_start|>user\nWhich? cow<|im_end|>\n<|im_start|>assistant\n")
    assert text.index("Good") < text.index("Which? cat") < text.index("Bad")
    assert answer_ids(tokenizer, chat, "Good") == tokenizer.encode("Good")
    assert answer_ids(tokenizer, PLAIN, "good") == tokenizer.encode(" good")


@pytest.mark.parametrize("name", TASKS)
def test_every_wording_can_say_every_answer(name):
    task = TASKS[name]
    assert len({wording.name for wording in task.wordings}) == len(task.wordings)
    for wording in task.wordings:
        assert wording.line.count("{}") == 1
        assert set(wording.says) == set(task.choices or ())
    if task.choices:
        assert {item.answer for item in task.items()} == set(task.choices)


def test_no_question_is_among_the_examples():
    items = verb_items()
    shown, asked = draw(items, seed=3, n_examples=16, n_asked=28)
    assert (len(shown), len(asked)) == (16, 28)
    assert not set(shown) & set(asked)
    assert draw(items, 3, 16, 28) == (shown, asked)
    assert draw(items, 4, 16, 28) != (shown, asked)


@pytest.mark.parametrize("seed", range(6))
def test_blind_answers_keep_the_questions(seed):
    shown, _ = draw(verb_items(), seed, 16, 28)
    blind = blind_answers(shown, verb_items(), seed)
    assert [item.question for item in blind] == [item.question for item in shown]
    assert sum(a.answer == b.answer for a, b in zip(blind, shown, strict=True)) < 4
    assert {item.answer for item in blind} <= {item.answer for item in verb_items()}


def test_baselines_are_counted():
    assert baseline("sentiment")[0] == pytest.approx(1 / 2)
    assert baseline("premises")[0] == pytest.approx(1 / 3)
    assert baseline("past tense") == (0.0, "copying")
    assert baseline("French")[0] == pytest.approx(2 / 64)


def test_more_examples_only_add_to_the_fewer_and_the_questions_stay():
    spy = Spy()
    settings = {"examples": [0, 2, 4], "drawn": [4], "asked": 5}
    rows = by_examples(spy, "addition", 1, settings)
    assert [(row["answers"], row["examples"]) for row in rows] == [
        ("right", 0),
        ("right", 2),
        ("right", 4),
        ("drawn", 4),
    ]
    (_, none, asked), (_, two, _), (_, four, _), (_, blind, _) = spy.asked
    assert none == ()
    assert two == four[:2]
    assert [e.question for e in blind] == [e.question for e in four]
    assert {questions for _, _, questions in spy.asked} == {asked}


@pytest.mark.parametrize("name", ["French", "sentiment"])
def test_prompts_of_the_spread_differ_in_one_thing(name):
    spy = Spy()
    rows = by_prompt(spy, name, {"examples": 4, "prompts": 8, "asked": 48})
    counts = Counter(row["differs"] for row in rows)
    assert counts == {"examples": 8, "order": 8, "wording": len(TASKS[name].wordings)}
    asked = {differs: [] for differs in counts}
    for row, (wording, examples, questions) in zip(rows, spy.asked, strict=True):
        asked[row["differs"]].append((wording, examples))
        assert questions == spy.asked[0][2]
        assert not set(examples) & set(questions)
    assert len({wording for wording, _ in asked["examples"] + asked["order"]}) == 1
    assert len({frozenset(examples) for _, examples in asked["examples"]}) == 8
    assert len({examples for _, examples in asked["order"]}) == 8
    assert len({frozenset(examples) for _, examples in asked["order"] + asked["wording"]}) == 1
    assert len({examples for _, examples in asked["wording"]}) == 1


def test_without_the_wheel_the_recipe_says_so(monkeypatch):
    def missing():
        raise MissingDataError("not installed")

    monkeypatch.setattr(pretrained, "smollm2_folder", missing)
    with pytest.raises(MissingDataError, match="not installed"):
        prompting.load_asker()


def test_the_question_and_its_answer_are_cut_where_the_tokenizer_would_cut_them(smollm2_tokenizer):
    tokenizer = smollm2_tokenizer
    for task in TASKS.values():
        for wording in task.wordings:
            if not wording.chat:
                item = task.items()[0]
                answer = wording.says.get(item.answer, item.answer)
                start = prompt_ids(tokenizer, wording, [], item.question)
                whole = tokenizer.encode(f"{prompt_text(wording, [], item.question)} {answer}")
                assert whole == start + answer_ids(tokenizer, wording, answer)


def test_what_the_table_shows():
    table = load_result("prompting")
    points = confidence(table["rows"], ["task", "answers", "examples"], "accuracy")
    baselines = {row["task"]: row["accuracy"] for row in table["baselines"]}
    mean = {key: found["mean"] for key, found in points.items()}
    assert all(found["n"] == len(table["settings"]["seeds"]) for found in points.values())
    for name, fewer, more in (("past tense", 0, 1), ("addition", 1, 2)):
        assert points[name, "right", more]["low"] > mean[name, "right", fewer] + 0.1
    assert mean["past tense", "right", 16] > 0.9
    for k in table["settings"]["examples"]:
        assert (
            points["premises", "right", k]["low"] < 1 / 3 < points["premises", "right", k]["high"]
        )
        assert mean["French", "right", k] < 0.25
    assert points["French", "right", 16]["low"] > baselines["French"]
    assert mean["sentiment", "right", 1] > mean["sentiment", "right", 4] + 0.15


def test_what_the_spread_shows():
    rows = load_result("prompting")["spread"]
    shares = {
        differs: [
            r["accuracy"] for r in rows if (r["task"], r["differs"]) == ("sentiment", differs)
        ]
        for differs in ("examples", "order", "wording")
    }
    spread = {differs: max(found) - min(found) for differs, found in shares.items()}
    assert spread["examples"] > 0.3
    assert spread["examples"] > spread["order"] + 0.1
