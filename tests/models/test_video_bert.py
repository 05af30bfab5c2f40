"""VideoBERT's parts: k-means equal to scikit-learn's from the same start, one joint vocabulary."""

import pytest
import torch
from sklearn.cluster import KMeans
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models import BERT, BERTConfig, FrameTokens, VideoBERT, VideoBERTConfig
from tutorial_lib.models.video_bert import lloyd, spread_centres

SIZES = {"vocab_size": 12, "context": 8, "d_model": 8, "n_layers": 2, "n_heads": 2}


def clouds(n=400, seed=0):
    """Return vectors (n, 3) around seven points."""
    draw = torch.Generator().manual_seed(seed)
    middles = torch.randn(7, 3, generator=draw) * 4
    return middles[torch.randint(7, (n,), generator=draw)] + torch.randn(n, 3, generator=draw)


@pytest.mark.parametrize("k", [1, 5, 12])
@pytest.mark.parametrize("seed", [0, 1])
def test_ends_where_scikit_learn_ends_from_the_same_start(k, seed):
    vectors = clouds(seed=seed)
    start = spread_centres(vectors, k, torch.Generator().manual_seed(seed))
    tokens = FrameTokens(lloyd(vectors, start))
    other = KMeans(k, init=start.numpy(), n_init=1, algorithm="lloyd", max_iter=300, tol=0)
    other.fit(vectors.numpy())
    assert tokens.inertia(vectors) == pytest.approx(other.inertia_, rel=1e-5)
    assert_close(tokens.centres, torch.tensor(other.cluster_centers_), atol=1e-4, rtol=1e-4)
    assert tokens.encode(vectors).tolist() == other.labels_.tolist()


def test_every_round_lowers_the_inertia():
    vectors = clouds()
    start = vectors[:12]
    inertias = [FrameTokens(lloyd(vectors, start, rounds)).inertia(vectors) for rounds in range(8)]
    assert inertias == sorted(inertias, reverse=True)
    assert inertias[0] == FrameTokens(start).inertia(vectors)
    assert inertias[-1] < 0.8 * inertias[0]


def test_a_spread_start_is_better_than_a_random_one():
    vectors, draw = clouds(), torch.Generator().manual_seed(0)
    spread = [FrameTokens(spread_centres(vectors, 7, draw)).inertia(vectors) for _ in range(20)]
    drawn = [
        FrameTokens(vectors[torch.randperm(400, generator=draw)[:7]]).inertia(vectors)
        for _ in range(20)
    ]
    assert sum(spread) < 0.85 * sum(drawn)


def test_an_empty_centre_moves_to_the_farthest_vector():
    vectors = torch.tensor([[0.0], [1.0], [10.0], [11.0], [30.0]])
    centres = lloyd(vectors, torch.tensor([[0.5], [10.5], [-99.0]]))
    assert sorted(centres.flatten().tolist()) == [0.5, 10.5, 30.0]


def test_tokens_keep_the_shape_of_clips_and_do_not_depend_on_the_draw_twice():
    vectors = clouds()
    tokens, again = (FrameTokens.fit(vectors, 9, seed=3) for _ in range(2))
    assert_close(tokens.centres, again.centres, atol=0, rtol=0)
    assert len(tokens) == 9
    clips = vectors[:24].view(3, 8, 3)
    assert tokens.encode(clips).tolist() == tokens.encode(vectors[:24]).view(3, 8).tolist()
    assert set(tokens.encode(vectors).tolist()) == set(range(9))
    assert tokens.encode(tokens.centres).tolist() == list(range(9))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FrameTokens.fit(clouds(5), 6), "6 centres need at least as many vectors, got 5"),
        (lambda: FrameTokens.fit(torch.ones(5, 2), 2), "2 centres, but only 1 different vectors"),
        (lambda: FrameTokens.fit(clouds(5), 0), "k must be a whole number of at least 1, got 0"),
        (lambda: FrameTokens.fit(torch.ones(5).long(), 2), r"shape \(N, F\).*int64 \(5,\)"),
        (lambda: FrameTokens.fit(torch.full((5, 2), torch.inf), 2), "must be finite"),
        (lambda: FrameTokens(torch.zeros(2, 3)).encode(torch.zeros(4, 5)), r"3 numbers.*\(4, 5\)"),
        (lambda: FrameTokens([[1.0]]), "centres must be a tensor, got list"),
    ],
)
def test_bad_vectors_are_named(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


@torch.no_grad()
def test_it_is_a_bert_over_both_vocabularies():
    torch.manual_seed(0)
    model = VideoBERTConfig(**SIZES, n_frame_tokens=5, mlm=True).build().eval()
    bert = BERT(BERTConfig(**SIZES, mlm=True)).eval()
    bert.load_state_dict(model.state_dict())
    ids, segments = model.join(torch.tensor([[6, 1]]), torch.tensor([[0, 4]]))
    assert ids.tolist() == [[6, 1, 7, 11]]
    hidden = model(ids, segments)
    assert_close(hidden, bert(torch.tensor([[6, 1, 7, 11]]), torch.tensor([[0, 0, 1, 1]])))
    both = torch.cat([model.word_logits(hidden), model.frame_logits(hidden)], dim=-1)
    assert_close(both, bert.mlm_logits(hidden))
    assert model.frame_logits(hidden).shape == (1, 4, 5)


def test_words_and_frames_must_fit():
    model = VideoBERT(VideoBERTConfig(**SIZES, n_frame_tokens=5))
    words, frames = torch.zeros(2, 3).long(), torch.zeros(2, 2).long()
    with pytest.raises(VocabularyError, match="words must lie between 0 and 6, got 7"):
        model.join(words + 7, frames)
    with pytest.raises(VocabularyError, match="frames must lie between 0 and 4, got 5"):
        model.join(words, frames + 5)
    with pytest.raises(ShapeError, match="2 texts, but the frames of 1 clips"):
        model.join(words, frames[:1])
    with pytest.raises(VocabularyError, match="of 12 tokens 12 are frames: no word is left"):
        VideoBERTConfig(**SIZES, n_frame_tokens=12)
