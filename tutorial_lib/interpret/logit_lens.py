"""The logit lens: what a model would say next if it stopped after each layer (nostalgebraist 2020).

Every layer adds to the same D numbers, and the last layer's numbers become logits. So the numbers
of an earlier layer can be read in the same way: through the final norm and the output layer.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F

from tutorial_lib.errors import VocabularyError


class LogitLens(NamedTuple):
    """What `logit_lens` has read; layer 0 is what enters the first layer.

    ids (T,): the tokens that were read; top_ids and top_probabilities (L + 1, T, n): the likeliest
    next tokens, likeliest first; states (L + 1, T, D), after the final norm; log_sums (L + 1, T):
    the logarithm of the sum of exp(logits); output_vectors (V, D), which the states are
    multiplied by to give logits.
    """

    ids: torch.Tensor
    top_ids: torch.Tensor
    top_probabilities: torch.Tensor
    states: torch.Tensor
    log_sums: torch.Tensor
    output_vectors: torch.Tensor

    def probability(self, token_id):
        """Return how likely one token is next after each layer and position, (L + 1, T).

        Raises VocabularyError for an id outside the vocabulary.
        """
        if not 0 <= token_id < len(self.output_vectors):
            last = len(self.output_vectors) - 1
            raise VocabularyError(f"token ids run from 0 to {last}, got {token_id}")
        logits = self.states @ self.output_vectors[token_id].float()  # (L + 1, T)
        return (logits - self.log_sums).exp()


@torch.no_grad()
def logit_lens(model, ids, n=5):
    """Read the hidden states of a decoder-only model as if each layer were its last.

    ids (1, T) as the model takes them, in evaluation mode; n: how many tokens are kept of each
    position. Returns a LogitLens. Raises as the model does.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> sizes = {"context": 8, "d_model": 4, "n_layers": 2, "n_heads": 1}
    >>> model = GPT(GPTConfig(vocab_size=9, **sizes)).eval()
    >>> logit_lens(model, torch.tensor([[1, 5, 2]]), n=3).top_ids.shape
    torch.Size([3, 3, 3])
    """
    *earlier, last = (state[0] for state in model.hidden_states(ids))  # L + 1 of (T, D)
    states = [*(model.final_norm(state) for state in earlier), last]
    vectors = model.output_vectors.detach()  # (V, D)
    likeliest, log_sums = [], []
    for state in states:  # one layer at a time: all logits together would fill the memory
        logits = F.linear(state, vectors).float()  # (T, V)
        log_sums.append(logits.logsumexp(-1))
        likeliest.append(logits.topk(min(n, logits.size(-1))))
    log_sums = torch.stack(log_sums)
    top_logits = torch.stack([found.values for found in likeliest])  # (L + 1, T, n)
    return LogitLens(
        ids[0],
        torch.stack([found.indices for found in likeliest]),
        (top_logits - log_sums[..., None]).exp(),
        torch.stack(states).float(),
        log_sums,
        vectors,
    )
