"""A beam search as a tree: what was weighed at each step, what went on, what was dropped."""

from dataclasses import dataclass

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.tokens import visible

WIDTH, HEIGHT = 1.1, 0.42  # of a box, in inches
ACROSS, DOWN = 1.38, 0.56  # from box to box
MOST_STEPS = 9
GREEDY = (0, (3, 1.6))  # the dashes of what greedy decoding takes


@dataclass(frozen=True)
class Candidate:
    """One box of the tree: the candidate of a step at a rank (0 = most probable).

    token: its label; text: all that its path has written; score: log p of the path divided by
    the penalty of its length; parent: the index of another candidate, None after the prompt;
    state: "kept", "finished" or "dropped"; wins: it lies on the winner's path.
    """

    step: int
    rank: int
    token: str
    text: str
    log_probability: float
    score: float
    parent: int | None
    state: str
    wins: bool


def token_label(tokenizer, token_id):
    """A token as it can be shown: a space is ·, a piece of a character or a control its bytes.

    >>> from tutorial_lib.tokenizers import BPETokenizer
    >>> tokenizer = BPETokenizer.train("so it is so", 258)
    >>> [token_label(tokenizer, i) for i in (32, 104, 195)]
    ['·', 'h', '<C3>']
    """
    raw = tokenizer.token_bytes(token_id)
    text = raw.decode(errors="replace")
    if "\ufffd" not in text and text.translate({9: None, 10: None}).isprintable():
        return visible(text)
    return "".join(f"<{byte:02X}>" for byte in raw)


def written_number(value):
    """A log-probability with two decimals and a real minus.

    >>> written_number(-10.128), written_number(-0.00005)
    ('−10.13', '−0.00')
    """
    return f"{value:.2f}".replace("-", "−")


def tree_candidates(search, tokenizer):
    """Return the Candidates of a BeamSearch, in the order of its tree.

    Raises ShapeError when nothing was searched.
    """
    if not search.tree:
        raise ShapeError("a beam tree needs a search that has weighed at least one candidate")
    winners = set(search.path(search.ends[0]))
    special = set(getattr(tokenizer, "special_tokens", {}).values())
    found, ranks = [], {}
    for index, node in enumerate(search.tree):
        ranks[node.step] = ranks.get(node.step, -1) + 1
        written = [search.tree[node_index].token for node_index in search.path(index)]
        found.append(
            Candidate(
                node.step,
                ranks[node.step],
                token_label(tokenizer, node.token),
                tokenizer.decode([token for token in written if token not in special]),
                node.log_probability,
                search.score(index),
                node.parent,
                node.state,
                index in winners,
            )
        )
    return found


def greedy_path(candidates):
    """Return the indices of the candidates that greedy decoding takes, as far as the tree has them.

    Each is the most probable one that continues the one before.
    """
    path, parent = [], None
    while children := [i for i, c in enumerate(candidates) if c.parent == parent]:
        parent = max(children, key=lambda i: candidates[i].log_probability)
        path.append(parent)
    return path


@style.styled
def beam_tree(search, tokenizer, title="", steps=None, figure=None):
    """A beam search as a tree: a column for each step, the most probable candidate on top.

    search: one BeamSearch. Each box has its token and log p of its path; what has finished also
    its score, log p over the length penalty. Blue went on, green has finished, grey was dropped,
    orange leads to the winner, and dashes to what greedy decoding takes, where that is another way.
    steps: the (first, last) to show, from 1; of a long search the first 9 are shown. Returns the
    figure. Raises ShapeError for an empty search or steps without a candidate.
    """
    candidates = tree_candidates(search, tokenizer)
    last_step = max(c.step for c in candidates)
    first, last = steps or (1, min(last_step, MOST_STEPS))
    last = min(last, last_step)
    if not 1 <= first <= last:
        raise ShapeError(f"steps must lie in 1 to {last_step}, got {steps}")
    shown = {i: c for i, c in enumerate(candidates) if first <= c.step <= last}
    n_ranks = 1 + max(c.rank for c in shown.values())
    width = (last - first + 2) * ACROSS
    figure = style.blank(figure, width + 0.6, n_ranks * DOWN + 1.3)
    axes = figure.subplots()
    left = {step: (step - first + 1) * ACROSS for step in range(first, last + 1)}
    begin = "<start>" if first == 1 else "…"
    axes.text(WIDTH - 0.08, -HEIGHT / 2, begin, ha="right", va="center", fontsize=10)
    if last < last_step:
        axes.text(width + 0.02, -HEIGHT / 2, "…", va="center", fontsize=12)
    greedy = {index for index in greedy_path(candidates) if not candidates[index].wins}
    for index, candidate in shown.items():
        _edge(axes, candidate, candidates, left, index in greedy)
    for index, candidate in shown.items():
        _candidate(axes, candidate, left[candidate.step], index in greedy)
    for step, x in left.items():
        centred = {"ha": "center", "va": "bottom", "color": style.MUTED, "fontsize": 9.5}
        axes.text(x + WIDTH / 2, 0.1, f"step {step}", **centred)
    _legend(axes, -n_ranks * DOWN - 0.2)
    axes.set(xlim=(-0.1, width + 0.2), ylim=(-n_ranks * DOWN - 0.35, 0.35), title=title)
    axes.set_aspect("equal")
    axes.axis("off")
    return figure


