"""Things to move: one class an explorer, each loaded when it is first used.

Every explorer has a static twin in `tutorial_lib.figures` that draws any of its states without a
widget, so that a printed page or a screen reader misses nothing.
"""

from typing import TYPE_CHECKING

from tutorial_lib.lazy import loading

if TYPE_CHECKING:
    from tutorial_lib.explorers.attention import AttentionExplorer
    from tutorial_lib.explorers.buckets import BucketExplorer
    from tutorial_lib.explorers.code_book import CodeBookExplorer
    from tutorial_lib.explorers.corruption import CorruptionExplorer
    from tutorial_lib.explorers.digits import DigitExplorer
    from tutorial_lib.explorers.emoji_finder import EmojiFinder
    from tutorial_lib.explorers.fill_mask import FillMaskExplorer
    from tutorial_lib.explorers.gaps import fillings
    from tutorial_lib.explorers.generation import GenerationExplorer
    from tutorial_lib.explorers.latents import LatentExplorer
    from tutorial_lib.explorers.lattice import LatticeExplorer
    from tutorial_lib.explorers.logit_lens import LogitLensExplorer
    from tutorial_lib.explorers.masking import MaskingExplorer
    from tutorial_lib.explorers.masking_draws import MaskingDraws
    from tutorial_lib.explorers.masking_passes import MaskingPassesExplorer
    from tutorial_lib.explorers.masks import MaskBuilder
    from tutorial_lib.explorers.merges import MergeStepper
    from tutorial_lib.explorers.patch_matches import PatchMatcher
    from tutorial_lib.explorers.patches import PatchExplorer
    from tutorial_lib.explorers.regions import RegionExplorer
    from tutorial_lib.explorers.replaced import ReplacedExplorer
    from tutorial_lib.explorers.rotary import RotaryHands
    from tutorial_lib.explorers.saturation import SaturationExplorer
    from tutorial_lib.explorers.schemes import SchemeComparer
    from tutorial_lib.explorers.search import SpeechSearch
    from tutorial_lib.explorers.sinusoids import SinusoidExplorer
    from tutorial_lib.explorers.softmax import SoftmaxExplorer
    from tutorial_lib.explorers.speech_finder import SpeechFinder
    from tutorial_lib.explorers.student import StudentExplorer
    from tutorial_lib.explorers.tokens import TokenizerExplorer
    from tutorial_lib.explorers.translation import TranslationExplorer
    from tutorial_lib.explorers.walk import WalkExplorer, short_walk
    from tutorial_lib.explorers.windows import WindowsExplorer
    from tutorial_lib.explorers.zoom import ZoomExplorer

__getattr__, __dir__, __all__ = loading(__name__, __file__)
