import random

import torch

from tutorial_lib import recipes
from tutorial_lib.datasets.play_names import label
from tutorial_lib.models import BERTConfig
from tutorial_lib.recipes.minilm_names import SETTINGS, drawn, learn_head
from tutorial_lib.recipes.name_tagger import NameBatches, tag
from tutorial_lib.tokenizers import WordPieceTokenizer

PIECES = ["ann", "bob", "comes", "here", "now", "then"]
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *PIECES])


def test_speeches_are_short_and_so_many_have_a_name():
    named = [label(f"well Ann comes here {word}", {"ann"}) for word in "abcd"]
    plain = [label(f"well who comes here {word}", set()) for word in "abcd"]
    long = [label("Ann " * 41, {"ann"}), label("Ann", {"ann"})]
    some = drawn([*plain, *long, *named], SETTINGS, [3, 2], random.Random(0))
    assert ["B" in speech.tags for speech in some] == [True] * 3 + [False] * 2
    assert not {*some} & {*long}


def test_the_head_learns_from_a_body_that_stays_as_it_is():
    torch.manual_seed(0)
    sizes = {"vocab_size": len(TOKENIZER.vocab), "context": 16, "d_model": 32, "n_layers": 1}
    tagger = BERTConfig(**sizes, n_heads=2, n_labels=3).build().eval()
    tagger.tokenizer = TOKENIZER
    before = {name: part.clone() for name, part in tagger.state_dict().items()}
    texts = ["Ann comes here", "now Bob comes", "now then here", "then Ann comes now"]
    speeches = [label(text, {"ann", "bob"}) for text in texts]
    learn_head(tagger, NameBatches(speeches, TOKENIZER, 100, 0), steps=100, lr=1e-2, seed=0)
    changed = {name for name, part in tagger.state_dict().items() if not part.equal(before[name])}
    assert changed == {"token_head.weight", "token_head.bias"}
    assert tag(tagger, speeches) == [speech.tags for speech in speeches]


def f1_of(model):
    rows = recipes.load_result("minilm-names")["rows"]
    found = [row["f1"] for row in rows if row["model"] == model]
    assert len(found) == len(SETTINGS["seeds"])
    return found


def test_what_the_table_shows():
    capitals, frozen, tuned = map(f1_of, ("capitals", "frozen", "fine-tuned"))
    assert min(tuned) > max(frozen) > 0.5
    assert min(tuned) > max(capitals)
