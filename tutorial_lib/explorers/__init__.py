"""Things to move: one class an explorer, each loaded when it is first used.

Every explorer has a static twin in `tutorial_lib.figures` that draws any of its states without a
widget, so that a printed page or a screen reader misses nothing.
"""

from tutorial_lib.lazy import loading

_HOME = {
    "AttentionExplorer": "attention",
    "DigitExplorer": "digits",
    "GenerationExplorer": "generation",
    "MaskBuilder": "masks",
    "MergeStepper": "merges",
    "PatchExplorer": "patches",
    "SaturationExplorer": "saturation",
    "SchemeComparer": "schemes",
    "SinusoidExplorer": "sinusoids",
    "SoftmaxExplorer": "softmax",
    "TokenizerExplorer": "tokens",
    "TranslationExplorer": "translation",
    "WalkExplorer": "walk",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = loading(__name__, _HOME)
