from tutorial_lib.recipes import by_seed, load_result, matching_rows


def test_a_row_taught_by_matching_alone_tells_places_and_towers_taught_alike_do_not():
    rows = by_seed(load_result("matching-rows")["rows"], "model", "exchanged")
    towers = [
        row["exchanged"]
        for row in load_result("scenes")["rows"]
        if row.get("model") == "towers, with the lesson"
    ]
    assert len(rows["row, matching alone"]) == len(matching_rows.SETTINGS["seeds"]) == 3
    assert min(rows["row, matching alone"]) > 0.95
    assert max(towers) < 0.6
