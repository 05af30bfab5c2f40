"""A whole model as one picture: what goes in, one layer opened, what comes out; all counted."""

from dataclasses import dataclass, replace

import torch
from matplotlib.patches import Rectangle

from tutorial_lib.figures import style
from tutorial_lib.figures.chapter04_transformer.architecture import architecture
from tutorial_lib.figures.chapter10_text_and_pictures.towers import clip_towers
from tutorial_lib.figures.diagrams import (
    BYPASS,
    GAP,
    RADIUS,
    WIDE,
    arrow,
    canvas,
    chips,
    column,
    heights,
    shares,
    small_box,
)
from tutorial_lib.figures.generation import token_name
from tutorial_lib.figures.machine_parts import (
    Part,
    parameters_by_kind,
    parameters_of,
    parts_of,
    shape_in_words,
    sizes_in_words,
)
from tutorial_lib.interpret import trace
from tutorial_lib.models import BERT, CLIP, GPT, DINOv2, Transformer, ViT
from tutorial_lib.models.patches import cut_overlapping_patches

TRUNK = 4.7  # width of the boxes, in inches
ACROSS = 7.5  # of the whole picture
PICTURE = 1.75  # side of a picture
SMALL = 0.95  # height of a small box
TABLE = 2.3  # width of a table's box
TABLES = 0.84  # where the tables that are added up begin

FROM_POOLER = "from the pooler"

_TABLES = {"token embedding": "token table", "segment embedding": "segment table"}
_TABLES |= {"position embedding": "position table"}
# What is looked up in a table; above the tokens, whose ids are written with their shape.
_READ = {"segment embedding": "segments", "position embedding": "positions"}


@dataclass(frozen=True)
class Plan:
    """What `machine` draws of a model with one stack: boxes below, in and on top of its layers.

    entrance: what is added up, side by side, or nothing where one part begins the trunk; trunk:
    that part, one layer, and what comes after the last; heads: (part, reads [CLS]); n_layers: how
    often the layer is applied; n_stored: how often with weights of its own.
    """

    entrance: list
    trunk: list
    heads: list
    n_layers: int
    n_stored: int
    tied: bool

    def n_parameters(self):
        """Add up what the boxes say, the layer's as often as there are layers."""
        once = [*self.entrance, *(part for part in self.trunk if not part.stage)]
        once += [part for part, _ in self.heads]
        inside = sum(part.n_parameters or 0 for part in self.trunk if part.stage)
        return sum(part.n_parameters or 0 for part in once) + self.n_stored * inside


@style.styled
def machine(model, *inputs, words=None, title=None, counts=True, figure=None):
    """Draw a model of the course from one forward pass of real inputs, from bottom to top.

    model: a GPT, ModernGPT or Llama with ids (1, T); a BERT or one of its descendants with ids,
    with those of its heads that it has; a ViT or DINOv2 with an image (1, C, height, width), from 0
    to 1 or normalised; a Transformer, BART or T5 with source (1, S) and target (1, T) ids; a CLIP
    with images and ids, its texts as words (`clip_towers`).
    words: the tokens, for encoder-decoders two lists of them; without them the ids are written.
    One layer is opened, orange lines are the shortcuts; each box says how many numbers it learns,
    and what leaves it where that is new.
    counts: whether a Transformer's boxes say so; without them it is drawn as for a first look.
    Returns the figure. Raises TypeError for another model, and what the model raises.
    """
    if isinstance(model, CLIP):
        return clip_towers(model, *inputs, texts=words, title=title, figure=figure)
    if isinstance(model, Transformer):
        pair = words or [map(str, ids[0].tolist()) for ids in inputs]
        spoken = [" ".join(part) for part in pair]
        name = type(model).__name__
        title = title or ("The Transformer" if name == "Transformer" else name)
        return architecture(model, *inputs, title, *spoken, counts, figure)
    records = trace(model, *inputs)
    plan = plan_of(model, records)
    n_heads = len(plan.heads)
    pictures = isinstance(model, ViT | DINOv2)
    left = (ACROSS - TRUNK) / 2
    x = ACROSS / 2
    y = PICTURE + 0.45 if pictures else 0.62
    if plan.entrance:
        y = TABLES + SMALL + GAP
    places, top = heights(plan.trunk, y)
    bottom = 1.0
    _, tall = _head_size(plan.heads)
    over = tall + 0.4 if any(part.note == FROM_POOLER for part, _ in plan.heads) else 0
    height = top + (tall + 0.65 + over if n_heads else 0.1)
    figure, axes = canvas(figure, ACROSS, height, title or type(model).__name__, below=bottom)
    each = sum(part.n_parameters or 0 for part in plan.trunk if part.stage)
    times = (f"× {plan.n_layers} layers", f"{each:,} parameters in each")
    if plan.n_stored < plan.n_layers:
        times = (f"the same layer × {plan.n_layers}", f"{each:,} parameters, once")
    column(axes, _where_shapes_change(plan.trunk), places, left, -1, times, TRUNK)
    first = places[plan.trunk[0].name][0]
    if pictures:
        limits = axes.get_ylim()
        _picture(axes, model, inputs[0], x, first)
        axes.set_ylim(limits)  # imshow set its own
    else:
        ids = inputs[0][0].tolist()
        words = [token_name(str(i)) for i in (ids if words is None else words)]
        chips(axes, words, x, 0, ACROSS - 0.3)
        shape = sizes_in_words("B T", inputs[0].shape)
        if plan.entrance:
            _side_by_side(axes, plan.entrance, f"ids {shape}", first)
        else:
            axes.text(0, 0.34, f"ids {shape}", fontsize=9, va="bottom", color=style.MUTED)
            arrow(axes, [(x, 0.3), (x, first)])
    if plan.tied:
        _same_table(axes, plan, places, left)
    if n_heads:
        _heads(axes, plan.heads, x, places[plan.trunk[-1].name][1], top + 0.55)
    shares(axes, parameters_by_kind(model), 0.1, -0.75, ACROSS - 0.2)
    return figure


