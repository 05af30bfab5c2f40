"""Beam search: follow the few best sequences at once, and choose at the end."""

import math
from dataclasses import dataclass, field

import torch

from tutorial_lib.decoding.continuation import Continuation, as_sequences, as_stops, check_prompts
from tutorial_lib.decoding.sampling import check_logits
from tutorial_lib.errors import ShapeError


def length_penalty(length, alpha):
    """Return ((5 + length) / 6)^alpha, which log p is divided by (Wu et al. 2016, eq. 14).

    A longer sequence multiplies more probabilities, so without a penalty (alpha = 0) short ones
    win; the more alpha, the longer the winner.

    >>> length_penalty(7, alpha=0.0), length_penalty(7, alpha=1.0)
    (1.0, 2.0)
    """
    return ((5 + length) / 6) ** alpha


@torch.no_grad()
def beam_search_naive(model, prompt, max_new_tokens, beams=4, alpha=0.6, stop=()):
    """Return the best continuation of one prompt, a list of ids, by a decoder-only model.

    The same ids as `beam_search(...).best`, without its cache and without its tree. stop is a
    collection of ids.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, context=8, d_model=4, n_layers=1, n_heads=1))
    >>> beam_search_naive(model, [1, 2], 5) == beam_search(model, [1, 2], 5).best
    True
    """
    device = next(model.parameters()).device
    going_on, finished = [(0.0, list(prompt))], []  # pairs: log p of what was added, all ids
    for _ in range(max_new_tokens):
        candidates = []  # each sequence with each token that may come next
        for total, ids in going_on:
            seen = torch.tensor([ids[-model.config.context :]], device=device)  # (1, T)
            log_p = model(seen)[0, -1].log_softmax(dim=-1)  # (V,)
            candidates += [(total + p, [*ids, token]) for token, p in enumerate(log_p.tolist())]
        candidates.sort(key=lambda candidate: candidate[0], reverse=True)  # the likeliest first
        finished += [(p, ids) for p, ids in candidates[:beams] if ids[-1] in stop]
        going_on = [(p, ids) for p, ids in candidates if ids[-1] not in stop][:beams]

    def score(candidate):  # log p falls with every token: compare it for its length
        total, ids = candidate
        return total / length_penalty(len(ids) - len(prompt), alpha)

    return max(finished + going_on, key=score)[1]


@dataclass(frozen=True)
class Beam:
    """One result: its ids with the prompt, log p of what was added, and the score it won with.

    score = log_probability / length_penalty(tokens added). finished: it ended in a stop token.
    """

    ids: list[int]
    log_probability: float
    score: float
    finished: bool


@dataclass
class Node:
    """One candidate in the tree of a search: a token after its parent.

    step counts from 1; parent is the index of a node in the tree, None right after the prompt;
    log_probability is that of the whole path; state is "kept" (the search went on from it),
    "finished" (it ends in a stop token) or "dropped".
    """

    step: int
    token: int
    parent: int | None
    log_probability: float
    state: str = "dropped"


@dataclass
class BeamSearch:
    """What one search found: `beams`, best first, and `tree`, every candidate it weighed.

    ends[i] is the index of the node on which beams[i] ends; alpha is the search's exponent.
    """

    beams: list[Beam] = field(default_factory=list)
    tree: list[Node] = field(default_factory=list)
    alpha: float = 0.0
    ends: list[int] = field(default_factory=list)

    @property
    def best(self):
        """The ids of the best beam."""
        return self.beams[0].ids

    def path(self, index):
        """Return the indices of the nodes that lead to a node, the first token's first."""
        way = []
        while index is not None:
            way.append(index)
            index = self.tree[index].parent
        return way[::-1]

    def score(self, index):
        """Return log p of a node's whole path, divided by the penalty of its length."""
        node = self.tree[index]
        return node.log_probability / length_penalty(node.step, self.alpha)

    def __repr__(self):
        return f"BeamSearch({len(self.beams)} beams, {len(self.tree)} candidates)"


