"""Chapter 10: a small VideoBERT on clips of digits and emoji that move, and sentences about them.

A small CNN, trained to say what a single frame shows and where, makes a vector of each frame and is
frozen. K-means turns the vectors into frame tokens: each stands for a thing of about one size at
about one place. The VideoBERT fills gaps in rows of words and frame tokens, and is measured on
combinations of thing, direction and change that training never showed.

Part "caption to frames": the model draws eight frame tokens one after the other; `thing`,
`direction`, `speed`, `change`: how often they show what the caption says. "frames to caption": the
telling words of a caption are hidden, how often each is filled in. "next frames": four frames are
seen, then four times the most likely token is added: how often is it the true one, and how many
pixels is its place off?
`given`: what the model sees. "nothing" is the baseline that ignores the other side, "another's" the
control that must fail, "the true frames" the one that must succeed: no model, the true tokens.
"""

import torch
import torch.nn.functional as F

from tutorial_lib.datasets.clips import (
    CHANGES,
    DIRECTIONS,
    N_FRAMES,
    SIDE,
    SPEEDS,
    THINGS,
    draw_clips,
)
from tutorial_lib.models import FrameTokens, VideoBERTConfig
from tutorial_lib.models.clip_writer import FrameEyes
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.recipes.scene_reader import begin
from tutorial_lib.training import Muon, set_seed

PAD, CLS, SEP, MASK = range(4)
WORDS = ("[PAD]", "[CLS]", "[SEP]", "[MASK]", "a", "an", "moves", "to", "the", "and")
WORDS += (*THINGS, *DIRECTIONS, *SPEEDS, *CHANGES[1:])
KINDS = {"thing": THINGS, "direction": DIRECTIONS, "speed": SPEEDS, "change": CHANGES}
SETTINGS = {
    "seeds": [0, 1, 2],
    "clips": 5_000,
    "eyes": {"steps": 700, "batch_size": 64, "lr": 3e-3, "d_features": 24},
    "frame_tokens": 1_000,
    "clustered": 12_000,  # frames
    "sizes": {"d_model": 64, "n_layers": 3, "n_heads": 4},
    "steps": 2_000,
    "batch_size": 32,
    "lr": 3e-3,
    "measured": 500,
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "clips": 60,
    "eyes": SETTINGS["eyes"] | {"steps": 2, "batch_size": 8, "d_features": 8},
    "frame_tokens": 20,
    "sizes": {"d_model": 8, "n_layers": 1, "n_heads": 2},
    "steps": 2,
    "batch_size": 4,
    "measured": 20,
}

data_bytes = mnist_vit.data_bytes


def places(frames):
    """Return where the ink of frames (N, 3, 32, 32) is, (N, 3): its middle and larger side."""
    ink = (frames < 0.8).any(dim=1)  # (N, 32, 32)
    found = []
    for axis in (1, 2):  # columns, then rows
        line = ink.any(dim=axis).float()  # (N, 32)
        first, last = line.argmax(dim=1), SIDE - line.flip(1).argmax(dim=1)
        found.append(torch.stack([(first + last) / 2, (last - first).float()], dim=-1))
    (x, wide), (y, high) = (one.unbind(-1) for one in found)
    return torch.stack([x, y, torch.maximum(wide, high)], dim=-1)


class Frames:
    """Endless batches of single frames of clips: what and where."""

    def __init__(self, clips, size, seed):
        self.frames, self.size, self.seed = clips.frames.flatten(0, 1), size, seed
        self.what = torch.tensor([THINGS.index(fact[0]) for fact in clips.facts])
        self.what = self.what.repeat_interleave(N_FRAMES)

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            rows = torch.randint(len(self.what), (self.size,), generator=generator)
            frames = self.frames[rows]
            yield frames, self.what[rows], places(frames)


def frame_loss(eyes, batch):
    """Return how wrong the eyes are about what frames show, and where."""
    frames, what, where = batch
    features = eyes.eyes(frames)
    usual, spread = torch.tensor([SIDE / 2, SIDE / 2, 12.0]), torch.tensor([6.0, 6.0, 3.0])
    missed = F.mse_loss(eyes.where(features), (where - usual) / spread)
    return F.cross_entropy(eyes.eyes.classifier(features), what) + missed


def vectors_of(eyes, clips):
    """Return the vectors of the frames of clips, (N, 8, F)."""
    with torch.no_grad():
        found = [eyes(some) for some in clips.frames.flatten(0, 1).split(500)]
    return torch.cat(found).unflatten(0, (-1, N_FRAMES))


def encode(captions):
    """Return ids (N, T) of captions with [CLS], [SEP] and padding."""
    rows = [[CLS, *map(WORDS.index, caption.split()), SEP] for caption in captions]
    longest = 12
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


