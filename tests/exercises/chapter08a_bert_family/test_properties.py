"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import property_checks
import pytest
import torch
from torch import nn


def passes(
    hide=True,
    labels="chosen",
    ignored=-100,
    fewer=0,
    piled=False,
    hidden=None,
    once=False,
    add=0,
):
    """A text for n passes, with a choice of slips."""

    def answer(ids, choose, mask_id, n):
        found, text, chosen = [], ids, choose() if once else None
        for _ in range(n - fewer):
            chosen = chosen if once else choose()
            where = chosen if hide else ~chosen
            inputs = text.masked_fill(where, mask_id if hidden is None else hidden)
            counted = {"chosen": chosen, "all": torch.ones_like(chosen), "others": ~chosen}[labels]
            found.append((inputs, torch.where(counted, ids + add, ignored)))
            text = inputs if piled else ids
        return found

    return answer


def positions(first=None, padding=None, all_count=False, step=1):
    """The positions, with a choice of slips."""

    def answer(ids, pad_id):
        found = []
        for row in ids.tolist():
            place, out = pad_id + 1 if first is None else first, []
            for token in row:
                if token == pad_id:
                    out.append(pad_id if padding is None else padding)
                    place += step if all_count else 0
                else:
                    out.append(place)
                    place += step
            found.append(out)
        return torch.tensor(found)

    return answer


def order(below=0.5, partner=1, turned=False, label=None, swap=True, strict=True):
    """Pairs in order or swapped, with a choice of slips."""

    def answer(documents, draws):
        found = []
        for d, s, coin in draws:
            stays = coin < below if strict else coin <= below
            stays = stays != turned
            pair = (documents[d][s], documents[d][s + partner])
            says = stays if label is None else label(stays)
            found.append((*(pair if stays or not swap else pair[::-1]), says))
        return found

    return answer


def shared(times=0, mask=True, several=1, registered=True, halved=False):
    """A body, with a choice of slips: times more steps, several layers of which one is used."""

    def answer(make_layer, n_layers):
        class Body(nn.Module):
            def __init__(self):
                super().__init__()
                layers = [make_layer() for _ in range(several)]
                self.layers = nn.ModuleList(layers) if registered else layers

            def forward(self, x, real):
                real = real if mask else torch.ones_like(real)
                for _ in range(n_layers + times):
                    x = self.layers[0](x, real)
                    x = x / 2 if halved else x
                return x

        return Body()

    return answer


def plain_function(make_layer, n_layers):
    layer = make_layer()

    def body(x, mask):
        for _ in range(n_layers):
            x = layer(x, mask)
        return x

    return body


SETS = {
    "8a.2": (
        passes(),
        {
            "hides the others": (
                passes(hide=False),
                ["A chosen token is not hidden: `mask_id`", "A token that was not chosen is not"],
            ),
            "labels everywhere": (
                passes(labels="all"),
                ["A token that is not hidden has a label"],
            ),
            "ignored 0": (passes(ignored=0), ["The label of a token that is not hidden is 0"]),
            "labels of the others": (
                passes(labels="others"),
                ["A hidden token has no label", "A token that is not hidden has a label"],
            ),
            "one pass too few": (passes(fewer=1), ["There must be n pairs, one a pass."]),
            "piled, ignored 0": (
                passes(piled=True, ignored=0),
                ["A later pass does not hide what", "The label of a token that is not hidden is 0"],
            ),
            "once, ignored 0": (
                passes(once=True, ignored=0),
                ["Each pass hides the same tokens", "The label of a token that is not hidden is 0"],
            ),
            "labels of another text": (
                passes(add=1),
                ["The label of a hidden token is not the one of the text."],
            ),
            "hidden by 1": (passes(hidden=1), ["A chosen token is not hidden: `mask_id`"]),
        },
    ),
    "8a.4": (
        positions(),
        {
            "from 0": (positions(first=0), ["The first real token gets 0, whatever"]),
            "padding 0": (positions(padding=0), ["The padding gets 0: compare"]),
            "padding 0, counted": (
                positions(padding=0, all_count=True),
                ["It counts the padding too", "The padding gets 0: compare"],
            ),
            "from 2, padding 1": (
                positions(first=2, padding=1),
                ["The first real token gets 2, whatever", "The padding gets 1, whatever"],
            ),
            "from 1, counted": (
                positions(first=1, all_count=True),
                ["It counts the padding too", "The first real token gets 1, whatever"],
            ),
        },
    ),
    "8a.5": (
        order(),
        {
            "coin turned": (order(turned=True), ["It reads the coin the wrong way round"]),
            "two on": (order(partner=2), ["The pair is made of sentences s and s + 2"]),
            "0.5 stays": (order(strict=False), ["With a coin of exactly 0.5 your pair stays"]),
            "two on, labels": (
                order(partner=2, label=lambda stays: not stays),
                ["The pair is made of sentences s and s + 2", "The labels are swapped"],
            ),
            "1 and 0": (order(label=int), ["The labels are 1 and 0"]),
            "all true": (order(label=lambda stays: True), ["Every label is True: a swapped"]),
            "twice the same": (order(partner=0), ["The pair is made of sentence s twice."]),
        },
    ),
    "8a.7": (
        shared(),
        {
            "one step more": (shared(times=1), ["With n_layers = 1 the number of steps is 2"]),
            "no mask": (shared(mask=False), ["The mask does not reach the layer"]),
            "two layers": (
                shared(several=2),
                ["With a layer of 12 parameters and n_layers = 4 the body has 24"],
            ),
            "two layers, one step more": (
                shared(several=2, times=1),
                ["With a layer of 12 parameters", "With n_layers = 1 the number of steps is 2"],
            ),
            "not registered, no mask": (
                shared(registered=False, mask=False),
                ["No parameters are found", "The mask does not reach the layer"],
            ),
            "halved": (shared(halved=True), ["It does not say what the layer says"]),
            "a function": (plain_function, ["This keeps the layer where the module does not"]),
        },
    ),
}

WRONG = {id: answers for id, (_, answers) in SETS.items()}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize("id", SETS)
def test_without_slips_an_answer_is_right(id):
    property_checks.assert_right(id, SETS[id][0])
