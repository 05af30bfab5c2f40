from tutorial_lib.recipes import load_result, summarise


def test_a_caption_is_worth_something_for_each_seed():
    nats = load_result("written-emoji")["nats"]
    assert len(nats) == 3
    for row in nats:
        assert row["nats_of_combinations_own"] < 0.75 * row["nats_of_combinations_shuffled"]
        assert row["nats_of_combinations_own"] < row["nats_of_combinations_other_tone"]
        assert row["nats_of_concepts_own"] < row["nats_of_concepts_shuffled"]


def test_the_judge_prefers_true_pictures_to_drawings_and_these_to_changed_captions():
    found = summarise(load_result("written-emoji")["rows"], ["captions", "pictures"], "own_at_5")
    for sort in ("new combinations", "new concepts"):
        drawn = found[sort, "drawn"]["mean"]
        assert found[sort, "true, through the book"]["mean"] > drawn + 0.05
        assert drawn > found[sort, "drawn, captions changed round"]["mean"] + 0.02


def test_no_drawing_copies_a_training_picture_and_the_book_paints():
    table = load_result("written-emoji")
    assert max(row["drawn_copies"] for row in table["copies"]) < 0.02
    for row in table["books"]:
        assert row["error_without_a_book"] < row["error"] < 0.35 * row["error_of_the_mean"]
        assert row["codes_used"] > 200