class Rows:
    """Endless batches (words, frames, hidden) of rows in which other parts are hidden each time.

    Of each row a share of the words, from none to all, and a share of the frames or all from some
    frame on; never all of both.
    """

    def __init__(self, words, frames, settings, seed):
        self.words, self.frames, self.settings, self.seed = words, frames, settings, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        size = self.settings["batch_size"]

        def rand(*shape):
            return torch.rand(*shape, generator=generator)

        while True:
            rows = torch.randint(len(self.words), (size,), generator=generator)
            words, frames = self.words[rows], self.frames[rows]
            of_words, of_frames = 1.5 * rand(size, 1), 1.5 * rand(size, 1)
            no_words = (rand(words.shape) < of_words) & (words > MASK)
            no_frames = rand(frames.shape) < of_frames
            first = (N_FRAMES * rand(size, 1)).long()
            later = torch.arange(N_FRAMES) >= first  # hidden: from some frame on
            no_frames = torch.where(rand(size, 1) < 0.5, later, no_frames)
            silent = (no_words | (words <= MASK)).all(dim=1) & no_frames.all(dim=1)
            no_frames &= ~silent[:, None]  # nothing would be left
            yield words, frames, torch.cat([no_words, no_frames], dim=1)


def read(model, words, frames, hidden):
    """Return the joint ids (B, T + 8), and the states of the row with [MASK] where hidden."""
    ids, segments = model.join(words, frames)
    real = torch.cat([words != PAD, torch.ones_like(frames, dtype=torch.bool)], dim=1)
    return ids, model(ids.masked_fill(hidden, MASK), segments, real)


def gap_loss(model, batch):
    """Return the cross-entropy of the words and frame tokens that are hidden."""
    words, frames, hidden = batch
    ids, states = read(model, words, frames, hidden)
    return F.cross_entropy(model.mlm_logits(states[hidden]), ids[hidden])


# --- what is measured ---------------------------------------------------------------------------


def portraits(clips, tokens, n_tokens):
    """Return what frame tokens stand for: thing (k,), and middle and side (k, 3), in pixels.

    The commonest thing and the mean place of the frames with that token among the tokens (N, 8) of
    clips.
    """
    flat, things = tokens.flatten(), indices(clips, "thing").repeat_interleave(N_FRAMES)
    counts = torch.zeros(n_tokens, len(THINGS))
    counts.index_put_((flat, things), torch.ones(len(flat)), accumulate=True)
    sums = torch.zeros(n_tokens, 3).index_add_(0, flat, places(clips.frames.flatten(0, 1)))
    return counts.argmax(dim=1), sums / counts.sum(dim=1, keepdim=True).clamp(min=1)


def indices(clips, kind):
    """Return the thing, direction, speed or change of clips, (N,), as indices into `KINDS`."""
    at = list(KINDS).index(kind)
    return torch.tensor([KINDS[kind].index(fact[at]) for fact in clips.facts])


def told_by(tokens, seen):
    """Return what rows of frame tokens (N, 8) show, a dict of indices (N,) into `KINDS`.

    seen: the `portraits` of the tokens. The direction and speed are those of a line through the
    places of the frames, the change that of a line through their sides.
    """
    things, where = seen
    time = torch.arange(N_FRAMES) - (N_FRAMES - 1) / 2
    slopes = (where[tokens] * time[:, None]).sum(dim=1) / time.square().sum()  # (N, 3)
    across, down, growth = slopes.unbind(dim=-1)
    sideways = across.abs() > down.abs()
    direction = torch.where(sideways, (across > 0).long(), 2 + (down > 0).long())
    quick = torch.maximum(across.abs(), down.abs()) > 1.5
    change = torch.where(growth.abs() < 0.7, 0, torch.where(growth > 0, 1, 2))
    things = things[tokens].mode(dim=1).values
    return {"thing": things, "direction": direction, "speed": quick.long(), "change": change}


def told_right(tokens, seen, clips):
    """Return the share of clips of which frame tokens (N, 8) show the thing, direction, ..."""
    told = told_by(tokens, seen)
    return {kind: share_of_true(told[kind] == indices(clips, kind)) for kind in KINDS}


def written(model, words, frames, first, with_words, drawn=True, seed=0):
    """Return frame tokens (N, 8): those up to `first` kept, the others added one after the other.

    words (N, T) are seen if with_words, else hidden. drawn: a token is drawn by its chances; else
    it is the most likely one.
    """
    generator, frames = torch.Generator().manual_seed(seed), frames.clone()
    no_words = (words > MASK) & (not with_words)
    with torch.no_grad():
        for at in range(first, N_FRAMES):
            later = (torch.arange(N_FRAMES) >= at).expand(len(frames), -1)
            _, states = read(model, words, frames, torch.cat([no_words, later], dim=1))
            chances = model.frame_logits(states[:, words.size(1) + at]).softmax(dim=-1)
            found = torch.multinomial(chances, 1, generator=generator)[:, 0]
            frames[:, at] = found if drawn else chances.argmax(dim=-1)
    return frames


