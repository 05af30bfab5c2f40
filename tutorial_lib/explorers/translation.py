"""Type a number or a date: the translation token by token, where it looked, and the beam."""

import numpy as np
import torch
import traitlets

from tutorial_lib.explorers.base import BrowserExplorer, excerpt, javascript, stylesheet
from tutorial_lib.explorers.english_words import is_number_or_date
from tutorial_lib.explorers.packing import make_panel
from tutorial_lib.explorers.translation_steps import search_steps, translate_steps
from tutorial_lib.figures.chapter04_transformer.beams import token_label, tree_candidates
from tutorial_lib.tokenizers.vocabulary import without_half_pairs

LIMIT = 200  # characters; the longest date in words has about 70
MOST_BEAMS = 6
MOST_ALPHA = 2.0
N_BEST = 6  # next tokens shown with their probabilities
HELP = (
    "Type a number from 0 to 999,999 or a date of 1800 to 2099, in words or as 742 or 1984-03-21."
)
UNSEEN = "These words make no number or date the model was trained on: it may write anything."


class TranslationExplorer(BrowserExplorer):
    """A translation to step through: tokens, cross-attention, next-token probabilities, beam.

    translators: one `recipes.translator.Translator`, or a dict of language -> Translator.
    text: what is translated, an English number or date in words or figures; cut at 200
    characters. language: a key of translators, the first when left out. step: the written token
    that is looked at; layer and head: whose weights, head -1 being the mean of the layer's
    heads; beams and alpha: width and length penalty of the beam. All of these can be set later.
    tree: whether the beam search is unfolded at the start; the reader can open it at any time.
    What is outside the task leaves the last translation and a message in `error`; words of the
    task that make no number or date are translated with a note.
    Raises ValueError without a translator or for a language that there is none for.

    >>> from tutorial_lib.recipes.translator import Translator
    >>> explorer = TranslationExplorer({"German": Translator.load("de")}, text="42")
    >>> explorer.translation["text"]
    'zweiundvierzig'
    """

    title = "Translation explorer"
    _esm = javascript(
        "attention_matrix.js", "translation_view.js", "translation_tree.js", "translation.js"
    )
    _css = stylesheet("attention.css", "translation.css")

    languages = traitlets.List(traitlets.Unicode()).tag(sync=True, told=True)
    limit = traitlets.Int(LIMIT).tag(sync=True, told=True)
    most = traitlets.Dict({"beams": MOST_BEAMS, "alpha": MOST_ALPHA}).tag(sync=True, told=True)

    text = traitlets.Unicode("").tag(sync=True)
    language = traitlets.Unicode("").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(-1).tag(sync=True)
    beams = traitlets.Int(4).tag(sync=True)
    alpha = traitlets.Float(0.6).tag(sync=True)
    tree = traitlets.Bool(True).tag(sync=True)

    translation = traitlets.Dict().tag(sync=True, told=True)
    search = traitlets.Dict().tag(sync=True, told=True)
    error = traitlets.Unicode("").tag(sync=True, told=True)

    def __init__(
        self,
        translators,
        text="742",
        language=None,
        step=0,
        layer=None,
        head=-1,
        beams=4,
        alpha=0.6,
        tree=True,
    ):
        if not translators:
            raise ValueError("TranslationExplorer needs at least one translator, got none")
        self.translators = dict(translators) if isinstance(translators, dict) else {"": translators}
        language = next(iter(self.translators)) if language is None else language
        if language not in self.translators:
            known = ", ".join(self.translators)
            raise ValueError(f"there is no translator for {language!r}, only for {known}")
        self._spoken = language
        super().__init__(languages=list(self.translators), language=language, tree=tree)
        self.set_trait("text", text)
        self.beams, self.alpha = beams, alpha
        self._translate()
        self.observe(self._translate, names=["text", "language"])
        self.observe(self._search, names=["beams", "alpha"])
        self.step, self.head = step, head
        self.layer = 10**6 if layer is None else layer  # pulled inside: the last one

    def describe(self):
        """Say in words what the explorer shows now."""
        written = self.translation.get("text", "")
        searched = f" and the tree of a beam search of width {self.beams}" if self.tree else ""
        return (
            f"{excerpt(self.text)} becomes {excerpt(written)}; the written tokens, "
            f"the weights of the cross-attention, the likeliest next tokens{searched}."
        )

    def _translate(self, _change=None):
        """Translate the text anew, or say why that is not possible."""
        translator = self.translators[self.language]
        try:
            steps = translate_steps(translator, self.text)
            panel = make_panel(steps.cross, steps.written, steps.source).packed(LIMIT)
        except Exception as error:  # a widget's log would hide it from the learner
            self.error = f"{error}. {HELP}"
            return
        self.translation = {
            "read_as": steps.read_as,
            "note": "" if is_number_or_date(steps.read_as) else UNSEEN,
            "text": steps.text,
            "endings": _endings(translator, steps.ids),
            "map": panel,
            "best": _best(translator.tokenizer, steps.probabilities),
        }
        self.error = ""
        self.step = 0
        self._pull_inside()
        self._search()

    def _search(self, _change=None):
        translator = self.translators[self.language]
        try:
            found = search_steps(translator, self.text, self.beams, self.alpha)
        except Exception as error:
            self.error = f"{error}. {HELP}"
            return
        candidates = tree_candidates(found, translator.tokenizer)
        self.search = {
            "candidates": [
                {
                    "step": c.step,
                    "rank": c.rank,
                    "token": c.token,
                    "text": c.text,
                    "log_p": c.log_probability,
                    "score": c.score,
                    "parent": -1 if c.parent is None else c.parent,
                    "state": c.state,
                    "wins": c.wins,
                }
                for c in candidates
            ],
            "ends": found.ends,
            "beams": self.beams,
            "alpha": self.alpha,
        }

    def _pull_inside(self):
        for name in ("step", "layer", "head"):
            self.set_trait(name, getattr(self, name))  # validated against the map now shown

    @traitlets.validate("step", "layer", "head")
    def _inside(self, proposal):
        if not self.translation:
            return proposal.value
        layers, heads, steps, _ = self.translation["map"]["shape"]
        count = {"step": steps, "layer": layers, "head": heads}[proposal.trait.name]
        lowest = -1 if proposal.trait.name == "head" else 0
        return min(max(proposal.value, lowest), count - 1)

    @traitlets.validate("beams", "alpha")
    def _in_range(self, proposal):
        lowest, value = {"beams": 1, "alpha": 0.0}[proposal.trait.name], proposal.value
        value = value if abs(value) < np.inf else lowest
        return min(max(value, lowest), self.most[proposal.trait.name])

    @traitlets.validate("text")
    def _short(self, proposal):
        return without_half_pairs(proposal.value[:LIMIT])

    @traitlets.validate("language")
    def _known(self, proposal):
        # Not self.language: while a message is taken in, it holds what is to be validated.
        if proposal.value in self.translators:
            self._spoken = proposal.value
        return self._spoken


def _endings(translator, ids):
    """What is written after each step: the text grows by pieces that may be parts of a letter."""
    marks = (translator.start, translator.end)
    written = [i for i in ids[1:] if i not in marks]
    decode = translator.tokenizer.decode
    return [decode(written[: n + 1]).rstrip("\ufffd") for n in range(len(ids) - 1)]


def _best(tokenizer, probabilities):
    """The N_BEST next tokens of each step, most probable first, as [label, probability]."""
    values, places = torch.topk(probabilities, min(N_BEST, probabilities.size(-1)))  # (T, N)
    return [
        [[token_label(tokenizer, i), p] for i, p in zip(*pair, strict=True)]
        for pair in zip(places.tolist(), values.tolist(), strict=True)
    ]
