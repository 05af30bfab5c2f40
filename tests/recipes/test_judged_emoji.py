from types import SimpleNamespace

from tutorial_lib.recipes import load_result, summarise
from tutorial_lib.recipes.emoji_finder import read_names
from tutorial_lib.recipes.judged_emoji import choices

ASKED = (
    ("new combinations", "another_thing", 0.95),
    ("new combinations", "another_tone", 0.8),
    ("new concepts", "another_thing", 0.8),
)


def found(sort, column):
    """{kind of picture: summary over the seeds}."""
    rows = [row for row in load_result("judged-emoji")["rows"] if row["captions"] == sort]
    return {kind: shares for (kind,), shares in summarise(rows, ["pictures"], column).items()}


def test_the_judge_knows_true_pictures_and_guesses_where_captions_are_changed_round():
    for sort, column, lowest in ASKED:
        shares = found(sort, column)
        assert shares["true"]["n"] == 3
        assert shares["true"]["lowest"] > lowest
        changed = shares["drawn, captions changed round"]
        assert 0.4 < changed["lowest"] <= changed["highest"] < 0.6


def test_drawings_fit_their_captions_better_than_others_with_each_seed():
    for sort, column, _ in ASKED:
        shares = found(sort, column)
        assert shares["drawn"]["lowest"] > shares["drawn, captions changed round"]["highest"]
        assert shares["true"]["mean"] > shares["drawn"]["mean"]


def test_a_picture_that_lies_where_its_caption_lies_chooses_it():
    heads = SimpleNamespace(text_vectors=lambda read: read, image_vectors=lambda read: read)
    toned = [f"{thing}: dark skin tone" for thing in ("ear", "man running", "judge", "fairy")]
    right = {"another_thing": 1.0, "another_tone": 1.0}
    assert choices(heads, read_names(toned), toned) == right
    plain = ["zebra", "rocket", "flag: Mali", "bell"]
    vectors = read_names(plain)
    assert choices(heads, vectors, plain) == {"another_thing": 1.0, "another_tone": None}
    assert choices(heads, -vectors, plain)["another_thing"] == 0.0
