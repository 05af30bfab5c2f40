import pytest
import torch

from tutorial_lib.attention import MultiHeadAttention, Tap, capture_attention, tapped
from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import (
    induction,
    induction_scores,
    previous_token_scores,
    repeat_losses,
    repeated_sequences,
    weights_by_distance,
)
from tutorial_lib.models.gpt import GPTConfig


class Looks(Tap):
    """Makes head 0 look `back` places back and leaves head 1 uniform."""

    changes = True

    def __init__(self, back):
        self.back = back

    def __call__(self, name, tensor):
        if name != "weights":
            return tensor
        changed = torch.full_like(tensor, 1 / tensor.size(-1))
        places = torch.arange(tensor.size(-1))
        changed[:, 0] = (places[:, None] - self.back == places).float()
        return changed


class OneLayer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(d_model=4, n_heads=2)

    def forward(self, ids):
        return self.attention(torch.nn.functional.one_hot(ids % 4, 4).float())


def scored(measure, back, ids):
    model = OneLayer()
    with tapped([(model.attention, Looks(back))]):
        return measure(model, ids)[0].tolist()


def test_sequences_are_random_words_said_twice():
    ids = repeated_sequences(range(5, 25), n=6, length=10)
    assert ids.shape == (6, 20)
    assert torch.equal(ids[:, :10], ids[:, 10:])
    assert all(len(set(row.tolist())) == 10 for row in ids)
    assert set(ids.flatten().tolist()) <= set(range(5, 25))
    assert not torch.equal(ids[0], ids[1])
    assert torch.equal(ids, repeated_sequences(range(5, 25), n=6, length=10))
    assert not torch.equal(ids, repeated_sequences(range(5, 25), n=6, length=10, seed=1))


def test_a_head_that_looks_behind_the_first_place_scores_one():
    ids = repeated_sequences(range(30), n=3, length=8)
    assert scored(induction_scores, 7, ids) == [1.0, pytest.approx(1 / 16)]
    for back in (0, 1, 6, 8):  # itself, the token before, too near, the same token
        assert scored(induction_scores, back, ids)[0] == 0.0


def test_a_head_that_looks_one_back_scores_one():
    ids = repeated_sequences(range(30), n=3, length=8)
    assert scored(previous_token_scores, 1, ids) == [1.0, pytest.approx(1 / 16)]
    assert scored(previous_token_scores, 7, ids)[0] == 0.0


def test_errors():
    with pytest.raises(ShapeError, match="5 different tokens cannot be drawn from 4"):
        repeated_sequences(range(4), n=1, length=5)
    with pytest.raises(ShapeError, match="second half equal to the first"):
        induction_scores(OneLayer(), torch.tensor([[1, 2, 3, 1, 2, 4]]))
    with pytest.raises(ShapeError, match="second half equal to the first"):
        induction_scores(OneLayer(), torch.tensor([[1, 2, 1, 2, 1]]))
    with pytest.raises(ShapeError, match="occurs twice in one half"):
        induction_scores(OneLayer(), torch.tensor([[1, 1, 1, 1]]))


class CopiesFrom(torch.nn.Module):
    """Is almost sure that the token `back` positions before comes again."""

    def __init__(self, back):
        super().__init__()
        self.back = back

    def forward(self, ids):
        said = ids.roll(self.back, dims=1)
        said[:, : self.back] = 9  # which never comes
        return 50.0 * torch.nn.functional.one_hot(said, 10).float()


def test_who_copies_loses_nothing_on_the_repeat():
    ids = repeated_sequences(range(9), n=3, length=4)
    first, second = repeat_losses(CopiesFrom(3), ids)
    assert first == pytest.approx(50, abs=1)
    assert second == pytest.approx(0, abs=1e-6)
    _, second = repeat_losses(CopiesFrom(2), ids)
    assert second == pytest.approx(50, abs=1)
    with pytest.raises(ShapeError):
        repeat_losses(CopiesFrom(3), ids[:, :-1])


def test_a_head_that_looks_two_back_shows_at_distance_two():
    layer = MultiHeadAttention(8, 2)
    model = torch.nn.Sequential(torch.nn.Embedding(9, 8), layer)
    ids = torch.arange(5)[None]
    with tapped([(layer, Looks(2))]):
        weights = weights_by_distance(model, ids, 4)
    assert weights.shape == (1, 2, 4)
    assert weights[0, 0].tolist() == [0, 0, 1, 0]
    torch.testing.assert_close(weights[0, 1], torch.full((4,), 1 / 5))
    with pytest.raises(ShapeError, match="from 1 to 5"):
        weights_by_distance(model, ids, 6)


def test_the_other_heads_are_of_the_same_layers_and_never_the_best():
    ranked = [(layer, head) for head in range(9) for layer in range(4)]
    others = induction.others_beside(ranked[:8], ranked, seed=0)
    assert sorted(layer for layer, _ in others) == sorted(layer for layer, _ in ranked[:8])
    assert not set(others) & set(ranked[:18])
    assert len(set(others)) == 8


def test_keys_alone_are_made_from_another_stream():
    config = GPTConfig(vocab_size=20, context=12, d_model=8, n_layers=2, n_heads=2)
    model = config.build().eval()
    for weight in model.blocks[1].attention.parameters():
        weight.data.mul_(8)  # maps that are far from even
    ids = torch.randint(0, 20, (2, 7), generator=torch.Generator().manual_seed(0))
    stream = model.hidden_states(ids)[1]
    with torch.no_grad(), capture_attention(model) as maps:
        model(ids)
    block, other = model.blocks[1], torch.randn(stream.shape)
    same = induction.weights_with_keys_from(block, stream, stream)
    assert torch.allclose(same, maps[1], atol=1e-6)
    changed = stream.clone()
    changed[:, 3] = other[:, 3]
    found = induction.weights_with_keys_from(block, stream, changed)
    assert torch.allclose(found[:, :, :3], same[:, :, :3], atol=1e-6)  # they don't see position 3
    ratio = (found / same)[:, :, 5]
    left = [0, 1, 2, 4, 5]
    assert torch.allclose(ratio[..., left], ratio[..., :1].expand(-1, -1, 5), rtol=1e-4)
    assert not torch.allclose(ratio[..., 3], ratio[..., 0], rtol=1e-2)
