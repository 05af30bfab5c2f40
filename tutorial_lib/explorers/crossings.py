"""Where a translator looks when the order of the words turns round, and what decides its words.

Chapter 04's questions to a `recipes.translator.Translator`: the units of numbers below
1,000, the century of years.
"""

import datetime
from dataclasses import dataclass

import torch

from tutorial_lib.datasets import date_in_words, number_in_words
from tutorial_lib.decoding import exact_match
from tutorial_lib.explorers.translation_steps import Translation, translate_steps
from tutorial_lib.interpret import Reweigh, Zero, intervene

UNITS, TENS = (2, 3, 4, 5, 7, 9), (20, 30, 40, 50, 70, 80, 90)  # one token each, in both languages


def crossing_numbers(values):
    """Return the values below 1,000 whose tens and unit change their order in German.

    Left out are units and tens whose words are several tokens or are written in two ways (1, 6, 8,
    60), and numbers such as 44, whose *vier* and *vierzig* begin alike.

    >>> crossing_numbers([742, 744, 701, 740, 12_742])
    [742]
    """
    return [
        n
        for n in values
        if n < 1_000 and n % 10 in UNITS and n % 100 - n % 10 in TENS and n % 100 % 11 != 0
    ]


@dataclass(frozen=True, eq=False)
class Crossing:
    """A number's translation, the row where its unit is written, two columns of the source."""

    steps: Translation
    row: int
    unit: int
    tens: int


def crossing(translator, n):
    """Return the Crossing of a number of `crossing_numbers`, in German.

    >>> from tutorial_lib.recipes.translator import Translator
    >>> found = crossing(Translator.load("de"), 742)
    >>> found.row, found.steps.source[found.unit], found.steps.source[found.tens]
    (2, '·two', '·forty')
    """
    steps = translate_steps(translator, str(n))
    source = [token.strip("·") for token in steps.source]
    tens = source.index(number_in_words(n % 100 - n % 10))
    return Crossing(steps, _rows_of_the_unit(steps, n)[0], len(source) - 1, tens)


def _rows_of_the_unit(steps, n):
    """The rows that write the unit's word as one token, with *und* after it: one, or none."""
    german, written = number_in_words(n % 10, "de"), steps.written
    return [
        t
        for t in range(len(written) - 1)
        if written[t] == german and written[t + 1].startswith("und")
    ]


def written_as_usual(translator, values):
    """Return the numbers of `crossing_numbers` that are right, with the unit as one token.

    >>> from tutorial_lib.recipes.translator import Translator
    >>> written_as_usual(Translator.load("de"), [742, 953])
    [742, 953]
    """
    _, wrong = right_without(translator, values, [])
    right = [n for n in values if n not in wrong]
    return [n for n in right if _rows_of_the_unit(translate_steps(translator, str(n)), n)]


def weight_on_the_unit(translator, values):
    """Return the mean weight (L, H) on the source's unit while the unit is written."""
    found = [crossing(translator, n) for n in values]
    return torch.stack([c.steps.cross[:, :, c.row, c.unit] for c in found]).mean(dim=0)


def all_heads(model, *layers):
    """Return (layer, head) of every head in these layers of a decoder."""
    return [(layer, head) for layer in layers for head in range(model.config.n_heads)]


def right_without(translator, values, heads):
    """Translate numbers to German with these (layer, head) of the cross-attention silent.

    Returns the share that is right, from 0 to 1, and the wrong ones as {number: what was written}.
    """
    with intervene(translator.model, *(Zero(*at, where="cross") for at in heads)):
        outputs = translator.translate_all([str(n) for n in values])
    wanted = [number_in_words(n, "de") for n in values]
    wrong = {
        n: output
        for n, output, right in zip(values, outputs, wanted, strict=True)
        if output != right
    }
    return exact_match(outputs, wanted), wrong


def written_when_led(translator, values, heads, lead_head, where):
    """Count what is written in the unit's row when these heads are led there, and only there.

    lead_head(weights, head, row, column) is exercise 4.12; where is "tens" (they look at the tens)
    or None (they look nowhere: silent). What comes before is the right beginning. Returns
    {"unit": ..., "tens": ..., "other": ...}: the right unit, the beginning of the word for the
    tens, or something else.
    """
    counts = {"unit": 0, "tens": 0, "other": 0}
    for n in values:
        at = crossing(translator, n)
        column = getattr(at, where) if where else None
        token = _written(translator, str(n), at.steps, at.row, column, heads, lead_head)
        tens = number_in_words(n % 100 - n % 10, "de")
        unit = "unit" if token == number_in_words(n % 10, "de") else "other"
        counts["tens" if token and tens.startswith(token) else unit] += 1
    return counts


def _written(translator, text, steps, row, column, heads, lead_head):
    """The token written in a row of a known translation when these heads are led there."""

    def change(weights, head):
        return lead_head(weights, head, row, column)

    ids, mask = translator.source([text])
    led = [Reweigh(*at, where="cross", change=change) for at in heads]
    with torch.no_grad(), intervene(translator.model, *led):
        logits = translator.model(ids, torch.tensor([steps.ids[:-1]]), mask)  # (1, T, V)
    return translator.tokenizer.decode([logits[0, row].argmax().item()]).strip()


def every_other_day(year):
    """Return the dates of a year in words, from January 1 on, every second day: {English: French}.

    >>> dates = every_other_day(1819)
    >>> len(dates), dates["Friday, January first, eighteen nineteen"]
    (183, 'vendredi premier janvier mille huit cent dix-neuf')
    """
    first = datetime.date(year, 1, 1)
    days = [first + datetime.timedelta(days=n) for n in range(0, 365, 2)]
    return {date_in_words(day, "en"): date_in_words(day, "fr") for day in days}


def mistranslated(translator, wanted):
    """Translate the keys of {source: right translation}; return the wrong ones {source: written}.

    >>> from tutorial_lib.recipes.translator import Translator
    >>> mistranslated(Translator.load("de"), {"seven": "sieben", "eight": "neun"})
    {'eight': 'acht'}
    """
    written = translator.translate_all(list(wanted))
    pairs = zip(wanted.items(), written, strict=True)
    return {source: output for (source, right), output in pairs if output != right}


def look_at_the_century(translator, text):
    """Return layer 1's mean weights on the last two words of the source, while a French year's
    century is written: (2,)."""
    steps, row = _century(translator, text)
    return steps.cross[1, :, row, -2:].mean(dim=0)


def century_when_led_to(translator, text, column, lead_head):
    """Return the century's token when all heads of layer 1 look at this column of the source.

    column counts from the end: -2 is the first half of a year such as *eighteen nineteen*.
    lead_head(weights, head, row, column) is exercise 4.12.
    """
    steps, row = _century(translator, text)
    position = len(steps.source) + column
    heads = all_heads(translator.model, 1)
    return _written(translator, text, steps, row, position, heads, lead_head)


def _century(translator, text):
    steps = translate_steps(translator, text)
    return steps, [token.strip("·") for token in steps.written].index("mille") + 1