def _where_shapes_change(trunk):
    """Leave out of each part the shape that the part below has already said."""
    below = [None, *(part.shape for part in trunk)]
    return [
        replace(part, shape="" if part.shape == before else part.shape)
        for part, before in zip(trunk, below, strict=False)
    ]


def plan_of(model, records):
    """Return the Plan of a model with one stack, from the Trace of a forward pass.

    Raises TypeError for anything but a GPT (also a Llama), BERT, ViT or DINOv2.
    """
    if not isinstance(model, GPT | BERT | ViT | DINOv2):
        raise TypeError(
            "machine draws a Transformer, GPT, ModernGPT, Llama, BERT, ViT, DINOv2 or CLIP, "
            f"got {type(model).__name__}"
        )
    trunk = parts_of(model, records)
    if isinstance(model, ViT | DINOv2):
        return Plan([], [*_from_patches(model, records), *trunk], *_on_top(model, records), False)
    tables = [_table(model, records[name]) for name in _TABLES if name in records]
    if len(tables) > 1:
        total = records["embedding sum"]
        trunk = [Part(total.name, "plus", "", "", shape_in_words(total)), *trunk]
    else:
        trunk, tables = [*tables, *trunk], []
    tied = isinstance(model, GPT)
    if tied:
        own = getattr(model, "output_layer", None)
        tied = own is None
        note = "the token table again" if tied else "a table of its own"
        learned = 0 if tied else parameters_of(own)
        shape = shape_in_words(records["output"])
        trunk.append(Part("logits", "embedding", "logits", note, shape, n_parameters=learned))
    return Plan(tables, trunk, *_on_top(model, records), tied)


def _table(model, record):
    module = model.get_submodule(record.module)
    rows, width = module.weight.shape
    note = f"{rows:,} rows of {width}"
    shape, learned = shape_in_words(record), parameters_of(module)
    return Part(record.name, "embedding", _TABLES[record.name], note, shape, n_parameters=learned)


def _from_patches(model, records):
    """The parts between a picture and the first layer."""
    layer = model.patch_embedding
    cut = records["patch embedding projection"]
    rows = layer.projection.in_features
    learned = parameters_of(layer) - (0 if layer.class_token is None else layer.class_token.numel())
    shape = sizes_in_words("B N D", cut.tensor.shape)
    note = f"{rows} → {layer.projection.out_features} numbers a patch"
    parts = [Part(cut.name, "embedding", "linear map", note, shape, n_parameters=learned)]
    record = records["patch embedding"]
    if layer.class_token is not None:
        shape, learned = shape_in_words(record), layer.class_token.numel()
        words = ("[CLS] in front", "a learned vector")
        parts.append(Part("patch embedding", "embedding", *words, shape, n_parameters=learned))
    if "position embedding" in records:
        module = model.position_embedding
        shape, learned = shape_in_words(records["embedding sum"]), parameters_of(module)
        n_places = len(records["position embedding"].tensor)
        words = ("+ positions", f"{n_places} vectors")
        parts.append(Part("embedding sum", "embedding", *words, shape, n_parameters=learned))
    return parts


