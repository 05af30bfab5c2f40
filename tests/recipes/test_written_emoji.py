from tutorial_lib.recipes import load_result, summarise


def test_a_caption_is_worth_something_for_each_seed():
    nats = load_result("written-emoji")["nats"]
    assert len(nats) == 3
    for row in nats:
        assert row["nats_of_combinations_own"] < 0.75 * row["nats_of_combinations_shuffled"]
        assert row["nats_of_combinations_own"] < row["nats_of_combinations_other_tone"]
        assert row["nats_of_concepts_own"] < row["nats_of_concepts_shuffled"]


def test_drawings_fit_their_captions_better_than_others_with_each_seed():
    found = summarise(load_result("written-emoji")["rows"], ["captions", "pictures"], "own_at_5")
    for sort in ("new combinations", "new concepts"):
        drawn = found[sort, "drawn"]
        assert drawn["lowest"] > found[sort, "drawn, captions changed round"]["highest"]
        assert found[sort, "true, through the book"]["mean"] > drawn["mean"] - 0.03


def test_drawings_are_copies_less_often_than_true_pictures_and_the_book_paints():
    table = load_result("written-emoji")
    for row in table["copies"]:
        assert row["drawn_copies"] <= row["true_copies"] < 0.25
        assert row["drawn_same_codes"] <= row["true_same_codes"]
    for row in table["books"]:
        assert row["error_without_a_book"] < row["error"] < 0.35 * row["error_of_the_mean"]
        assert row["codes_used"] > 200
