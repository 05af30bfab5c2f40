"""Things to move: one class an explorer, each loaded when it is first used.

Every explorer has a static twin in `tutorial_lib.figures` that draws any of its states without a
widget, so that a printed page or a screen reader misses nothing.
"""

from tutorial_lib.lazy import loading

_HOME = {
    "AttentionExplorer": "attention",
    "FillMaskExplorer": "fill_mask",
    "DigitExplorer": "digits",
    "GenerationExplorer": "generation",
    "MaskBuilder": "masks",
    "MaskingDraws": "masking_draws",
    "MaskingExplorer": "masking",
    "MergeStepper": "merges",
    "PatchExplorer": "patches",
    "SaturationExplorer": "saturation",
    "SchemeComparer": "schemes",
    "SinusoidExplorer": "sinusoids",
    "SoftmaxExplorer": "softmax",
    "SpeechFinder": "speech_finder",
    "SpeechSearch": "search",
    "TokenizerExplorer": "tokens",
    "TranslationExplorer": "translation",
    "WalkExplorer": "walk",
    "fillings": "gaps",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = loading(__name__, _HOME)
