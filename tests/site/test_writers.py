"""A text grows on a page as in a notebook: the same scores, the same cuts, the same tokens."""

import base64
import itertools
import re

import numpy as np
import pytest
import torch
from alike import close
from explorer_page import plain

from tutorial_lib import explorers
from tutorial_lib.decoding import sampling
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.shakespeare_gpt import decode, encode

PROMPTS = [
    "HAMLET:\nTo ",
    "",
    "\n",
    "a",
    "So \U0001f642 שלום é <script>\ud800\x07 more",
    "\U0001f642",
    "word " * 300,  # more than is read, and than the model sees
]


@pytest.fixture(scope="module")
def gpt():
    return load_checkpoint("shakespeare-gpt").eval()


NUMBERS = itertools.count(1)


def write(tokens=1):
    """A page's request for a token. Of more, as many come as there is time for."""
    return {"request": {"action": "write", "tokens": tokens, "number": next(NUMBERS)}}


def logits(answer):
    """The scores that an answer shows, highest first."""
    return np.frombuffer(base64.b64decode(answer["logits"]["__bytes__"]), np.float32)


def same_choice(one, other):
    """Whether two choices are equal, their scores nearly."""
    if not one or not other:
        return one == other
    rest = [{k: v for k, v in side.items() if k != "logits"} for side in (one, other)]
    return close(*rest) and np.abs(logits(one) - logits(other)).max() < 1e-4


def compared(pairs):
    """Each answer of Python and of the page, made alike: all that was written, without times."""
    so_far, shown = [], {"error": "", "chosen": {}}
    for python, javascript in pairs:
        shown |= python  # what stays as it was is not sent
        if "answer" in python:
            one, other = python["answer"], javascript["answer"]
            so_far = [*so_far[: one.pop("from", 0)], *one["written"]]
            one["written"] = so_far
            for side in (one, other):
                side["written"] = [[*token[:4], token[5]] for token in side["written"]]
                side.pop("prompt_ms")
            assert other.pop("timed") == "in this browser"
            # Python knows the characters' names.
            one["unknown"] = [re.sub(r"(U\+\w+) .*\)$", r"\1)", sign) for sign in one["unknown"]]
            assert same_choice(one.pop("next"), other.pop("next"))
            assert close(one, other)
            so_far = [[*token[:4], 0, token[4]] for token in one["written"]]
        if "chosen" in javascript:
            assert shown["error"] == javascript["error"] == ""
            assert same_choice(shown["chosen"], javascript["chosen"])
    return [pair[1]["answer"]["written"] for pair in pairs if "answer" in pair[1]]


def test_the_likeliest_tokens_are_written_alike(both_tell, networks, gpt):
    messages = [m for p in PROMPTS for m in ({"prompt": p}, write(), write(), {"selected": 0})]
    messages += [
        {"prompt": "To be"},
        *[write() for _ in range(4)],
        {"cached": False},
        write(),
        write(),
        {"selected": 2},
        {"selected": 99},
        {"cached": True},
        {"request": {"action": "tell all"}},
        write(),
        {"request": {"action": "reset", "number": 7}},
        write(-3),
    ]
    widget = explorers.GenerationExplorer(gpt, encode, decode, temperature=0)
    written = compared(both_tell("generation", widget, messages, networks))
    assert len(written[-1]) == 1


def test_a_text_is_drawn_by_the_same_rules(both_tell, networks, gpt, monkeypatch):
    """PyTorch draws in a way of its own; given the page's way, it draws the same tokens."""

    def by_a_number(logits, generator):
        shares = logits.double().softmax(-1).cumsum(-1)  # (1, V)
        return torch.searchsorted(shares, torch.rand(1, 1, generator=generator).double())[:, 0]

    monkeypatch.setattr(sampling, "sample", by_a_number)
    settings = [(1, 0, 1), (0.7, 0, 1), (1.3, 5, 1), (2, 0, 0.6), (0.9, 40, 0.9), (1e-30, 3, 0.5),
                (5, -1, 0), (1.5, 1, 1), (1.7, 9999, 0.01)]  # fmt: skip
    messages = []
    for seed, (temperature, k, p) in enumerate(settings):
        messages.append({"temperature": temperature, "top_k": k, "top_p": p})
        messages += [{"seed": seed * 2**30 - 1}, *[write() for _ in range(9)]]
    widget = explorers.GenerationExplorer(gpt, encode, decode, "HAMLET:\n", stop=[0])
    written = compared(both_tell("generation", widget, messages, networks))
    assert len({token[0] for text in written for token in text}) > 15


def halves(packed):
    """Numbers in half precision."""
    return np.frombuffer(base64.b64decode(packed["__bytes__"]), np.float16).astype(float)


def test_each_layer_says_the_same_on_a_page(both_tell, networks, gpt):
    texts = ["To be, or not", "", "a", "HAMLET:\nWhat a piece of work is a man", "é 🙂"]
    widget = explorers.LogitLensExplorer(gpt, encode, decode, "To be")
    messages = [{"follow": 3}, {"follow": 999}, {"follow": -1}]
    for number, text in enumerate(texts, 1):
        messages += [{"request": {"number": number, "text": text}}, {"follow": number}]
    shown = plain({"reply": widget.reply, "followed": {}})
    for python, javascript in both_tell("logit_lens", widget, messages, networks):
        shown |= python
        for name in ("reply", "followed"):
            one, other = dict(shown[name]), dict(javascript.get(name, {}))
            if name not in javascript:
                continue
            if "error" in one:
                assert one["error"].split(":")[0] == other["error"].split(":")[0]
                continue
            if "shares" in one:
                assert np.allclose(
                    halves(one.pop("shares")), halves(other.pop("shares")), atol=1e-3
                )
            assert one == other
