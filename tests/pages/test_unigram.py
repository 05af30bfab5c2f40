"""The page is the library's tokenizer: same pieces and probabilities, same cuts and ids."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from page_loader import PAGES, assert_agreement, assert_slip_shows, load_page, run_page

from tutorial_lib.tokenizers import UnigramTokenizer, expected_counts, lattice, likeliest_cut

unigram = load_page("unigram")
SOURCE = regex.sub("[<▁]", "", (PAGES / "unigram.py").read_text(encoding="utf-8"))  # a long text
# Letters that repeat (so that cuts tie), signs, and now and then anything that Unicode has.
parts = st.sampled_from(
    ["a", "aa", "aab", "b", " a", " ba", "eat", " tea", "naïve", " É", "\n", "  "]
)
signs = st.sampled_from(
    ["你好", "😀", "!", "$", "½", "\u200b", "\ufffd", "Σς", "ﬁ", "\x1c", "\x85"]
)
texts = (
    st.lists(parts | signs | st.text(max_size=4), max_size=16)
    .map("".join)
    .map(lambda text: text.replace("▁", "").replace("<", ""))  # the page has no use for these
)


FEW = {"▁": -1.0, "ab": -3.0, "b": -2.0}


def agree(module, training, text, n_pieces=None):
    """Train both on one text and compare all that they hand out for another."""
    n_characters = len(set("".join(unigram.split_words(training))))
    n_pieces = n_pieces or n_characters + 6
    library = UnigramTokenizer.train(training, 5 + n_pieces, n_seeds=n_characters + 40)
    log_p = module.train(training, n_pieces, n_seeds=n_characters + 40)
    assert list(log_p) == library.vocab[5:]
    assert list(log_p.values()) == list(library.scores.values())[5:]
    page = module.Unigram(log_p)
    assert page.vocabulary == library.vocab
    assert page.encode(text) == library.encode(text).ids
    assert page.tokens(text) == library.tokens(text)
    assert page.decode(page.encode(text)) == library.decode(page.encode(text))
    few = module.Unigram(FEW)  # a vocabulary from elsewhere, in which a is no piece
    theirs = UnigramTokenizer(dict.fromkeys(module.SPECIAL_TOKENS, 0.0) | FEW, unk_id=1)
    assert few.encode("ab aa ba") == theirs.encode("ab aa ba").ids
    for word in set(module.split_words(training)):
        places = module.lattice(word, log_p)
        assert places == lattice(word, log_p)
        assert module.likeliest_cut(word, places) == likeliest_cut(word, log_p)
        counts = module.expected_counts(word, places)
        assert counts == pytest.approx(expected_counts(word, lattice(word, log_p))[0])


@settings(max_examples=60, deadline=None)
@given(training=texts.filter(unigram.split_words), text=texts)
def test_the_page_and_the_library_agree(training, text):
    agree(unigram, training, text)


# Small texts on which the slips below show.
CASES = [
    ("walking talking walk talk king " * 3, "walks kingly 日本 ktalk"),
    ("aaa aaab baaa aab", "aaaaa baab"),
    ("abcabc abc bca cab abab", "abcab 😀 b\u3000c"),
    ("ﬁne ½ É é", "ﬁ ½\x1cÉ"),
    ("lalalalalalalalalalalalalalala " * 2, "lala" * 9),
]


def test_they_agree_where_slips_would_show():
    assert_agreement(agree, unigram, CASES)
    assert_agreement(agree, unigram, [(SOURCE[:3000], SOURCE, 200)])


SLIPS = {
    "the shortest last piece": ("max(ways, key=lambda way: way[0])", "max(ways)"),
    "the unlikeliest cut": ("score, start = max(", "score, start = min("),
    "the first of all cuts": ("best[start][0] + p, start)", "p, start)"),
    "no ▁": ('["▁" + word for', "[word for"),
    "no NFKC": ('unicodedata.normalize("NFKC", text)', "text"),
    "blanks as Python has them": ('regex.findall(r"\\S+", ', "str.split("),
    "a mean in place of a sum": (
        "math.log(sum(math.exp(log - top) for log in logs))",
        "math.log(sum(math.exp(log - top) for log in logs) / len(logs))",
    ),
    "a share of nothing": ("+ after[end] - before[-1])", "+ after[end])"),
    "the cuts before count twice": ("[after[start], p + after[end]]", "[p + after[end]]"),
    "words count once": ("counts[piece] += n * count", "counts[piece] += count"),
    "shares that do not sum to 1": ("math.log(count) - log_total", "math.log(count)"),
    "too few are kept": ("[: n_kept - len(kept)]", "[: n_kept - len(kept) - 1]"),
    "a piece may replace itself": (" if start > 0]  # without", "]  # without"),
    "the likely ones go": ("(-losses[piece], piece)", "(losses[piece], piece)"),
    "rare ones are kept": ("counts[piece] * (log_p", "(log_p"),
    "one round of EM": ("for _ in range(2)", "for _ in range(1)"),
    "seeds by their count": ("-len(piece) * counts[piece]", "-counts[piece]"),
    "long seeds": ("end - start <= 16", "True"),
    "seeds that occur once": ("len(piece) > 1 and n > 1", "len(piece) > 1"),
    "all at once": ("max(n_pieces, int(0.75 * len(log_p)))", "n_pieces"),
    "each unknown character counts": (" or tokens[-1] != piece", " or True"),
    "unknown characters are likely": ("min(self.log_p.values()) - 10", "0.0"),
    "a blank in front": ('.removeprefix(" ")', ""),
}


@pytest.mark.parametrize(("old", "new"), SLIPS.values(), ids=SLIPS)
def test_a_slip_on_the_page_is_seen(old, new):
    assert_slip_shows(agree, "unigram", old, new, CASES)


def test_each_reads_what_the_other_has_learned():
    text = "Be that 你, to question!"
    library = UnigramTokenizer.train("To be, or not to be: that is the question. 你好 " * 3, 60)
    page = unigram.Unigram(dict(list(library.scores.items())[5:]))
    assert page.encode(text) == library.encode(text).ids
    scores = dict.fromkeys(unigram.SPECIAL_TOKENS, 0.0) | page.log_p
    again = UnigramTokenizer(scores, unk_id=1)
    assert again.encode(text).ids == page.encode(text)


def test_it_runs_as_a_program(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("She sells sea shells by the sea shore. " * 40, encoding="utf-8")
    done = run_page("unigram", tmp_path, text)
    assert "the likeliest long pieces: " in done.stdout
    assert "<unk>" in done.stdout
    assert done.stderr == ""
