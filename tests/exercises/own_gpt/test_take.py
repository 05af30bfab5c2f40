"""A learner's GPT goes on with weights that were trained for longer."""

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError
from tutorial_lib.exercises import assemble
from tutorial_lib.recipes import load_checkpoint


def test_its_own_functions_compute_what_the_trained_model_computes():
    mine, trained = assemble("not_there.py"), load_checkpoint("own-gpt")
    ids = torch.randint(0, 456, (2, 30), generator=torch.Generator().manual_seed(0))
    mine.take(trained)
    with torch.no_grad():
        # The stored table of sinusoids is rounded to half precision, theirs is not.
        assert_close(mine.model(ids), trained(ids), atol=0.02, rtol=0.0)


def test_other_sizes_are_refused():
    with pytest.raises(ShapeError, match="the weights are those of"):
        assemble("not_there.py", n_layers=3).take(load_checkpoint("own-gpt"))