def beam_search(
    model,
    prompts,
    max_new_tokens,
    *,
    beams=4,
    alpha=0.6,
    stop=(),
    source=None,
    source_mask=None,
    cached=True,
    slide=1,
):
    """Return a BeamSearch for each prompt: all its beams with scores, best first, and the tree.

    prompts, source, source_mask, stop, cached, slide: as for `generate`, but the prompts of one
    call must be equally long; one prompt gives one BeamSearch, several a list. alpha is the
    exponent of `length_penalty` (0.6 in Vaswani et al. 2017, section 6.1).

    At each step every beam is continued with every token and the best `beams` continuations go
    on; those that end in a stop token are put aside when they are among these best. The search
    ends when no beam can still overtake the finished ones, or after max_new_tokens; unfinished
    beams are then ranked with the others.

    `beam_search_naive` is the same in a dozen lines.
    Raises ValueError for less than one beam, a negative alpha or no token to make; for the rest
    the errors of `generate`.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, context=8, d_model=4, n_layers=1, n_heads=1))
    >>> beam_search(model, [1, 2], max_new_tokens=2, beams=3)
    BeamSearch(3 beams, 12 candidates)
    """
    if beams < 1:
        raise ValueError(f"beams must be at least 1, got {beams}")
    if not 0 <= alpha < math.inf:
        raise ValueError(f"alpha must be a finite number of at least 0, got {alpha}")
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens must be at least 1, got {max_new_tokens}")
    prompts, several = as_sequences(prompts, source)
    ids, lengths = check_prompts(model, prompts)
    if len(set(lengths)) > 1:
        raise ShapeError(f"the prompts of one beam search must be equally long, got {lengths}")
    stops = as_stops(stop)
    searches = [_Search(prompt, beams, alpha, max_new_tokens, stops) for prompt in prompts]
    rows = len(searches) * beams
    reader = Continuation(
        model,
        rows,
        source,
        source_mask,
        copies=beams,
        cached=cached,
        slide=slide,
        longest=ids.size(1) + max_new_tokens,
    )
    ids = ids.repeat_interleave(beams, dim=0)  # (B * beams, T)
    # All beams of a search begin alike: only the first is real until they part.
    totals = torch.tensor([0.0] + [-math.inf] * (beams - 1), device=ids.device)
    totals = totals.repeat(len(searches))  # (B * beams,)
    # Every beam may propose each stop token; enough others must be left to go on.
    n_candidates = beams * max(2, 1 + len(stops))
    for _ in range(max_new_tokens):
        logits = reader(ids)  # (B * beams, V)
        check_logits(logits)
        # Every beam with every token, and of each search the best of these.
        log_p = totals[:, None] + logits.log_softmax(dim=-1)  # (B * beams, V)
        by_search = log_p.view(len(searches), -1)  # (B, beams * V)
        best = by_search.topk(min(n_candidates, by_search.size(1)))
        # Each search puts aside what ends, and says which beams go on with which tokens.
        rows, tokens, totals = [], [], []
        for b, (values, indices) in enumerate(
            zip(best.values.tolist(), best.indices.tolist(), strict=True)
        ):
            beam_and_token = (divmod(index, log_p.size(1)) for index in indices)
            for beam, token, total in searches[b].advance(values, beam_and_token):
                rows.append(b * beams + beam)
                tokens.append(token)
                totals.append(total)
        if all(search.done for search in searches):
            break
        rows, tokens = torch.tensor([rows, tokens], device=ids.device)
        totals = torch.tensor(totals, dtype=log_p.dtype, device=ids.device)
        reader.reorder(rows)
        ids = torch.cat([ids[rows], tokens[:, None]], dim=1)
    results = [search.result() for search in searches]
    return results if several else results[0]


class _Search:
    """The search from one prompt: the tree so far, and which of its nodes still count."""

    def __init__(self, prompt, n_beams, alpha, max_new_tokens, stops):
        self.prompt = prompt
        self.n_beams = n_beams
        self.max_new_tokens = max_new_tokens
        self.stops = stops
        self.found = BeamSearch(alpha=alpha)
        self.tree = self.found.tree
        self.alive = [None] * n_beams  # the node on which each beam stands; None: the prompt
        self.finished = []
        self.step = 0
        self.done = False

    def advance(self, totals, beams_and_tokens):
        """Take candidates, best first; return those that go on, n_beams of (beam, token, total)."""
        going_on, nodes = [], []
        if not self.done:
            self.step += 1
            for rank, (total, (beam, token)) in enumerate(
                zip(totals, beams_and_tokens, strict=True)
            ):
                if total == -math.inf:  # what follows is impossible, or belongs to no beam
                    break
                node = Node(self.step, token, self.alive[beam], total)
                self.tree.append(node)
                if token in self.stops:
                    if rank < self.n_beams:
                        node.state = "finished"
                        self.finished.append(len(self.tree) - 1)
                elif len(nodes) < self.n_beams:
                    node.state = "kept"
                    nodes.append(len(self.tree) - 1)
                    going_on.append((beam, token, total))
            self.alive = nodes
            self.done = self.step == self.max_new_tokens or self._decided()
        # Rows without a beam carry log p = minus infinity: they never become candidates.
        return going_on + [(0, 0, -math.inf)] * (self.n_beams - len(going_on))

    def _decided(self):
        """Whether no beam that goes on can still reach the best n_beams."""
        if not self.alive:
            return True
        if len(self.finished) < self.n_beams:
            return False
        # More tokens only lower log p; at best nothing is lost up to the largest penalty.
        attainable = self.tree[self.alive[0]].log_probability
        attainable /= length_penalty(self.max_new_tokens, self.found.alpha)
        return attainable <= sorted(map(self.found.score, self.finished))[-self.n_beams]

    def result(self):
        """Return the search with the best n_beams of what finished and what was still going on."""
        best = sorted(self.finished + self.alive, key=self.found.score, reverse=True)
        self.found.ends = best[: self.n_beams]
        self.found.beams = [self._beam(node) for node in self.found.ends]
        return self.found

    def _beam(self, index):
        node = self.tree[index]
        ids = self.prompt + [self.tree[step].token for step in self.found.path(index)]
        return Beam(ids, node.log_probability, self.found.score(index), node.state == "finished")
