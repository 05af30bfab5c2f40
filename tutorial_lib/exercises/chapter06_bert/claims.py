"""Chapter 06: what a copier finds."""

from tutorial_lib.exercises.engine.tasks import Claim

COMMONEST = 0.05


def copied_share():
    """The commonest token at 80 % [MASK], the token itself where it stayed."""
    return 0.8 * COMMONEST + 0.1 * 0 + 0.1 * 1


def copied_share_counted():
    """Second style: of 1,000 chosen tokens."""
    hidden, exchanged, kept = 800, 100, 100
    return (hidden * COMMONEST + 0 * exchanged + kept) / 1_000


def copied_share_masks_only():
    """This is the commonest token at all chosen places: at one in five it sees no [MASK], and
    copies.
    """
    return COMMONEST


def copied_share_no_copy():
    """This counts what it finds at the [MASK]s only: what stayed as it was is asked about, too."""
    return 0.8 * COMMONEST


def copied_share_kept_only():
    """This counts what it copies only: at a [MASK] it says the commonest token."""
    return 0.1


def copied_share_random_right():
    """This takes an exchanged token for right: a copy of it is not what stood there."""
    return 0.8 * COMMONEST + 0.2


def copied_share_random_guessed():
    """This lets it see that a token was exchanged: it copies that one, too, and is wrong."""
    return 0.9 * COMMONEST + 0.1


def copied_share_all_guessed():
    """This adds the copies to the commonest token at all places: at a [MASK] only it is said."""
    return COMMONEST + 0.1


def copied_share_of_all_tokens():
    """This is the share of all tokens of the text: only the chosen 15 % are asked about."""
    return 0.15 * copied_share()


def copied_share_percent():
    """This is in percent: a share from 0 to 1 is asked for."""
    return 100 * copied_share()


COPIED_SHARE = Claim(
    id="6.5",
    title="The copier",
    level="easy",
    text="""
PlayBERT finds 41 % of the chosen tokens. How much of that could it get without looking at the words
around? Think of a model that has learned one thing: it **copies each token that it sees**. Where it
sees [MASK], it says the most frequent token of all, which is right at 5 % of the [MASK]s. The
chosen tokens have been through 80/10/10. **What share** of all chosen tokens does this copier find,
from 0 to 1?
""",
    hints=(
        "Of 1,000 chosen tokens, how many does it see as [MASK], exchanged, and as they were?",
        "It cannot know that a token was exchanged. What does it say there?",
    ),
    solution=copied_share,
    second_style=copied_share_counted,
    mistakes=(
        copied_share_masks_only,
        copied_share_no_copy,
        copied_share_kept_only,
        copied_share_random_right,
        copied_share_random_guessed,
        copied_share_all_guessed,
        copied_share_of_all_tokens,
        copied_share_percent,
    ),
    tolerance=0.0034,  # the 5 % are 0.054 in PlayBERT's test, so 0.143 passes, too
    unit="of the chosen tokens",
    verdict="Copying reaches 14 % and reads nothing. So ask a model at the [MASK]s alone before "
    "you say that it fills gaps.",
    see="6D Fifteen per cent",
)