_COLOURS = {"kept": style.BLUE, "finished": style.GREEN, "dropped": style.MUTED}
_FILLS = {"kept": "#e4f0f8", "finished": "#d9f0e6", "dropped": style.CARD}


def _edge(axes, candidate, candidates, left, greedy):
    parent = None if candidate.parent is None else candidates[candidate.parent]
    x0 = left[parent.step] if parent is not None and parent.step in left else 0
    y0 = -DOWN * parent.rank if parent is not None and x0 else 0
    x1, y1 = left[candidate.step], -DOWN * candidate.rank
    line = {"color": style.GRID, "linewidth": 1.1, "zorder": 1}
    if candidate.state != "dropped":
        line = {"color": style.MUTED, "linewidth": 1.2, "zorder": 1.5}
    if candidate.wins:
        line = {"color": style.ORANGE, "linewidth": 2.6, "zorder": 2}
    if greedy:
        line = {"color": style.INK, "linewidth": 2.2, "zorder": 2, "linestyle": GREEDY}
    axes.plot([x0 + WIDTH, x1], [y0 - HEIGHT / 2, y1 - HEIGHT / 2], **line)


def _candidate(axes, candidate, x, greedy):
    y, dropped = -DOWN * candidate.rank, candidate.state == "dropped"
    colour = style.ORANGE if candidate.wins else _COLOURS[candidate.state]
    edge = style.INK if greedy else style.GRID if dropped else colour
    axes.add_patch(
        FancyBboxPatch(
            (x, y - HEIGHT),
            WIDTH,
            HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.05",
            facecolor=_FILLS[candidate.state],
            edgecolor=edge,
            linewidth=2.2 if candidate.wins else 1.8 if greedy else 1.3,
            linestyle=GREEDY if greedy else "-",
            zorder=3,
        )
    )
    token = candidate.token if len(candidate.token) <= 10 else candidate.token[:9] + "…"
    ink = style.MUTED if dropped else style.INK
    middle = {"ha": "center", "va": "center", "zorder": 4, "color": ink}
    axes.text(x + WIDTH / 2, y - 0.13, token, fontsize=9, **middle)
    numbers = written_number(candidate.log_probability)
    if candidate.state == "finished":
        numbers += f" → {written_number(candidate.score)}"
    axes.text(x + WIDTH / 2, y - 0.29, numbers, fontsize=8, **middle)


def _legend(axes, y):
    words = (
        ("leads to the winner", style.ORANGE, "-", 1.75),
        ("taken by greedy", style.INK, GREEDY, 1.55),
        ("went on", style.BLUE, "-", 1.0),
        ("finished: log p → score", style.GREEN, "-", 1.95),
        ("dropped", style.GRID, "-", 1.0),
    )
    x = 0.0
    for text, colour, dashes, length in words:
        thick = 3 if dashes == "-" else 2.2
        axes.plot([x, x + 0.22], [y, y], color=colour, linewidth=thick, linestyle=dashes)
        axes.text(x + 0.3, y, text, va="center", fontsize=9)
        x += length
