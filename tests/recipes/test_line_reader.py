import pytest
import torch

from tutorial_lib.attention import attention
from tutorial_lib.recipes import load_checkpoint, shakespeare_bert
from tutorial_lib.recipes.line_reader import LINES, look_for_same_neighbours, reader_of, tell_lines

SIZES = shakespeare_bert.SETTINGS["sizes"]


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    return shakespeare_bert.build(shakespeare_bert.SETTINGS).eval()


def weights_of(model, layer, ids, segments):
    """Return whom each token looks at in a layer, counted from 0: (B, H, T, T)."""
    hidden = model.hidden_states(ids, segments)[layer]
    return attention(*model.blocks[layer].attention.project(hidden))[1]


def drawn(*shape):
    return torch.randint(10, SIZES["vocab_size"], shape)


def test_a_reader_is_a_copy_that_reads_lines(encoder):
    before = {name: tensor.clone() for name, tensor in encoder.state_dict().items()}
    torch.manual_seed(1)
    reader = reader_of(encoder)
    assert all(tensor.equal(before[name]) for name, tensor in encoder.state_dict().items())
    assert encoder.config.n_segments == 2
    hidden = reader(drawn(2, 30), torch.arange(30).expand(2, -1).clamp(max=LINES))
    assert reader.token_logits(hidden).shape == (2, 30, 2)
    assert reader.span_logits(hidden)[0].shape == (2, 30)
    # All else is the encoder's: its first layer, its tokens and places.
    ours = reader.state_dict()
    same = [name for name in before if name in ours and ours[name].shape == before[name].shape]
    changed = {name for name in same if not ours[name].equal(before[name])}
    assert changed <= {
        f"blocks.{layer}.attention.qkv.{part}" for layer in (1, 2) for part in ("weight", "bias")
    }


def test_heads_of_the_last_layer_look_at_their_own_line(encoder):
    ids = drawn(8, 48)
    lines = torch.cat([torch.zeros(12), torch.arange(1, 4).repeat_interleave(12)]).long()
    lines = lines.expand(8, -1)
    own = (lines[:, :, None] == lines[:, None])[:, 12:]  # (B, T, T)
    tell_lines(encoder)
    weights = weights_of(encoder, SIZES["n_layers"] - 1, ids, lines)[:, :, 12:]
    shares = (weights * own[:, None]).sum(-1).mean(dim=(0, 2))  # (H,), a quarter is chance
    assert shares[:2].min() > 0.9
    assert shares[2:].max() < 0.5


def quoting():
    """Return texts that are random but for a quote, their segments, and where the quote stands."""
    ids = drawn(8, 60)
    ids[:, 3:11] = ids[:, 31:39]
    segments = (torch.arange(60) >= 20).long().expand(8, -1)
    inner = torch.arange(5, 9)  # their neighbours are of the quote, too
    return ids, segments, inner, inner + 28


def test_heads_of_the_second_layer_find_the_place_with_the_same_neighbours():
    torch.manual_seed(0)
    trained = load_checkpoint("shakespeare-bert")
    ids, segments, asked, told = quoting()

    def found():
        weights = weights_of(trained, 1, ids, segments)[:, :3]
        there = weights[:, :, asked, 20:].argmax(-1) + 20 == told
        back = weights[:, :, told, :20].argmax(-1) == asked
        return torch.cat([there, back]).float().mean(dim=(0, 2))  # (3,)

    assert found().max() < 0.2
    look_for_same_neighbours(trained)
    assert found().min() > 0.9


def test_in_an_untrained_model_they_only_lean_that_way(encoder):
    ids, segments, asked, told = quoting()

    def times_the_mean():
        weights = weights_of(encoder, 1, ids, segments)[:, :3]
        there = weights[:, :, asked, told] / weights[:, :, asked, 20:].mean(-1)
        return there.mean().item()

    assert times_the_mean() < 2
    look_for_same_neighbours(encoder)
    assert times_the_mean() > 4


def test_the_same_heads_prefer_the_other_text(encoder):
    ids, segments, _, _ = quoting()
    other = (segments[:, :, None] != segments[:, None])[:, None]

    def share(across):
        look_for_same_neighbours(encoder, across=across)
        return (weights_of(encoder, 1, ids, segments)[:, :3] * other).sum(-1).mean().item()

    assert share(1.0) > 2 * share(0.0)


def test_each_head_compares_the_neighbour_of_its_own():
    torch.manual_seed(0)
    trained = load_checkpoint("shakespeare-bert")
    look_for_same_neighbours(trained)
    for head, offset in enumerate((-1, 1)):  # the others have left theirs in training
        ids, segments, _, _ = quoting()
        ids[:, 3:11] = drawn(8, 8)
        ids[:, 7 + offset] = ids[:, 35 + offset]  # no more than this is quoted
        weights = weights_of(trained, 1, ids, segments)[:, :3, 7, 20:]
        times_the_mean = (weights[..., 15] / weights.mean(-1)).mean(dim=0)  # (3,)
        assert times_the_mean.argmax() == head
        assert times_the_mean[head] > 3
