"""A VisualBERT with eyes: a small CNN makes vectors of its regions, a list of words its ids."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models.checks import check_tensor, check_whole_number
from tutorial_lib.models.visual_bert import VisualBERT, VisualBERTConfig, join_boxes

PAD, CLS, SEP, MASK = range(4)
SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")


@dataclass(frozen=True)
class SceneReaderConfig(VisualBERTConfig):
    """The sizes of a SceneReader: those of a VisualBERT, and what it knows of words and objects.

    words and answers: separated by spaces; the special words come first. n_objects: the kinds that
    its eyes were trained to tell apart. A region has d_features numbers from the eyes and the four
    of its box.
    Raises as VisualBERTConfig does, VocabularyError where the words do not begin with `SPECIAL`.

    >>> SceneReaderConfig.of("a cat dog".split(), ["yes", "no"], d_model=8, n_heads=2).vocab_size
    7
    """

    words: str = " ".join(SPECIAL)
    answers: str = "yes no"
    n_objects: int = 60
    d_features: int = 32

    def __post_init__(self):
        super().__post_init__()
        check_whole_number("n_objects", self.n_objects)
        check_whole_number("d_features", self.d_features)
        check_words(self.words)

    @classmethod
    def of(cls, words, answers, **sizes):
        """Return the config for lists of words, without the special ones, and of answers."""
        words = [*SPECIAL, *words]
        d_features = sizes.setdefault("d_features", 32)
        counted = {"vocab_size": len(words), "n_answers": len(answers), "d_region": d_features + 4}
        heads = {"pooler": True, "mlm": True, "match": True}
        texts = {"words": " ".join(words), "answers": " ".join(answers)}
        return cls(**({"context": 24} | sizes | counted | heads | texts))

    def build(self):
        """Return a SceneReader of these sizes with random weights."""
        return SceneReader(self)


def check_words(words):
    """Raise VocabularyError unless words, separated by spaces, begin with `SPECIAL`."""
    if tuple(words.split()[: len(SPECIAL)]) != SPECIAL:
        raise VocabularyError(f"the words must begin with {' '.join(SPECIAL)}")


class Eyes(nn.Module):
    """A small CNN: crops (N, 3, 32, 32) -> vectors (N, F), and from these what is on the crop.

    >>> Eyes(n_objects=5, d_features=8).eval()(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 8])
    """

    def __init__(self, n_objects, d_features):
        super().__init__()
        layers, width = [], 3
        for wider in (16, 32, 32):  # maps of 16, 8 and 4 positions a side
            convolution = nn.Conv2d(width, wider, 3, stride=2, padding=1, bias=False)
            layers += [convolution, nn.BatchNorm2d(wider), nn.ReLU()]
            width = wider
        features = nn.Linear(16 * width, d_features)
        norm = nn.LayerNorm(d_features, elementwise_affine=False)
        self.layers = nn.Sequential(*layers, nn.Flatten(), features, norm)
        self.classifier = nn.Linear(d_features, n_objects)

    def forward(self, crops):
        """Return the vectors: the classifier is cut off."""
        return self.layers(crops)

    def object_logits(self, crops):
        """Return what is on each crop, (N, objects)."""
        return self.classifier(self(crops))


class SceneReader(VisualBERT):
    """A VisualBERT that sees crops of a scene and reads its caption or a question.

    Called as a VisualBERT; `see` makes its regions, `encode` its ids.

    >>> config = SceneReaderConfig.of(["a", "cat", "dog"], ["yes", "no"], d_model=8, n_heads=2)
    >>> reader = config.build().eval()
    >>> regions = reader.see(torch.ones(1, 2, 3, 32, 32), torch.tensor([[[0, 0, 1.0, 1.0]] * 2]))
    >>> reader(reader.encode(["a cat"]), regions).shape
    torch.Size([1, 6, 8])
    """

    config_class: ClassVar = SceneReaderConfig

    def __init__(self, config):
        super().__init__(config)
        self.eyes = Eyes(config.n_objects, config.d_features)
        self.words, self.answers = config.words.split(), config.answers.split()
        self._ids = {word: token_id for token_id, word in enumerate(self.words)}

    def see(self, crops, boxes):
        """Return the regions (B, R, F + 4) of crops (B, R, 3, 32, 32) and their boxes (B, R, 4)."""
        check_tensor("crops", crops)
        if crops.dim() != 5 or crops.shape[2:] != (3, 32, 32):
            raise ShapeError(f"crops must have shape (B, R, 3, 32, 32), got {tuple(crops.shape)}")
        features = torch.cat([self.eyes(some) for some in crops.flatten(0, 1).split(500)])
        return join_boxes(features.view(*crops.shape[:2], -1), boxes)

    def encode(self, texts):
        """Return the ids (B, T) of texts, words between spaces, with [CLS], [SEP] and padding.

        Raises VocabularyError without a text, for one without words, or with one that is not known.
        """
        rows = [self._row(text) for text in texts]
        if not rows:
            raise VocabularyError("encode needs at least one text")
        longest = max(map(len, rows))
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])

    def _row(self, text):
        words = text.split()
        if not words:
            raise VocabularyError("a text needs at least one word")
        unknown = [word for word in words if word not in self._ids]
        if unknown:
            raise VocabularyError(
                f"this reader knows {len(self.words)} words, {unknown[0][:30]!r} is not among them"
            )
        return [CLS, *(self._ids[word] for word in words), SEP]
