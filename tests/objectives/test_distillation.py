import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.errors import MissingHeadError, ShapeError, VocabularyError
from tutorial_lib.models import BERTConfig, DistilBERT, DistilBERTConfig
from tutorial_lib.objectives import (
    DistillationWeights,
    distillation_loss,
    mask_tokens,
    masked_token_loss,
    soft_target_loss,
)

SIZES = {"vocab_size": 19, "context": 8, "d_model": 12, "n_layers": 4, "n_heads": 3}
OFF = DistillationWeights(0.0, 0.0, 0.0)


@pytest.fixture
def pair():
    torch.manual_seed(0)
    teacher = BERTConfig(**SIZES, mlm=True).build().eval()
    for parameter in teacher.parameters():  # far from the gentle initialisation
        torch.nn.init.normal_(parameter, std=0.4)
    return DistilBERT.from_teacher(teacher).eval(), teacher


@pytest.fixture
def batch():
    torch.manual_seed(1)
    ids, segments = torch.randint(3, 19, (4, 8)), torch.randint(2, (4, 8))
    mask = torch.arange(8) < torch.tensor([[8], [5], [8], [3]])
    return mask_tokens(ids, 1, 19, [0, 2], segments, mask, share=0.5)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_soft_targets_as_written_out(temperature):
    torch.manual_seed(0)
    student, teacher = torch.randn(6, 5), torch.randn(6, 5)
    p = (teacher / temperature).softmax(-1)
    q = (student / temperature).softmax(-1)
    expected = temperature**2 * (p * (p / q).log()).sum(-1).mean()
    assert_close(soft_target_loss(student, teacher, temperature), expected)
    # torch's own, which wants the logarithm first
    theirs = F.kl_div(q.log(), p, reduction="batchmean") * temperature**2
    assert_close(soft_target_loss(student, teacher, temperature), theirs)


def test_the_factor_keeps_the_gradients_as_large_at_high_temperatures():
    torch.manual_seed(0)
    teacher, sizes = torch.randn(100, 8), []
    for temperature in (5.0, 20.0):
        student = torch.randn(100, 8, generator=torch.Generator().manual_seed(1)).requires_grad_()
        soft_target_loss(student, teacher, temperature).backward()
        sizes.append(student.grad.norm().item())
    assert sizes[0] / sizes[1] == pytest.approx(1, abs=0.1)  # without it 16 times


def test_no_gradient_reaches_the_teacher(pair, batch):
    student, teacher = pair
    distillation_loss(student, teacher, batch).backward()
    assert all(parameter.grad is None for parameter in teacher.parameters())
    assert all(parameter.grad is not None for parameter in student.parameters())
    logits = torch.zeros(2, 3, requires_grad=True)
    soft_target_loss(torch.ones(2, 3, requires_grad=True), logits).backward()
    assert logits.grad is None


def test_each_part_counts_as_its_weight_says(pair, batch):
    student, teacher = pair
    with torch.no_grad():
        parts = [
            distillation_loss(student, teacher, batch, weights=OFF._replace(**{name: 1.0}))
            for name in OFF._fields
        ]
        whole = distillation_loss(student, teacher, batch)
    assert_close(whole, 5 * parts[0] + 2 * parts[1] + parts[2])
    with torch.no_grad():
        plain = masked_token_loss(student, batch._replace(segments=None))
        hidden = student(batch.ids, mask=batch.mask)[batch.mask]
        wanted = teacher(batch.ids, batch.segments, batch.mask)[batch.mask]
        away = F.cosine_embedding_loss(hidden, wanted, torch.ones(len(hidden)))
    assert_close(parts[1], plain)
    assert_close(parts[2], away)
    assert min(part.item() for part in parts) > 0


def test_the_padding_of_a_batch_changes_no_loss(pair, batch):
    student, teacher = pair
    ids = torch.where(batch.mask, batch.ids, torch.randint(3, 19, batch.ids.shape))
    with torch.no_grad():
        found = distillation_loss(student, teacher, batch._replace(ids=ids))
        assert_close(found, distillation_loss(student, teacher, batch))


def test_a_student_with_segments_is_given_them_and_no_mask_means_no_padding(pair, batch):
    _, teacher = pair
    student = BERTConfig(**SIZES | {"n_layers": 2}, mlm=True).build().eval()
    torch.nn.init.normal_(student.segment_embedding.weight)
    with torch.no_grad():
        found = distillation_loss(student, teacher, batch, weights=OFF._replace(masked_tokens=1.0))
        assert_close(found, masked_token_loss(student, batch))
        whole = batch._replace(mask=torch.ones_like(batch.mask))
        expected = distillation_loss(student, teacher, whole)
        assert_close(distillation_loss(student, teacher, batch._replace(mask=None)), expected)


def test_bodies_without_heads_can_learn_by_the_cosine_alone(pair, batch):
    student, teacher = (model.with_heads(mlm=False) for model in pair)
    weights = OFF._replace(cosine=1.0)
    expected = distillation_loss(*pair, batch, weights=weights)
    assert_close(distillation_loss(student, teacher, batch, weights=weights), expected)
    with pytest.raises(MissingHeadError, match="this DistilBERT has no MLM head"):
        distillation_loss(student, teacher, batch)
    with pytest.raises(MissingHeadError, match="this BERT has no MLM head"):
        distillation_loss(pair[0], teacher, batch)


def test_a_pair_that_cannot_learn_is_refused(pair, batch):
    _, teacher = pair
    other = DistilBERTConfig(**SIZES | {"vocab_size": 20}, mlm=True).build()
    with pytest.raises(VocabularyError, match="the student reads 20 tokens, its teacher 19"):
        distillation_loss(other, teacher, batch)
    narrow = DistilBERTConfig(**SIZES | {"d_model": 6}, mlm=True).build()
    with pytest.raises(ShapeError, match="6 wide, its teacher's 12: give the cosine the weight 0"):
        distillation_loss(narrow, teacher, batch)
    assert distillation_loss(narrow, teacher, batch, weights=DistillationWeights(cosine=0.0)) > 0
    with pytest.raises(ShapeError, match=r"logits \(1, 3\) and \(1, 4\)"):
        soft_target_loss(torch.zeros(1, 3), torch.zeros(1, 4))
    with pytest.raises(ValueError, match="temperature must be above 0, got 0"):
        soft_target_loss(torch.zeros(1, 3), torch.zeros(1, 3), 0)
