import pytest
import torch

from tutorial_lib.datasets import bag_ceiling, numbers_in_words
from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models.one_head import OneHeadReader
from tutorial_lib.recipes.one_head_reader import evaluate, reading_loss
from tutorial_lib.training import fit, set_seed


@pytest.fixture(scope="module")
def data():
    return numbers_in_words()


def trained(data, seed, **arguments):
    set_seed(seed)
    model = OneHeadReader(len(data.vocabulary), **arguments)
    fit(model, data.batches(100), reading_loss, steps=300, lr=1e-2, seed=seed, progress=False)
    return model


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_positions_it_reaches_the_ceiling_and_cannot_pass_it(data, seed):
    accuracy = evaluate(trained(data, seed))["accuracy"]
    assert 0.62 <= accuracy <= bag_ceiling() + 0.003


def test_with_positions_the_same_cell_reads_held_out_numbers(data):
    training, held_out = data.split()
    model = trained(training, 0, positions=True)
    right = model(held_out.ids, held_out.lengths).argmax(-1) == held_out.digits
    assert right.float().mean() > 0.99


def test_without_positions_the_order_of_the_words_cannot_matter(data):
    torch.manual_seed(0)
    rows = torch.tensor([[2, 3, 4, 1], [1, 4, 3, 2]])
    lengths = torch.tensor([4, 4])
    blind = OneHeadReader(len(data.vocabulary))(rows, lengths)
    assert torch.allclose(blind[0], blind[1], atol=1e-6)
    sighted = OneHeadReader(len(data.vocabulary), positions=True)(rows, lengths)
    assert not torch.allclose(sighted[0], sighted[1], atol=1e-3)


def test_lengths_go_where_the_words_are():
    reader, ids = OneHeadReader(vocab_size=9), torch.tensor([[3, 2, 0]])
    with torch.device("meta"):  # what says no device of its own lands there and does not fit
        scores = reader(ids, lengths=[2])
    assert torch.equal(scores, reader(ids, torch.tensor([2])))


def test_ids_are_checked():
    reader = OneHeadReader(vocab_size=9)
    with pytest.raises(VocabularyError, match="ids must lie between 0 and 8, got 9"):
        reader(torch.tensor([[9]]), [1])
    with pytest.raises(ShapeError, match="ids must be a tensor, got list"):
        reader([[1]], [1])


def test_padding_changes_nothing_and_attention_sums_to_one(data):
    torch.manual_seed(0)
    model = OneHeadReader(len(data.vocabulary), positions=True)
    lengths = torch.tensor([2])
    short, weights = model.look(torch.tensor([[3, 2]]), lengths)
    long, padded = model.look(torch.tensor([[3, 2, 0, 7]]), lengths)
    assert torch.allclose(short, long, atol=1e-6)
    assert weights.sum().item() == pytest.approx(1)
    assert padded[0, 2:].tolist() == [0, 0]
