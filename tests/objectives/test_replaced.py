import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.errors import MissingHeadError, ShapeError, VocabularyError
from tutorial_lib.models import ELECTRAConfig
from tutorial_lib.objectives import (
    electra_loss,
    mask_tokens,
    masked_token_loss,
    replace_tokens,
    replaced_token_loss,
)

SIZES = {"vocab_size": 19, "context": 8, "d_model": 16, "n_layers": 2, "n_heads": 4}
CONFIG = ELECTRAConfig(**SIZES, embedding_size=6, replaced=True)


@pytest.fixture
def batch():
    torch.manual_seed(1)
    ids, segments = torch.randint(3, 19, (4, 8)), torch.randint(2, (4, 8))
    mask = torch.arange(8) < torch.tensor([[8], [5], [8], [3]])
    return mask_tokens(ids, 1, 19, [0, 2], segments, mask, share=0.5)


def sure_of(ids):
    return F.one_hot(ids, 19) * 1000.0


def test_a_token_drawn_as_it_was_counts_as_original(batch):
    right = replace_tokens(sure_of(batch.targets), batch)
    assert not right.replaced.any()
    wrong = replace_tokens(sure_of((batch.targets + 1) % 19), batch)
    assert wrong.replaced.equal(batch.chosen)
    assert wrong.ids[batch.chosen].equal((batch.targets + 1) % 19)
    for found in (right, wrong):
        assert found.ids[~batch.chosen].equal(batch.ids[~batch.chosen])
        assert found.mask is batch.mask
        assert found.segments is batch.segments
    assert not batch.ids[batch.chosen].equal(batch.targets)  # the batch itself is as it was


def test_tokens_are_drawn_as_often_as_they_are_likely():
    ids = torch.full((1, 4000), 5)
    batch = mask_tokens(ids, 1, 19, [0, 2], share=1.0)
    logits = torch.full((4000, 19), -100.0)
    logits[:, 5], logits[:, 7] = 0.0, torch.tensor(3.0).log()
    found = replace_tokens(logits, batch, torch.Generator().manual_seed(0))
    assert found.replaced.float().mean() == pytest.approx(0.75, abs=0.03)
    again = replace_tokens(logits, batch, torch.Generator().manual_seed(0))
    assert again.ids.equal(found.ids)


def test_every_real_token_teaches_the_discriminator(batch):
    torch.manual_seed(0)
    model = CONFIG.build().eval()
    found = replace_tokens(sure_of((batch.targets + 1) % 19), batch)
    logits = model.replaced_logits(model(found.ids, found.segments, found.mask))
    said = torch.where(found.replaced, logits.sigmoid(), 1 - logits.sigmoid())
    assert_close(replaced_token_loss(model, found), -said[batch.mask].log().mean())
    unmasked = found._replace(mask=None)
    logits = model.replaced_logits(model(found.ids, found.segments))
    said = torch.where(found.replaced, logits.sigmoid(), 1 - logits.sigmoid())
    assert_close(replaced_token_loss(model, unmasked), -said.log().mean())


def test_the_discriminator_cannot_teach_the_generator(batch):
    torch.manual_seed(0)
    discriminator, generator = CONFIG.build(), CONFIG.generator(0.5).build()
    sampler = torch.Generator().manual_seed(0)
    electra_loss(generator, discriminator, batch, sampler=sampler).backward()
    jointly = [parameter.grad.clone() for parameter in generator.parameters()]
    generator.zero_grad()
    masked_token_loss(generator, batch).backward()
    for parameter, other in zip(generator.parameters(), jointly, strict=True):
        assert_close(parameter.grad, other)
    assert all(parameter.grad is not None for parameter in discriminator.parameters())


def test_both_losses_are_added(batch):
    torch.manual_seed(0)
    discriminator, generator = CONFIG.build().eval(), CONFIG.generator(0.5).build().eval()
    with torch.no_grad():
        hidden = generator(batch.ids, batch.segments, batch.mask)
        found = replace_tokens(
            generator.mlm_logits(hidden[batch.chosen]), batch, torch.Generator().manual_seed(0)
        )
        parts = masked_token_loss(generator, batch), replaced_token_loss(discriminator, found)
        options = ({"weight": 3.0}, {})
        light, heavy = (
            electra_loss(
                generator, discriminator, batch, **o, sampler=torch.Generator().manual_seed(0)
            )
            for o in options
        )
    assert_close(light, parts[0] + 3 * parts[1])
    assert_close(heavy, parts[0] + 50 * parts[1])


def test_what_does_not_fit_is_refused(batch):
    with pytest.raises(ShapeError, match=r"logits must be \(N, V\) with N = "):
        replace_tokens(torch.zeros(4, 8, 19), batch)
    with pytest.raises(ShapeError, match=r"the chosen positions, got \(\d+,\)"):
        replace_tokens(torch.zeros(len(batch.targets)), batch)
    larger = ELECTRAConfig(**SIZES | {"vocab_size": 20}, mlm=True).build()
    with pytest.raises(VocabularyError, match="draws from 20 tokens, the discriminator reads 19"):
        electra_loss(larger, CONFIG.build(), batch)
    assert electra_loss(CONFIG.generator(0.5).build(), as_large(20), batch) > 0
    with pytest.raises(MissingHeadError, match="has no MLM head"):
        electra_loss(CONFIG.build(), CONFIG.build(), batch)
    with pytest.raises(MissingHeadError, match="has no head for replaced tokens"):
        electra_loss(larger, as_large(20, replaced=False), batch)


def as_large(vocab_size, replaced=True):
    return ELECTRAConfig(**SIZES | {"vocab_size": vocab_size}, replaced=replaced).build()
