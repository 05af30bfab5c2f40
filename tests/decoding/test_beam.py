import itertools
import math

import pytest
import torch
from decoders import SOME, peers, sharp, small_gpt, small_transformer

from tutorial_lib.decoding import beam_search, generate, length_penalty
from tutorial_lib.decoding.beam import _Search
from tutorial_lib.errors import ShapeError
from tutorial_lib.models import GPT, GPTConfig


@pytest.fixture(scope="module")
def gpt():
    return small_gpt()


def test_some_beams_of_these_tests_finish_and_some_do_not(gpt):
    finished = [b.finished for p in range(6) for b in beam_search(gpt, [p], 10, stop=SOME).beams]
    assert 3 < sum(finished) < len(finished) - 3


def log_p(model, ids, n_prompt):
    """The log-probability of what follows the prompt, from one pass over the whole."""
    with torch.no_grad():
        scores = model(torch.tensor([ids]))[0].log_softmax(-1)
    return sum(scores[i - 1, ids[i]].item() for i in range(n_prompt, len(ids)))


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
def test_beams_carry_the_scores_of_their_own_tokens(gpt, alpha):
    found = beam_search(gpt, [3, 1], 8, beams=5, alpha=alpha, stop=SOME)
    assert len(found.beams) == 5
    assert found.best == found.beams[0].ids
    for beam in found.beams:
        added = beam.ids[2:]
        assert beam.log_probability == pytest.approx(log_p(gpt, beam.ids, 2), abs=1e-9)
        assert beam.score == beam.log_probability / length_penalty(len(added), alpha)
        assert beam.finished == (added[-1] in SOME)
        assert beam.finished or len(added) == 8
        assert not set(SOME) & set(added[:-1])
    scores = [beam.score for beam in found.beams]
    assert scores == sorted(scores, reverse=True)
    assert len({tuple(beam.ids) for beam in found.beams}) == 5


def test_one_beam_is_greedy(gpt):
    assert beam_search(gpt, [3, 1], 12, beams=1).best == generate(gpt, [3, 1], 12)
    free = generate(gpt, [3, 1], 12)
    stop = free[7]
    stopped = generate(gpt, [3, 1], 12, stop=stop)
    assert beam_search(gpt, [3, 1], 12, beams=1, alpha=0.0, stop=stop).best == stopped


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_wide_beam_finds_the_best_of_all_sequences(alpha):
    model = sharp(GPT(GPTConfig(vocab_size=4, context=8, d_model=8, n_layers=1, n_heads=2)))
    found = beam_search(model, [1], 4, beams=4**4, alpha=alpha, stop=0)
    everything = []
    for n in range(1, 5):
        for added in itertools.product(range(4), repeat=n):
            complete = added[-1] == 0 or n == 4
            if complete and 0 not in added[:-1]:
                score = log_p(model, [1, *added], 1) / length_penalty(n, alpha)
                everything.append((score, [1, *added]))
    everything.sort(reverse=True)
    assert [beam.ids for beam in found.beams[:10]] == [ids for _, ids in everything[:10]]
    assert len(found.beams) == len(everything)  # fewer than 256 exist


@pytest.mark.parametrize(("alpha", "passes_needed"), [(0.0, 1), (0.6, 8)])
def test_a_search_that_is_decided_makes_no_further_pass(gpt, alpha, passes_needed, monkeypatch):
    passes = []
    handle = gpt.register_forward_hook(lambda *_: passes.append(1))
    best = generate(gpt, [3, 1], 1)[-1]
    second = beam_search(gpt, [3, 1], 1, beams=2).beams[1].ids[-1]
    passes.clear()
    options = {"beams": 2, "alpha": alpha, "stop": [best, second]}
    decided = beam_search(gpt, [3, 1], 30, **options)
    n_passes = len(passes)
    # The same search, which goes on while any beam is alive: it finds nothing better.
    monkeypatch.setattr(_Search, "_decided", lambda search: not search.alive)
    exhausted = beam_search(gpt, [3, 1], 30, **options)
    handle.remove()
    assert decided.beams == exhausted.beams
    assert [found.ids for found in decided.beams] == [[3, 1, best], [3, 1, second]]
    # With a penalty a longer beam loses less: it takes more tokens until none can overtake.
    assert (n_passes, len(passes) - n_passes) == (passes_needed, 30)


def test_the_length_penalty_is_that_of_the_paper_and_favours_long_ones(gpt):
    assert length_penalty(10, 0.6) == pytest.approx(15**0.6 / 6**0.6)
    lengths = [
        sum(len(beam_search(gpt, [p], 10, beams=3, alpha=alpha, stop=SOME).best) for p in range(12))
        for alpha in (0.0, 1.0, 3.0)
    ]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]


@pytest.mark.parametrize("stop", [None, 3, SOME])
@pytest.mark.parametrize("slide", [1, 5])
def test_cached_equals_uncached_beam(gpt, stop, slide):
    prompts = [[3, 1], [5, 9], [2, 2]]
    cached, uncached = (
        beam_search(gpt, prompts, 25, beams=4, stop=stop, cached=c, slide=slide)
        for c in (True, False)
    )
    for one, other in zip(cached, uncached, strict=True):
        assert [beam.ids for beam in one.beams] == [beam.ids for beam in other.beams]
        scores = [[beam.score for beam in search.beams] for search in (one, other)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-9)


