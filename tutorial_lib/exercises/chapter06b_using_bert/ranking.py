"""Chapter 06b: a search whose results depend on their company."""

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from tutorial_lib.exercises.chapter06b_using_bert.measures import (
    HIDDEN,
    MASK,
    POOLING,
    shares,
)
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case

QUESTION = "What happened in the war?"
TEXTS = (
    "We lost.",
    "The king is dead.",
    "Supper is served.",
    "Where is my daughter?",
    "The soldiers won the battle.",
    "Is there any news from the army?",
    "She sang to the flowers in the garden, and nobody heard it.",
    "I would give all that I have, my house and my horses and the ring on my finger, for one hour "
    "of sleep.",
    "A messenger came in the night and told us that our soldiers had beaten the enemy at the "
    "river, and that their king was taken.",
)


def text_vectors(hidden, mask):
    """Return one vector of length 1 a text, (B, D), for a model that was trained with the mean.

    hidden (B, T, D), the model's vector for each token; mask (B, T), True = a real token.
    """
    real = mask[..., None]  # (B, T, 1)
    pooled = (hidden * real).sum(dim=1) / real.sum(dim=1)
    return pooled / pooled.norm(dim=-1, keepdim=True)


def text_vectors_by_text(hidden, mask):
    """Second style."""
    means = [words[real].mean(dim=0) for words, real in zip(hidden, mask, strict=True)]
    return torch.stack([F.normalize(mean, dim=0) for mean in means])


def text_vectors_first(hidden, mask):
    """This takes the first token, [CLS], in place of the mean."""
    pooled = hidden[:, 0]
    return pooled / pooled.norm(dim=-1, keepdim=True)


def text_vectors_padding(hidden, mask):
    """This takes the mean over the padding too."""
    pooled = hidden.mean(dim=1)
    return pooled / pooled.norm(dim=-1, keepdim=True)


def text_vectors_last(hidden, mask):
    """This takes the last position, where [SEP] should be, in place of the mean."""
    pooled = hidden[:, -1]
    return pooled / pooled.norm(dim=-1, keepdim=True)


def text_vectors_largest(hidden, mask):
    """This takes the largest of each number over all positions, padding too, not the mean."""
    pooled = hidden.amax(dim=1)
    return pooled / pooled.norm(dim=-1, keepdim=True)


def text_vectors_any_length(hidden, mask):
    """This does not bring the means to length 1."""
    real = mask[..., None]  # (B, T, 1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


def text_vectors_over_texts(hidden, mask):
    """This takes the norm along the texts, dim 0: a vector's own norm runs along D."""
    real = mask[..., None]
    pooled = (hidden * real).sum(dim=1) / real.sum(dim=1)
    return pooled / pooled.norm(dim=0)


def text_vectors_sum(hidden, mask):
    """This takes the sum over the real tokens, and does not bring it to length 1."""
    real = mask[..., None]  # (B, T, 1)
    return (hidden * real).sum(dim=1)


def text_vectors_cases():
    """Texts of unequal length; padding whose vectors are far from 0."""
    lengths = torch.tensor([[2], [5], [3]])
    return [
        case("one text", torch.randn(1, 3, 4), torch.ones(1, 3).bool()),
        case("3 texts, padded", torch.randn(3, 5, 4) + 2, torch.arange(5) < lengths),
    ]


@torch.no_grad()
def ranking(text_vectors, model, tokenizer, question=QUESTION, texts=TEXTS):
    """Search texts with these vectors: one (text, score together, score alone) each, best first.

    model is a BERT, tokenizer the WordPieceTokenizer it was trained with. The question is read by
    itself; the texts once all in one batch, filled up to the longest, and once one by one. The
    score is the scalar product with the question's vector, and ranks the texts of the batch.
    """

    def vectors(texts):
        rows = [torch.tensor(tokenizer.encode(text).ids) for text in texts]
        ids = pad_sequence(rows, batch_first=True, padding_value=tokenizer.pad_id)  # (B, T)
        mask = ids != tokenizer.pad_id
        return text_vectors(model(ids, mask=mask), mask)

    asked = vectors([question])[0]  # (D,)
    together = (vectors(texts) @ asked).tolist()
    alone = [(vectors([text])[0] @ asked).item() for text in texts]
    return sorted(zip(texts, together, alone, strict=True), key=lambda row: -row[1])


def means_as_they_are(answer):
    """A token whose vector is three times as long counts for three times as much."""
    if not shares(answer)[:, 1].all():
        return None
    longer = HIDDEN.clone()
    longer[:, 1] *= 3
    return not torch.allclose(answer(longer, MASK), answer(HIDDEN, MASK), atol=1e-4)


def takes_the_mean(answer):
    """What all tokens share counts for more than what one has."""
    shared = HIDDEN.clone()
    shared[..., 8] = 1
    found = answer(shared, MASK)
    return not torch.allclose(found[:, 1], found[:, 8], atol=1e-4)


def has_length_one(answer):
    """Each vector, whatever the length of the mean."""
    hidden = 3 * HIDDEN + torch.arange(9.0)
    lengths = answer(hidden, MASK).norm(dim=-1)
    return torch.allclose(lengths, torch.ones(2), atol=1e-4) or (
        f"The vectors have the lengths {', '.join(f'{x:.3g}' for x in lengths.tolist())}: divide "
        "each by its own norm, along D."
    )


SEARCH_RANKING = Symptom(
    id="6b.6",
    title="The longest text wins",
    level="hard",
    text="""
The table above ranks nine texts by their score for a question. Each was read twice: *together* with
the others in one batch, where padding fills every text up to the length of the longest, and
*alone*, without padding. The model is sound (it was trained so that the means of the tokens'
vectors are close for texts of like meaning), and alone, every score is what sound code gives. But
the vectors were made by code with one of these mistakes. Look at *which* texts change in company,
and how much. Choose the letter, then repair `text_vectors` with tensor operations of your own,
without `mean_pool`.
""",
    hints=(
        "A text means the same alone and in company. Which scores changed, and which one did not?",
        "The text of 28 tokens gets one token of filling, the text of 5 gets 24. What would one "
        "token of filling do under each letter?",
        "Which of the four is changed only a little by a little filling, and always downwards?",
    ),
    solution=text_vectors,
    second_style=text_vectors_by_text,
    mistakes=(
        text_vectors_first,
        text_vectors_last,
        text_vectors_padding,
        text_vectors_largest,
        text_vectors_any_length,
        text_vectors_sum,
        text_vectors_over_texts,
    ),
    shown=text_vectors_padding,
    looks=(
        "Each text would have the same score alone and in the batch, and all scores would be high "
        "and close together: that vector alone was never trained to tell texts apart.",
        "A text that is filled at all would be read at a token of filling. The text of 28 tokens, "
        "with a single one, would fall from 0.14 to 0.05, and not keep its score.",
        "A text would score less in the batch than alone, the more it is filled; the longest, "
        "which needs no filling, would keep its score.",
        "All scores would be high, 0.6 to 0.8, and nearly all would *rise* in company: more "
        "tokens make the largest number of them larger.",
    ),
    cases=text_vectors_cases,
    properties=(
        *POOLING,
        Property(
            "Each token's vector is brought to length 1 before the mean: take the mean of the "
            "vectors as they are, and bring that one to length 1.",
            means_as_they_are,
        ),
        Property(
            "It takes the largest number of the tokens: their mean is asked for.", takes_the_mean
        ),
        Property("Each vector must have length 1.", has_length_one),
    ),
    see="6bF Search by meaning",
)