def _on_top(model, records):
    """The heads of a model, each with whether it reads [CLS]; its layers, applied and stored."""
    found = []
    last = records["final norm" if "final norm" in records else "output"].tensor
    with torch.no_grad():
        if isinstance(model, BERT):
            found = _bert_heads(model, last)
        elif isinstance(model, ViT):
            cls = model.config.pooling == "cls"
            if model.classifier is not None:
                where = "from [CLS]" if cls else "from the mean"
                found.append(
                    (
                        _head("classes", where, "B classes", model.logits(last), model.classifier),
                        cls,
                    )
                )
            if model.patch_head is not None:
                made = model.patch_head(last)
                found.append(
                    (_head("patches", "each", "B T classes", made, model.patch_head), False)
                )
            if model.pooler is not None:
                pooled = model.pooled(last)
                found.append((_head("pooler", "from [CLS]", "B D", pooled, model.pooler), True))
    n_layers = len(model.layers()) if isinstance(model, BERT) else len(model.blocks)
    return found, n_layers, len(model.blocks)


def _bert_heads(model, last):
    found = []
    if model.pooler is not None:
        pooled = model.pooled(last)
        found.append((_head("pooler", "[CLS], tanh", "B D", pooled, model.pooler), True))
    if model.nsp_head is not None:
        made = model.nsp_logits(last)
        found.append((_head("next sentence", FROM_POOLER, "B 2", made, model.nsp_head), True))
    if model.sequence_head is not None:
        cls = model.config.pooling == "cls"
        made = model.sequence_logits(last, torch.ones(last.shape[:2], dtype=torch.bool))
        where = FROM_POOLER if cls else "from the mean"
        part = _head("whole text", where, "B classes", made, model.sequence_head)
        found.append((part, cls))
    if getattr(model, "order_head", None) is not None:
        made = model.order_logits(last)
        found.append((_head("order", FROM_POOLER, "B 2", made, model.order_head), True))
    if model.mlm_head is not None:
        made = model.mlm_logits(last)
        part = _head("masked words", "with the token table", "B T V", made, model.mlm_head)
        found.append((part, False))
    if getattr(model, "replaced_head", None) is not None:
        made = model.replaced_logits(last)
        part = _head("replaced?", "each token", "B T", made, model.replaced_head)
        found.append((part, False))
    if model.token_head is not None:
        made = model.token_logits(last)
        found.append(
            (_head("token tags", "each token", "B T labels", made, model.token_head), False)
        )
    if model.span_head is not None:
        made = torch.stack(model.span_logits(last), dim=-1)
        found.append((_head("span", "start and end", "B T 2", made, model.span_head), False))
    return found


def _head(title, note, axes, made, module):
    letters, sizes = sizes_in_words(axes, made.shape).split(" = ")
    shape = f"{letters}\n{sizes}"
    return Part(title, "head", title, note, shape, n_parameters=parameters_of(module))


def _side_by_side(axes, parts, ids, target):
    """Draw what is added up, above what each table is asked for, and below the plus at `target`."""
    start = ACROSS / 2 - (TABLE * len(parts) + 0.2 * (len(parts) - 1)) / 2
    for at, part in enumerate(parts):
        left = start + at * (TABLE + 0.2)
        small_box(axes, part, left, TABLES, TABLE, SMALL)
        x = left + TABLE / 2
        read = {"fontsize": 9.5, "ha": "center", "va": "center", "color": style.MUTED}
        axes.text(x, 0.48, _READ.get(part.name, ids), **read)
        arrow(axes, [(x, 0.62), (x, TABLES)])
        middle = target + RADIUS
        side = (x > ACROSS / 2) - (x < ACROSS / 2)
        if side:
            points = [(x, TABLES + SMALL), (x, middle), (ACROSS / 2 + side * RADIUS, middle)]
        else:
            points = [(x, TABLES + SMALL), (x, target)]
        arrow(axes, points)


def _same_table(axes, plan, places, left):
    """The dashed line from the token table to the logits, which are made with it again."""
    low, high = places["logits"]
    end = (low + high) / 2
    x = left + TRUNK + 0.75
    if plan.entrance:
        index = [part.name for part in plan.entrance].index("token embedding")
        start = ACROSS / 2 - (TABLE * len(plan.entrance) + 0.2 * (len(plan.entrance) - 1)) / 2
        if index == 0:  # round the outside of the picture on its left
            x, edge, box_edge = left - 0.75, left, start + index * (TABLE + 0.2)
            y = TABLES + SMALL / 2
        points = [(box_edge, y), (x, y), (x, end), (edge, end)]
    else:
        low, high = places["token embedding"]
        y = (low + high) / 2
        points = [(left + TRUNK, y), (x, y), (x, end), (left + TRUNK, end)]
    arrow(axes, points, style.PINK, 1.8, 2, linestyle=(0, (4, 2)))
    side = "right" if x < left else "left"
    axes.text(
        x + (-0.1 if side == "right" else 0.1),
        (y + end) / 2,
        "one table, used twice",
        rotation=90,
        ha=side,
        va="center",
        fontsize=9.5,
        color=style.PINK,
    )


