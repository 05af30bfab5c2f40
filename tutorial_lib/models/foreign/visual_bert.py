"""How the files of others describe a VisualBERT: a BERT's names, and those of its regions."""

from dataclasses import dataclass

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.bert import (
    BODY,
    BUFFERS,
    OLD_SPELLINGS,
    PLAIN_ENCODER,
    Foreign,
    sizes,
    weights_and_biases,
)


@dataclass(frozen=True)
class _WithAnswers(Foreign):
    """As Foreign; a layer that goes by the name "cls" gives answers."""

    def heads_in(self, tensors, architectures):
        """Return the fields that ask for the parts of a file, n_answers among them.

        Raises DamagedFileError for a file whose answers are read from a word, not from [CLS].
        """
        parts = super().heads_in(tensors, architectures)
        if "cls.bias" in tensors:
            if "VisualBertForQuestionAnswering" in architectures:
                raise DamagedFileError(
                    "VisualBertForQuestionAnswering reads its answer from a word, a VisualBERT of "
                    "this course from [CLS], as VisualBertForVisualReasoning does"
                )
            parts["n_answers"] = tensors["cls.bias"].numel()
        return parts


FOREIGN = _WithAnswers(
    "VisualBERT",
    ForeignNames(
        table=BODY
        | {
            "visual_segment_embedding.weight": "embeddings.visual_token_type_embeddings.weight",
            "visual_position_embedding.weight": "embeddings.visual_position_embeddings.weight",
            "mlm_head.bias": "cls.predictions.bias",
        }
        | weights_and_biases(
            {
                "visual_projection": "embeddings.visual_projection",
                "mlm_head.transform": "cls.predictions.transform.dense",
                "mlm_head.norm": "cls.predictions.transform.LayerNorm",
                "match_head": "cls.seq_relationship",
                "answer_head": "cls",
            }
        ),
        prefixes=("visual_bert.",),
        replaced=OLD_SPELLINGS,
        ignored=BUFFERS,
        tied={
            "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        },
    ),
    {"model_type": "visual_bert", "bypass_transformer": False} | PLAIN_ENCODER,
    lambda raw: sizes(raw) | {"d_region": raw.get("visual_embedding_dim", 512)},
    heads={"pooler": "pooler.", "mlm": "cls.predictions.", "match": "cls.seq_relationship."},
)
