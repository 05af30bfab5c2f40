import pytest
import torch

from tutorial_lib.errors import ContextError, ShapeError, VocabularyError
from tutorial_lib.models import PictureWriter, PictureWriterConfig

SIZES = {
    "vocab_size": 7,
    "caption_length": 3,
    "image_size": 8,
    "d_hidden": 4,
    "n_codes": 5,
    "width": 3,
    "d_model": 8,
    "n_layers": 2,
    "n_heads": 2,
}


@pytest.fixture
def writer():
    torch.manual_seed(0)
    return PictureWriterConfig(**SIZES).build().eval()


def test_logits_are_those_of_the_gpt_on_caption_and_codes(writer):
    captions = writer.padded([[2, 3], [4]])
    codes = torch.randint(5, (2, 2, 2))
    assert captions.tolist() == [[2, 3, 0], [4, 0, 0]]
    ids = torch.cat([captions, codes.flatten(1) + 7], dim=1)
    expected = writer.gpt(ids[:, :-1])[:, 2:, 7:]
    torch.testing.assert_close(writer(captions, codes), expected)
    picked = expected.log_softmax(-1).gather(-1, codes.flatten(1)[..., None])[..., 0]
    torch.testing.assert_close(writer.nats(captions, codes), -picked.mean(1))
    torch.testing.assert_close(writer.loss(captions, codes), -picked.mean())


def test_a_code_depends_on_the_caption_and_on_the_codes_before_it(writer):
    captions, codes = writer.padded([[2, 3]]), torch.zeros(1, 2, 2, dtype=torch.long)
    before = writer(captions, codes)
    later = codes.clone()
    later[0, 1, 0] = 3
    assert torch.equal(writer(captions, later)[:, :3], before[:, :3])
    assert not torch.equal(writer(captions, later)[:, 3], before[:, 3])
    assert not torch.equal(writer(writer.padded([[2, 4]]), codes)[:, 0], before[:, 0])


def test_what_is_written_is_as_likely_as_the_logits_say(writer):
    captions = writer.padded([[2, 3]]).expand(4_000, -1)
    codes = writer.write(captions, seed=0)
    assert codes.shape == (4_000, 2, 2)
    first = writer(captions[:1], codes[:1])[0, 0].softmax(-1)
    shares = codes[:, 0, 0].bincount(minlength=5) / 4_000
    torch.testing.assert_close(shares, first.detach(), atol=0.03, rtol=0)
    some = codes[:, 0, 0] == 1  # and the last one, given those before it
    same = some & (codes[:, 0, 1] == 2) & (codes[:, 1, 0] == 0)
    given = writer(captions[:1], torch.tensor([[[1, 2], [0, 0]]]))[0, 3].softmax(-1)
    shares = codes[same, 1, 1].bincount(minlength=5) / same.sum()
    torch.testing.assert_close(shares, given.detach(), atol=0.25, rtol=0)


def test_seeds_heat_and_the_likeliest(writer):
    captions = writer.padded([[2, 3], [1]])
    assert torch.equal(writer.write(captions, seed=1), writer.write(captions, seed=1))
    greedy = writer.write(captions, seed=0, among=1)
    assert torch.equal(greedy, writer.write(captions, seed=5, among=1))
    assert torch.equal(greedy, writer.write(captions, seed=2, heat=1e-4))
    best = writer(captions, greedy).argmax(-1)
    assert torch.equal(best, greedy.flatten(1))


def test_pictures_are_painted_by_the_autoencoder(writer):
    codes = writer.write(writer.padded([[2, 3]]), seed=0)
    painted = writer.paint(codes)
    assert painted.shape == (1, 3, 8, 8)
    assert torch.equal(painted, writer.autoencoder.decode(codes))


def test_it_is_read_back_as_it_was_saved(writer, tmp_path):
    writer.save(tmp_path / "writer.safetensors")
    again = PictureWriter.load(tmp_path / "writer.safetensors")
    captions = writer.padded([[2, 3]])
    assert again.config == writer.config
    assert torch.equal(again.write(captions, seed=3), writer.write(captions, seed=3))


def test_bad_input_is_refused(writer):
    codes = torch.zeros(1, 2, 2, dtype=torch.long)
    with pytest.raises(ShapeError, match="an empty one"):
        writer.padded([[1], []])
    with pytest.raises(ContextError, match="at most 3 tokens, got 4"):
        writer.padded([[1, 2, 3, 4]])
    with pytest.raises(VocabularyError, match="between 0 and 6, got 7"):
        writer.write(torch.tensor([[7, 0, 0]]))
    with pytest.raises(VocabularyError, match="begins with a token"):
        writer.write(torch.tensor([[0, 0, 0]]))
    with pytest.raises(ShapeError, match=r"expected captions \(B, 3\), got \(1, 2\)"):
        writer.write(torch.tensor([[1, 2]]))
    captions = writer.padded([[1]])
    with pytest.raises(ShapeError, match=r"expected codes \(1, 2, 2\), got \(1, 4\)"):
        writer(captions, codes.flatten(1))
    with pytest.raises(VocabularyError, match="codes must lie between 0 and 4, got 5"):
        writer(captions, codes + 5)
    with pytest.raises(VocabularyError, match="between 0 and 4, got 5"):
        writer.paint(codes + 5)
