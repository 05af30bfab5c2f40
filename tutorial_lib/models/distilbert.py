"""DistilBERT: half of a BERT's layers, taught by the whole BERT (Sanh et al. 2019)."""

from dataclasses import dataclass
from typing import ClassVar

from tutorial_lib.errors import ShapeError
from tutorial_lib.models.bert import BERT, BERTConfig
from tutorial_lib.models.checks import check_ids, check_no_part, check_same_shape
from tutorial_lib.models.foreign.bert_family import DISTILBERT


@dataclass(frozen=True)
class DistilBERTConfig(BERTConfig):
    """The sizes of a DistilBERT: a BERTConfig with half the layers, no segments and no pooler.

    Raises as BERTConfig does, and ValueError for nsp or a pooler.

    >>> DistilBERTConfig().n_layers
    6
    """

    n_layers: int = 6
    n_segments: int = 1
    pooling: str = "mean"

    def __post_init__(self):
        super().__post_init__()
        check_no_part(self, "DistilBERT", "nsp", "its teacher's second task was dropped")
        check_no_part(self, "DistilBERT", "pooler", "the student has none")

    @classmethod
    def base(cls, **changes):
        """DistilBERT: 6 layers, 66 M parameters."""
        return cls(**({"mlm": True} | changes))

    def build(self):
        """Return a DistilBERT of these sizes with random weights."""
        return DistilBERT(self)


class DistilBERT(BERT):
    """A BERT with half the layers, without segment vectors and pooler.

    Called as a BERT; there is one segment, 0.

    >>> import torch
    >>> sizes = {"vocab_size": 9, "context": 8, "d_model": 4, "n_layers": 2, "n_heads": 2}
    >>> model = DistilBERT(DistilBERTConfig(**sizes))
    >>> model(torch.tensor([[1, 5, 2]])).shape, model.segment_embedding
    (torch.Size([1, 3, 4]), None)
    """

    config_class: ClassVar = DistilBERTConfig
    foreign: ClassVar = DISTILBERT

    def build_embeddings(self, config, width):
        """Make the tables of tokens and positions, and their norm."""
        super().build_embeddings(config, width)
        self.segment_embedding = None

    def embed(self, ids, segments=None):
        """Return what the first layer reads, (B, T, D): two vectors added and normalised."""
        check_ids("ids", ids, self.config.vocab_size)
        if segments is not None:
            check_ids("segments", segments, self.config.n_segments)
            check_same_shape("segments", segments, ids)
        x = self.token_embedding(ids) + self.position_vectors(ids)  # (B, T, D)
        return self.dropout(self.embedding_norm(x))

    @classmethod
    def from_teacher(cls, teacher, layers=None):
        """Return a student in training mode that starts with weights of a BERT, its teacher.

        layers: which of the teacher's layers it takes, in order; None: every second one, from the
        first (Sanh et al. 2019, section 3). A teacher's segments are gone: the vector of segment 0,
        which all tokens had, is added to those of the positions. The head for masked tokens comes
        along when the teacher has one.
        Raises TypeError when the teacher is no BERT, ShapeError for layers that it does not have.

        >>> from tutorial_lib.models import BERTConfig
        >>> teacher = BERTConfig(9, 8, d_model=4, n_layers=4, n_heads=2).build()
        >>> len(DistilBERT.from_teacher(teacher).blocks)
        2
        """
        if type(teacher) is not BERT:
            raise TypeError(f"a DistilBERT starts from a BERT, got {type(teacher).__name__}")
        n_layers = teacher.config.n_layers
        layers = list(range(0, n_layers, 2)) if layers is None else list(layers)
        if not layers or not all(0 <= layer < n_layers for layer in layers):
            raise ShapeError(
                f"layers must be some of 0 to {n_layers - 1}, the teacher's, got {layers}"
            )
        shared = ("vocab_size", "context", "d_model", "n_heads", "d_ff", "dropout", "eps")
        sizes = {name: getattr(teacher.config, name) for name in (*shared, "activation", "mlm")}
        student = cls(DistilBERTConfig(**sizes, n_layers=len(layers)))
        weights = teacher.state_dict()
        taken = {name: weights[name] for name in student.state_dict() if "blocks." not in name}
        first = weights["segment_embedding.weight"][0]
        taken["position_embedding.weight"] = weights["position_embedding.weight"] + first
        for place, layer in enumerate(layers):
            start = f"blocks.{layer}."
            taken |= {
                f"blocks.{place}.{name.removeprefix(start)}": tensor
                for name, tensor in weights.items()
                if name.startswith(start)
            }
        student.load_state_dict(taken)
        return student
