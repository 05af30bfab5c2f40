"""Looking inside a model, and changing what happens there."""

from tutorial_lib.interpret.attention_rollout import rollout
from tutorial_lib.interpret.induction import (
    induction_scores,
    previous_token_scores,
    repeated_sequences,
)
from tutorial_lib.interpret.interventions import (
    Intervention,
    Patch,
    Uniform,
    Zero,
    head_output,
    intervene,
)
from tutorial_lib.interpret.logit_lens import LogitLens, logit_lens
from tutorial_lib.interpret.patch_features import (
    SeenPicture,
    class_attention,
    patch_similarity,
    principal_colours,
    see_picture,
)
from tutorial_lib.interpret.records import Record, Trace
from tutorial_lib.interpret.tracing import trace

__all__ = [
    "Intervention",
    "LogitLens",
    "Patch",
    "Record",
    "SeenPicture",
    "Trace",
    "Uniform",
    "Zero",
    "class_attention",
    "head_output",
    "induction_scores",
    "intervene",
    "logit_lens",
    "patch_similarity",
    "previous_token_scores",
    "principal_colours",
    "repeated_sequences",
    "rollout",
    "see_picture",
    "trace",
]
