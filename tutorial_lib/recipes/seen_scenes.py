"""What chapter 10 shows of a trained reader of scenes, also with heads silenced."""

import itertools
from collections import Counter

import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets.scenes import ANSWERS, OBJECTS, crop_boxes, object_of
from tutorial_lib.interpret import Zero, intervene
from tutorial_lib.models.scene_reader import MASK
from tutorial_lib.recipes.scenes import heads_by_pointing, named, right_without


def seen_scenes(reader, scenes, rows):
    """Return scenes as RegionExplorer takes them: pictures, boxes, words and maps of a reader."""
    return [_seen(reader, scenes, row) for row in rows]


def silencer(reader, scenes, rows):
    """Return silence(scene, layer, head) for the scenes of `seen_scenes`, as RegionExplorer has it.

    Its outputs: for each object of the caption, how sure the reader is of the word when it is
    hidden, before and after.
    """

    def silence(scene, layer, head):
        row = rows[scene]
        before = _hidden_words(reader, scenes, row)
        with intervene(reader, Zero(layer, head)):
            after = _hidden_words(reader, scenes, row)
            weights = _maps(reader, scenes, row)
        outputs = [(word, sure, after[word]) for word, sure in before.items()]
        return {"outputs": outputs, "weights": weights}

    return silence


def silenced_rows(reader, validation, test, n):
    """Return what a reader still gets right without heads: those that point best, or n others.

    The others are every choice of n from the same layers, as many from each. The first row is
    without silence. validation, which chooses the heads, and test are `Measured`.
    """
    heads = heads_by_pointing(reader, validation, hidden=True)
    best, rest = heads[:n], sorted(heads[n:])
    of_layers = [
        itertools.combinations([head for head in rest if head[0] == layer], count)
        for layer, count in sorted(Counter(layer for layer, _ in best).items())
    ]
    others = [[*itertools.chain(*some)] for some in itertools.product(*of_layers)]
    rows = []
    for which, some in (("none", []), ("pointing", best), *(("others", some) for some in others)):
        shares = right_without(reader, test, some)
        rows.append({"which": which, "heads": named(some)} | shares)
    return rows


def _inputs(reader, scenes, row):
    """Return ids (1, T) and regions (1, R, F + 4) of one scene, without padding."""
    there = scenes.present[row]
    boxes = scenes.boxes[row][there][None]
    with torch.no_grad():
        regions = reader.see(crop_boxes(scenes.draw([row]), boxes), boxes)
    return reader.encode([scenes.captions[row]]), regions


def _maps(reader, scenes, row):
    with capture_attention(reader) as maps, torch.no_grad():
        reader(*_inputs(reader, scenes, row))
    return torch.cat(list(maps)).numpy()  # (L, H, T + R, T + R)


def _seen(reader, scenes, row):
    there = scenes.present[row]
    return {
        "image": scenes.draw([row])[0].numpy(),
        "boxes": scenes.boxes[row][there].numpy(),
        "words": ["[CLS]", *scenes.captions[row].split(), "[SEP]"],
        "names": [OBJECTS[index] for index in scenes.objects[row][there].tolist()],
        "weights": _maps(reader, scenes, row),
        "title": scenes.captions[row],
    }


def _hidden_words(reader, scenes, row):
    """Return {word: how sure the reader is of it where it is hidden} of a caption's objects."""
    ids, regions = _inputs(reader, scenes, row)
    sure = {}
    for at, word in enumerate(scenes.captions[row].split(), start=1):
        if object_of(word) is not None:
            changed = ids.clone()
            changed[0, at] = MASK
            with torch.no_grad():
                logits = reader.mlm_logits(reader(changed, regions)[0, at])
            sure[word] = logits.softmax(dim=-1)[ids[0, at]].item()
    return sure


def ask(reader, scenes, row, question, k=3):
    """Return a reader's k likeliest answers to a question about one scene, [(word, share), ...].

    Raises VocabularyError for a word that it does not know, IndexError for a scene that is not
    there.
    """
    if not 0 <= row < len(scenes):
        raise IndexError(f"there are scenes 0 to {len(scenes) - 1}, got {row}")
    _, regions = _inputs(reader, scenes, row)
    with torch.no_grad():
        hidden = reader(reader.encode([question]), regions)
        shares, found = reader.answer_logits(hidden)[0].softmax(dim=-1).topk(k)
    return [(ANSWERS[at], share) for at, share in zip(found.tolist(), shares.tolist(), strict=True)]


def fill(reader, scenes, row, caption):
    """Return the word that a reader puts for the one [MASK] of a caption beside scene `row`.

    Raises VocabularyError for a word that it does not know.
    """
    ids, (_, regions) = reader.encode([caption]), _inputs(reader, scenes, row)
    with torch.no_grad():
        states = reader(ids, regions)[0, ids[0].tolist().index(MASK)]
    return reader.words[reader.mlm_logits(states).argmax().item()]
