"""A game: which words of a line were replaced? You mark, then a detective marks."""

from typing import NamedTuple

from tutorial_lib.errors import VocabularyError
from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.explorers.forgery import forge

LEAST, MOST = 0.05, 0.5  # the share of words that can be asked for


class Score(NamedTuple):
    """What was found so far: lines judged, words replaced in them, and found by each."""

    lines: int = 0
    replaced: int = 0
    yours: int = 0
    theirs: int = 0


class ReplacedExplorer(AskingExplorer):
    """Lines in which a forger replaced words: mark them, judge, and compare with a detective.

    discriminator is an ELECTRA with a head for replaced tokens, generator a model with one for
    masked tokens, passages the lines that are played; a text of one's own can be typed. The page
    says how many words were replaced, and both mark so many, the detective those that it suspects
    most. tokenizer: by default `discriminator.tokenizer`. `forgery` is the Forgery shown now,
    `score` the Score of all lines that were judged. The text is cut at 500 characters.
    Raises ValueError without a line, VocabularyError unless both models read the tokens of the
    tokenizer.

    >>> from tutorial_lib.models import BERTConfig, ELECTRAConfig
    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> sizes = {"context": 9, "d_model": 4, "n_layers": 1, "n_heads": 1, "vocab_size": 8}
    >>> detective = ELECTRAConfig(**sizes, replaced=True).build()
    >>> models = detective, BERTConfig(**sizes, mlm=True).build()
    >>> ReplacedExplorer(*models, ["so it is"], WordPieceTokenizer(words))
    Forgery explorer: run this cell
    """

    title = "Forgery explorer"
    _esm = javascript("asking.js", "replaced.js")
    _css = stylesheet("asking.css", "replaced.css")

    def __init__(self, discriminator, generator, passages, tokenizer=None, share=0.15, seed=0):
        if not passages:
            raise ValueError("ReplacedExplorer needs at least one line to play with")
        self.discriminator, self.generator = discriminator, generator
        self.tokenizer = discriminator.tokenizer if tokenizer is None else tokenizer
        for name, model in (("discriminator", discriminator), ("generator", generator)):
            size = model.config.vocab_size
            if size != self.tokenizer.vocab_size:
                raise VocabularyError(
                    f"the {name} reads {size:,} tokens, the tokenizer has "
                    f"{self.tokenizer.vocab_size:,}"
                )
        self.passages = list(passages)
        self.forgery = None
        self.score = Score()
        self._judged = set()
        self._forged = None
        super().__init__(self.passages[0], share=share, round=seed, marked=[], judged=False)

    def describe(self):
        """Say in words what the explorer shows now."""
        shown = " ".join(self.forgery.shown) if self.forgery else ""
        return f"{excerpt(shown)}: some of its words were replaced, and are to be found."

    def answer(self, text, share, round, marked, judged):
        """Show a line to mark, or what was replaced in it and who found what.

        Where the text is that of a passage, round decides which draw is shown; the next line is
        asked for with its text.
        """
        share, round = min(max(float(share), LEAST), MOST), int(round)
        key = (text, share, round)
        if self._forged != key:
            asked = {"share": share, "seed": round % 2**31}
            self.forgery = forge(self.discriminator, self.generator, self.tokenizer, text, **asked)
            self._forged = key
        found = self.forgery
        n = sum(found.replaced)
        marked = [int(i) for i in marked if 0 <= int(i) < len(found.shown)]
        marked = list(dict.fromkeys(marked))[-n:] if n else []  # the last n that were clicked
        by_suspicion = sorted(range(len(found.shown)), key=lambda i: -found.suspicion[i])
        theirs = sorted(by_suspicion[:n])
        if judged and key not in self._judged and any(found.replaced):
            self._judged.add(key)
            self.score = _added(self.score, found.replaced, marked, theirs)
        reply = {
            "words": found.shown,
            "marked": marked,
            "replaced": n,
            "judged": bool(judged),
            "passages": self.passages,
            "cut": found.cut,
            "score": self.score._asdict(),
        }
        if judged:  # before that the page is told no answers
            reply["truth"] = [
                [old if changed else None, p]
                for old, changed, p in zip(
                    found.written, found.replaced, found.suspicion, strict=True
                )
            ]
            reply["theirs"] = theirs
        return reply


def _added(score, replaced, yours, theirs):
    """Return a Score with one line more."""
    truth = {i for i, changed in enumerate(replaced) if changed}
    return Score(
        score.lines + 1,
        score.replaced + len(truth),
        score.yours + len(truth & set(yours)),
        score.theirs + len(truth & set(theirs)),
    )
