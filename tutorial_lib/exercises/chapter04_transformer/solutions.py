"""The solutions by name: what the chapter runs where an exercise is still open."""

from tutorial_lib.exercises.chapter04_transformer.beam import beam_decode
from tutorial_lib.exercises.chapter04_transformer.cross import encoder_decoder_attention
from tutorial_lib.exercises.chapter04_transformer.decoder import decoder_layer
from tutorial_lib.exercises.chapter04_transformer.feed_forward import feed_forward
from tutorial_lib.exercises.chapter04_transformer.greedy import greedy_decode
from tutorial_lib.exercises.chapter04_transformer.lead import lead_head
from tutorial_lib.exercises.chapter04_transformer.loss import smoothed_loss
from tutorial_lib.exercises.chapter04_transformer.machine import encoder_decoder
from tutorial_lib.exercises.chapter04_transformer.norm import layer_norm
from tutorial_lib.exercises.chapter04_transformer.warmup import warmup_rate

__all__ = [
    "beam_decode",
    "decoder_layer",
    "encoder_decoder",
    "encoder_decoder_attention",
    "feed_forward",
    "greedy_decode",
    "layer_norm",
    "lead_head",
    "smoothed_loss",
    "warmup_rate",
]
