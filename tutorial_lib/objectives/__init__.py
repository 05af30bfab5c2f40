"""What a model is asked to learn: batches and losses for each kind of training."""

from tutorial_lib.objectives.distillation import (
    DistillationWeights,
    distillation_loss,
    soft_target_loss,
)
from tutorial_lib.objectives.languages import (
    TranslatedBatch,
    TranslatedPair,
    pack_translated,
    sampling_shares,
    tlm_pair,
)
from tutorial_lib.objectives.masking import (
    MaskedPatches,
    MaskedTokens,
    mask_patches,
    mask_tokens,
    masked_patch_loss,
    masked_token_loss,
    mean_colours,
    pretraining_loss,
)
from tutorial_lib.objectives.next_token import (
    IGNORED,
    NextTokenBatches,
    label_smoothing_loss,
    mean_next_token_loss,
    next_token_loss,
    shifted,
    translation_loss,
)
from tutorial_lib.objectives.pairs import (
    OrderedPair,
    SentencePair,
    order_pairs,
    pack_pairs,
    sentence_pairs,
)
from tutorial_lib.objectives.replaced import (
    ReplacedTokens,
    electra_loss,
    replace_tokens,
    replaced_token_loss,
)
from tutorial_lib.objectives.spans import (
    TAGS,
    SpanScores,
    answer_f1,
    best_span,
    entities,
    entity_f1,
    span_scores,
)

__all__ = [
    "IGNORED",
    "TAGS",
    "DistillationWeights",
    "MaskedPatches",
    "MaskedTokens",
    "NextTokenBatches",
    "OrderedPair",
    "ReplacedTokens",
    "SentencePair",
    "SpanScores",
    "TranslatedBatch",
    "TranslatedPair",
    "answer_f1",
    "best_span",
    "distillation_loss",
    "electra_loss",
    "entities",
    "entity_f1",
    "label_smoothing_loss",
    "mask_patches",
    "mask_tokens",
    "masked_patch_loss",
    "masked_token_loss",
    "mean_colours",
    "mean_next_token_loss",
    "next_token_loss",
    "order_pairs",
    "pack_pairs",
    "pack_translated",
    "pretraining_loss",
    "replace_tokens",
    "replaced_token_loss",
    "sampling_shares",
    "sentence_pairs",
    "shifted",
    "soft_target_loss",
    "span_scores",
    "tlm_pair",
    "translation_loss",
]