def captions_right(model, clips, words, frames, with_frames):
    """Return the share of hidden telling words of captions that are filled in, for each of KINDS.

    All four are hidden at once; the others ("moves to the") stay, with_frames says whether frames
    are seen.
    """
    telling = {kind: torch.tensor([word in KINDS[kind] for word in WORDS]) for kind in KINDS}
    telling["change"] = torch.tensor([word in CHANGES[1:] for word in WORDS])
    gaps = torch.stack([kind[words] for kind in telling.values()]).any(dim=0)
    hidden = torch.cat([gaps, torch.full_like(frames, not with_frames, dtype=torch.bool)], dim=1)
    with torch.no_grad():
        _, states = read(model, words, frames, hidden)
        found = model.word_logits(states[:, : words.size(1)]).argmax(dim=-1)
    return {kind: share_of_true((found == words)[which[words]]) for kind, which in telling.items()}


def error_of(tokens, seen, clips):
    """Return the mean distance of the places of tokens (N, n) from those of the last frames."""
    frames = clips.frames[:, -tokens.size(1) :]
    true = places(frames.flatten(0, 1))[:, :2].view(*tokens.shape, 2)
    return (seen[1][tokens][..., :2] - true).norm(dim=-1).mean().item()


# --- the runs -----------------------------------------------------------------------------------


def frame_tokens(clips, settings, progress=True):
    """Train the eyes on the frames of clips; return them frozen, and the FrameTokens."""
    set_seed(0)
    about = settings["eyes"] | {"seed": 0}
    eyes = FrameEyes(len(THINGS), about["d_features"])
    train_on_cpu(eyes, Frames(clips, about["batch_size"], 0), frame_loss, about, progress)
    vectors = vectors_of(eyes.eval(), clips).flatten(0, 1)[: settings["clustered"]]
    return eyes, FrameTokens.fit(vectors, settings["frame_tokens"], seed=0, rounds=15)


def build(tokens, settings, seed):
    """Return an untrained VideoBERT for FrameTokens.

    Their vectors begin as their centres, mapped at random: what looks alike begins alike.
    """
    set_seed(seed)
    sizes = settings["sizes"] | {"vocab_size": len(WORDS) + len(tokens), "context": 24}
    model = begin(VideoBERTConfig(**sizes, n_frame_tokens=len(tokens), mlm=True).build())
    centres = tokens.centres - tokens.centres.mean(dim=0)
    table = model.token_embedding.weight
    vectors = centres @ torch.randn(centres.size(1), table.size(1))  # (k, D)
    with torch.no_grad():
        table[len(WORDS) :] = vectors * table.std() / vectors.std()
    return model


def train_model(tokens, words, frames, settings, seed, progress=True):
    """Return a VideoBERT trained on words (N, T) and frames (N, 8)."""
    model = build(tokens, settings, seed)
    batches = Rows(words, frames, settings, seed)
    train_on_cpu(model, batches, gap_loss, settings | {"seed": seed}, progress, optimizer=Muon)
    return model.eval()


def measure(model, clips, words, frames, seen):
    """Return the rows of a model on clips."""
    half, others = N_FRAMES // 2, torch.roll(torch.arange(len(clips)), 1)
    rows = []

    def add(part, given, shares):
        shares = {name: round(share, 4) for name, share in shares.items()}
        rows.append({"part": part, "given": given} | shares)

    for given, with_words in (("the caption", True), ("nothing", False)):
        made = written(model, words, frames, 0, with_words)
        add("caption to frames", given, told_right(made, seen, clips))
    add("caption to frames", "the true frames", told_right(frames, seen, clips))
    for given, shown in (("the frames", frames), ("another's frames", frames[others])):
        add("frames to caption", given, captions_right(model, clips, words, shown, True))
    add("frames to caption", "nothing", captions_right(model, clips, words, frames, False))
    for given, some, with_words in (
        ("four frames", frames, False),
        ("four frames and the caption", frames, True),
        ("another's four frames", frames[others], False),
    ):
        made = written(model, words, some, half, with_words, drawn=False)[:, half:]
        add("next frames", given, next_right(made, frames, seen, clips))
    still = frames[:, half - 1 : half].expand(-1, half)
    add("next frames", "the fourth, again", next_right(still, frames, seen, clips))
    add("next frames", "the true frames", next_right(frames[:, half:], frames, seen, clips))
    return rows


def next_right(made, frames, seen, clips):
    """Return how often made (N, 4) are the true tokens, and how far they are off, in pixels."""
    exact = share_of_true(made == frames[:, -made.size(1) :])
    return {"token": exact, "pixels_off": error_of(made, seen, clips)}


def run(settings, progress=True):
    """Train and measure: rows of the three parts, for each seed."""
    clips = draw_clips(settings["clips"], 0)
    test = draw_clips(settings["measured"], 0, "test")
    eyes, tokens = frame_tokens(clips, settings, progress)
    frames, test_frames = (tokens.encode(vectors_of(eyes, some)) for some in (clips, test))
    seen = portraits(clips, frames, settings["frame_tokens"])
    words, test_words = encode(clips.captions), encode(test.captions)
    rows = []
    for seed in settings["seeds"]:
        model = train_model(tokens, words, frames, settings, seed, progress)
        for row in measure(model, test, test_words, test_frames, seen):
            rows.append({"seed": seed} | row)
            tell(rows[-1], progress)
    return {"rows": rows}
