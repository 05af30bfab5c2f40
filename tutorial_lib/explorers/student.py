"""What a student copies from its teacher: both fill the same gap, at any temperature."""

import torch

from tutorial_lib.errors import VocabularyError
from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.explorers.gaps import fillings

COOLEST, HOTTEST = 0.5, 8.0


class StudentExplorer(AskingExplorer):
    """A text with a gap; the teacher's probabilities for it, and beside them those of a student.

    teacher: a BERT with a head for masked tokens; students: {name: model}, such models with the
    teacher's vocabulary; tokenizer: by default `teacher.tokenizer`. A gap is a typed [MASK] or a
    token that was clicked. `divergence` is KL(teacher ‖ student) in nats at the temperature shown,
    None without a gap. The text is cut at 500 characters.
    Raises VocabularyError for a student that reads other tokens, ValueError without a student.

    >>> from tutorial_lib.models import BERTConfig
    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> sizes = {"context": 9, "d_model": 4, "n_layers": 1, "n_heads": 1, "vocab_size": 8}
    >>> teacher = BERTConfig(**sizes, mlm=True).build()
    >>> explorer = StudentExplorer(
    ...     teacher, {"the same": teacher}, "so [MASK]", WordPieceTokenizer(words)
    ... )
    >>> explorer, round(explorer.divergence, 6)
    (Student explorer: run this cell, 0.0)
    """

    title = "Student explorer"
    _esm = javascript("asking.js", "student.js")
    _css = stylesheet("asking.css", "fill_mask.css", "student.css")

    def __init__(self, teacher, students, text, tokenizer=None, n=8):
        if not students:
            raise ValueError("StudentExplorer needs at least one student")
        for name, student in students.items():
            ours, theirs = student.config.vocab_size, teacher.config.vocab_size
            if ours != theirs:
                raise VocabularyError(
                    f"{name!r} reads {ours:,} tokens, its teacher {theirs:,}: their answers cannot "
                    "be compared"
                )
        self.teacher, self.students, self.n = teacher, dict(students), n
        self.tokenizer = teacher.tokenizer if tokenizer is None else tokenizer
        self.divergence = None
        first = next(iter(self.students))
        super().__init__(text, hidden=[], place=-1, temperature=1.0, student=first)

    def describe(self):
        """Say in words what the explorer shows now."""
        rows = self.reply.get("rows", ())[:3]
        said = ", ".join(f"“{token}” {ours:.2f} and {theirs:.2f}" for token, ours, theirs in rows)
        return (
            f"teacher and student {self.request['student']!r} fill the gap in "
            f"{excerpt(self.text)}: {said or 'there is no gap'}."
        )

    def answer(self, text, hidden, place, temperature, student):
        """Fill the gap at `place`, or the first one, by both models."""
        temperature = min(max(float(temperature), COOLEST), HOTTEST)
        if student not in self.students:
            student = next(iter(self.students))
        asked = {"n": 1, "hidden": [int(i) for i in hidden]}
        found = fillings(self.teacher, self.tokenizer, text, **asked)
        if place in found.places[1:]:
            asked["which"] = found.places.index(place)
            found = fillings(self.teacher, self.tokenizer, text, **asked)
        rows, self.divergence = [], None
        if found.places:
            models = self.teacher, self.students[student]
            ours, theirs = (self._at(model, found, temperature) for model in models)
            self.divergence = (ours.exp() * (ours - theirs)).sum().item()
            top = ours.argsort(descending=True)[: self.n].tolist()
            rows = [
                [self.tokenizer.vocab[i], ours[i].exp().item(), theirs[i].exp().item()] for i in top
            ]
        return {
            "tokens": found.tokens,
            "places": found.places,
            "place": -1 if found.place is None else found.place,
            "hidden": [i for i in asked["hidden"] if i in found.places],
            "rows": rows,
            "divergence": self.divergence,
            "temperature": temperature,
            "student": student,
            "students": list(self.students),
            "cut": found.cut,
        }

    @torch.no_grad()
    def _at(self, model, found, temperature):
        """Return log-probabilities (V,) of a model at the gap that is shown."""
        ids = [self.tokenizer.vocab.index(token) for token in found.tokens]
        hidden = model(torch.tensor([ids]))[0, found.place]  # (D,)
        return (model.mlm_logits(hidden) / temperature).log_softmax(-1)
