"""Which of the site's vocabularies and small networks an explorer has, asked of the live one."""

import copy
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "models"))

import torch
from export_small import NETWORKS, TRAINED
from export_vocabularies import TOKENIZERS, tokenizer

from tutorial_lib.errors import MissingDataError
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.tokenizers.pretokenize import GPT2_PATTERN


def vocabulary(one):
    """Return {"vocabulary": name} of a tokenizer, with "merges" where it has the first ones only.

    {} when none of the site's vocabularies is its own.

    >>> vocabulary(tokenizer("shakespeare-bert"))
    {'vocabulary': 'shakespeare-bert'}
    """
    for name in TOKENIZERS:
        try:
            known = tokenizer(name)
        except MissingDataError:
            continue
        if isinstance(one, WordPieceTokenizer) or isinstance(known, WordPieceTokenizer):
            facts = (getattr(t, "vocab", None) for t in (one, known))
            if len({str(fact) for fact in facts}) == 1 and one.lowercase == known.lowercase:
                return {"vocabulary": name}
        elif hasattr(known, "merges") and hasattr(one, "merges") and _begins_with(known, one):
            n = len(one.merges)
            return {"vocabulary": name} | ({} if n == len(known.merges) else {"merges": n})
    return {}


def _begins_with(known, one):
    """Whether a BPE has the first merges of a known one, with the same ids.

    Chapter 01's own tokenizer writes bytes as the letters of Latin-1, and cuts words as GPT-2 does.
    """
    merges = [tuple(p.encode("latin-1") if isinstance(p, str) else p for p in pair)
              for pair in one.merges]  # fmt: skip
    if known.merges[: len(merges)] != merges:
        return False
    if known.pattern != getattr(one, "pattern", GPT2_PATTERN):
        return False
    tokens = [a + b for a, b in merges] + [token for token in known._ids if len(token) == 1]
    return all(one.token_bytes(known._ids[token]) == token for token in tokens)


def network(model, name=""):
    """Return the name of the network that a model is, for the page; "" when the site lacks it.

    A model that is no checkpoint was trained in its chapter: given a name, it is stored in
    models/trained in half precision, from where export_small.py takes it.
    """
    for known in NETWORKS:
        checkpoint = load_checkpoint(known)
        if type(checkpoint) is type(model) and checkpoint.config == model.config:
            ours, theirs = checkpoint.state_dict(), model.state_dict()
            if all(torch.equal(ours[key], theirs[key].cpu()) for key in ours):
                return known
    if name:
        TRAINED.mkdir(exist_ok=True)
        half = copy.deepcopy(model).cpu().half()
        half.save(TRAINED / f"{name}.safetensors")
    return name


def first_forgery(explorer):
    """Return the line that a ReplacedExplorer shows, with what was asked for and found."""
    text, share, number = explorer._forged
    asked = {"text": text, "share": share, "round": number}
    return asked | {name: list(v) if isinstance(v, tuple) else v
                    for name, v in explorer.forgery._asdict().items()}  # fmt: skip


def student_facts(explorer):
    """Return the networks of a StudentExplorer: a page can show a student by its name."""
    return {
        "network": network(explorer.teacher),
        **vocabulary(explorer.tokenizer),
        "n": explorer.n,
        "students": {
            name: network(student, "student-" + re.sub(r"\W+", "-", name))
            for name, student in explorer.students.items()
        },
    }


EXTRAS = {
    "StudentExplorer": student_facts,
    "ReplacedExplorer": lambda explorer: {
        "detective": network(explorer.discriminator, "trained-detective"),
        "forger": network(explorer.generator),
        **vocabulary(explorer.tokenizer),
        "passages": explorer.passages,
        "first": first_forgery(explorer),
    },
    "FillMaskExplorer": lambda explorer: {
        "network": network(explorer.model),
        **vocabulary(explorer.tokenizer),
        "n": explorer.n,
    },
    "TokenizerExplorer": lambda explorer: {
        "tokenizers": [
            {"name": name, **vocabulary(one)} for name, one in explorer.tokenizers.items()
        ]
    },
    "MaskingExplorer": lambda explorer: {
        **vocabulary(explorer.tokenizer),
        "first": explorer.request,
    },
    "MaskingPassesExplorer": lambda explorer: vocabulary(explorer.tokenizer),
}