def _head_size(heads):
    """Return the width and height of a head's box, in inches; a narrow one breaks its shape."""
    n = max(1, sum(part.note != FROM_POOLER for part, _ in heads))
    width = min((ACROSS - 0.1 * (n + 1)) / n, 2.2)
    return width, SMALL if width >= WIDE else SMALL + 0.2


def _heads(axes, heads, x, start, bottom):
    """Draw the heads in a row above the body, those that read [CLS] at the left.

    What reads the pooler is above it.
    """
    row = [part for part, _ in heads if part.note != FROM_POOLER]
    width, height = _head_size(heads)
    readers = [part for part, _ in heads if part.note == FROM_POOLER]
    n = len(row)
    left = x - (width * n + 0.1 * (n - 1)) / 2
    rail = bottom - 0.24
    axes.plot([x, x], [start, rail], color=style.MUTED, linewidth=1.2, zorder=2)
    for at, part in enumerate(row):
        middle = left + at * (width + 0.1) + width / 2
        small_box(axes, part, middle - width / 2, bottom, width, height)
        arrow(axes, [(x, rail), (middle, rail), (middle, bottom)])
        if part.title == "pooler":
            first, upper = middle, bottom + height + 0.4
    for at, part in enumerate(readers):
        middle = first + at * (width + 0.1)
        small_box(axes, part, middle - width / 2, upper, width, height)
        if at:
            arrow(axes, [(first, upper - 0.2), (middle, upper - 0.2), (middle, upper)])
        else:
            arrow(axes, [(first, bottom + height), (first, upper)])


def _picture(axes, model, image, x, top):
    """Draw a picture cut into its patches, six from its middle in a row, and the way up."""
    size, overlap = model.config.patch_size, getattr(model.config, "overlap", 0)
    image = image[:1].detach().float().cpu()
    image = (image - image.min()) / (image.max() - image.min() or 1)
    patches = cut_overlapping_patches(image, size, overlap)[0]  # (N, C · P · P)
    n_channels, n_rows, n_columns = image.shape[1:]
    grey = {"cmap": "gray", "vmin": 0, "vmax": 1, "interpolation": "nearest", "zorder": 3}
    scale = PICTURE / max(n_rows, n_columns)
    left = (ACROSS - TRUNK) / 2 - BYPASS

    def put(pixels, x0, y0, width, height):
        pixels = pixels.permute(1, 2, 0).expand(-1, -1, 3)
        pixels = 1 - pixels if n_channels == 1 else pixels  # one channel is ink
        axes.imshow(pixels.numpy(), extent=(x0, x0 + width, y0, y0 + height), **grey)
        frame = {"fill": False, "edgecolor": style.GRID, "linewidth": 0.8, "zorder": 4}
        axes.add_patch(Rectangle((x0, y0), width, height, **frame))

    def patch(number):
        return patches[number].view(n_channels, size, size)

    side = scale * size
    if overlap:  # patches that share pixels cannot be pulled apart
        put(image[0], left, PICTURE - scale * n_rows, scale * n_columns, scale * n_rows)
    for number in range(0 if overlap else len(patches)):
        row, along = divmod(number, n_columns // size)
        put(patch(number), left + along * side, PICTURE - (row + 1) * side, *[0.93 * side] * 2)
    shown = min(6, len(patches))
    start = (len(patches) - shown) // 2
    side, first, middle = 0.42, left + PICTURE + 0.75, PICTURE / 2
    arrow(axes, [(left + PICTURE + 0.1, middle), (first - 0.1, middle)])
    words = {"fontsize": 9, "color": style.MUTED}
    x0 = first
    if start:
        axes.text(x0, middle, "…", va="center", fontsize=11)
        x0 += 0.24
    for number in range(start, start + shown):
        put(patch(number), x0, middle - side / 2, side, side)
        below = (x0 + side / 2, middle - side / 2 - 0.06)
        axes.text(*below, str(number + 1), ha="center", va="top", **words)
        x0 += side + 0.09
    if start + shown < len(patches):
        axes.text(x0, middle, "…", va="center", fontsize=11)
        x0 += 0.24
    said = f"image {sizes_in_words('B C rows columns', image.shape)}\n"
    said += f"{len(patches)} patches of {size} × {size} pixels"
    said += f", {overlap} shared with each neighbour" if overlap else ""
    axes.text(first, middle - side / 2 - 0.3, said, va="top", **words)
    over = middle + side / 2 + 0.14  # all of them go up
    axes.plot([first, x0], [over, over], color=style.MUTED, linewidth=1.3)
    arrow(axes, [(x, over), (x, top)])
    axes.set_aspect("equal")
    axes.set_xlim(0, ACROSS)
