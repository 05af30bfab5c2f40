"""Looking inside a model, and changing what happens there."""

from tutorial_lib.interpret.attention_rollout import rollout
from tutorial_lib.interpret.induction import (
    induction_scores,
    previous_token_scores,
    repeat_losses,
    repeated_sequences,
    weights_by_distance,
)
from tutorial_lib.interpret.interventions import (
    Intervention,
    Patch,
    Reweigh,
    Uniform,
    Zero,
    head_output,
    head_outputs,
    intervene,
    mean_outputs,
)
from tutorial_lib.interpret.latents import SeenLatents, see_latents
from tutorial_lib.interpret.likeness import likeness
from tutorial_lib.interpret.logit_lens import LogitLens, logit_lens
from tutorial_lib.interpret.painting import (
    highest,
    named_in_another,
    paint_over,
    random_with_as_much,
)
from tutorial_lib.interpret.patch_features import (
    SeenPicture,
    class_attention,
    patch_similarity,
    principal_colours,
    see_picture,
)
from tutorial_lib.interpret.records import Record, Trace
from tutorial_lib.interpret.sentence_maps import read_maps
from tutorial_lib.interpret.tracing import trace
from tutorial_lib.interpret.window_reach import layer_windows, reach
from tutorial_lib.interpret.word_looks import weights_on

__all__ = [
    "Intervention",
    "LogitLens",
    "Patch",
    "Record",
    "Reweigh",
    "SeenLatents",
    "SeenPicture",
    "Trace",
    "Uniform",
    "Zero",
    "class_attention",
    "head_output",
    "head_outputs",
    "highest",
    "induction_scores",
    "intervene",
    "layer_windows",
    "likeness",
    "logit_lens",
    "mean_outputs",
    "named_in_another",
    "paint_over",
    "patch_similarity",
    "previous_token_scores",
    "principal_colours",
    "random_with_as_much",
    "reach",
    "read_maps",
    "repeat_losses",
    "repeated_sequences",
    "rollout",
    "see_latents",
    "see_picture",
    "trace",
    "weights_by_distance",
    "weights_on",
]