def test_a_batch_of_searches_gives_each_what_it_gets_alone(gpt):
    prompts = [[p, 22 - p] for p in range(12)]
    together = beam_search(gpt, prompts, 9, beams=3, stop=SOME)
    for prompt, search in zip(prompts, together, strict=True):
        alone = beam_search(gpt, prompt, 9, beams=3, stop=SOME)
        assert [beam.ids for beam in alone.beams] == [beam.ids for beam in search.beams]
        assert [node.state for node in alone.tree] == [node.state for node in search.tree]


def test_the_tree_holds_every_candidate_and_leads_to_every_beam(gpt):
    found = beam_search(gpt, [3, 1], 6, beams=3, stop=SOME)
    for node in found.tree:
        if node.parent is None:
            assert node.step == 1
        else:
            parent = found.tree[node.parent]
            assert parent.state == "kept"
            assert parent.step == node.step - 1
            assert node.log_probability < parent.log_probability
    for step in range(1, 1 + max(node.step for node in found.tree)):
        states = [node.state for node in found.tree if node.step == step]
        assert states.count("kept") == 3
        assert states.count("dropped") > 0
    ends = {round(n.log_probability, 9) for n in found.tree if n.state != "dropped"}
    assert {round(beam.log_probability, 9) for beam in found.beams} <= ends


@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_a_search_knows_the_path_and_the_score_of_each_of_its_beams(gpt, alpha):
    found = beam_search(gpt, [3, 1], 8, beams=4, alpha=alpha, stop=SOME)
    assert found.alpha == alpha
    assert len(found.ends) == len(found.beams)
    for end, beam in zip(found.ends, found.beams, strict=True):
        assert [found.tree[node].token for node in found.path(end)] == beam.ids[2:]
        assert found.score(end) == beam.score


def test_small_vocabularies_leave_fewer_beams():
    model = sharp(GPT(GPTConfig(vocab_size=2, context=8, d_model=8, n_layers=1, n_heads=2)))
    found = beam_search(model, [1], 3, beams=5, stop=0)
    assert sorted(beam.ids for beam in found.beams) == [[1, 0], [1, 1, 0], [1, 1, 1, 0], [1] * 4]
    only_stops = beam_search(model, [1], 3, beams=5, stop=[0, 1])
    assert sorted(beam.ids for beam in only_stops.beams) == [[1, 0], [1, 1]]
    assert all(math.isfinite(beam.score) for beam in found.beams)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beams": 0}, ValueError, "beams must be at least 1, got 0"),
        ({"alpha": -0.1}, ValueError, "alpha must be a finite number of at least 0, got -0.1"),
        ({"max_new_tokens": 0}, ValueError, "max_new_tokens must be at least 1, got 0"),
        ({"prompts": [[1], [2, 3]]}, ShapeError, r"must be equally long, got \[1, 2\]"),
    ],
)
def test_beam_search_refuses_bad_input(gpt, options, error, message):
    options = {"prompts": [1], "max_new_tokens": 3, **options}
    with pytest.raises(error, match=message):
        beam_search(gpt, **options)


def test_beams_of_an_encoder_decoder_are_those_without_cache_and_alone():
    model = small_transformer()
    sources = torch.tensor([[5, 3, 9, 11, 2], [7, 1, 0, 0, 0], [4, 4, 18, 0, 0]])
    real = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]).bool()
    options = {"beams": 3, "stop": [4, 7], "source": sources, "source_mask": real}
    cached, uncached = (
        beam_search(model, [1], 20, cached=c, slide=3, **options) for c in (True, False)
    )
    for row, mask, one, other in zip(sources, real, cached, uncached, strict=True):
        alone = beam_search(model, [1], 20, beams=3, stop=[4, 7], source=row[mask], slide=3)
        ids = [[beam.ids for beam in search.beams] for search in (one, other, alone)]
        assert ids[0] == ids[1] == ids[2]
    assert len({tuple(search.best) for search in cached}) > 1  # the source is heard


@pytest.mark.parametrize("stop", [None, 5, 11, [11, 30]])
@pytest.mark.parametrize("beams", [2, 4])
def test_beams_equal_transformers(stop, beams):
    """Without a penalty on both sides: theirs is length^alpha, not that of the paper."""
    ours, theirs = peers()
    prompts = torch.randint(0, 37, (6, 3), generator=torch.Generator().manual_seed(1))
    expected = theirs.generate(
        prompts,
        attention_mask=torch.ones_like(prompts),
        max_new_tokens=10,
        do_sample=False,
        num_beams=beams,
        num_return_sequences=beams,
        eos_token_id=stop,
        length_penalty=0.0,
        return_dict_in_generate=True,
        output_scores=True,
    )
    found = beam_search(ours, prompts, 10, beams=beams, alpha=0.0, stop=stop)
    found = [beam for search in found for beam in search.beams]
    for beam, ids in zip(found, expected.sequences.tolist(), strict=True):
        assert ids[: len(beam.ids)] == beam.ids
        assert len(set(ids[len(beam.ids) :])) <= 1  # theirs are padded to one length
    scores = torch.tensor([beam.score for beam in found])
    torch.testing.assert_close(scores, expected.sequences_scores.float(), atol=1e-4, rtol=0)
