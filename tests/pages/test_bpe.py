"""The page is the library's tokenizer: same merges, same ids, same text back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_loader import PAGES, assert_agreement, assert_slip_shows, load_page, run_page

from tutorial_lib.datasets import gpt2_vocabulary
from tutorial_lib.tokenizers import BPETokenizer

bpe = load_page("bpe")
SOURCE = (PAGES / "bpe.py").read_text(encoding="utf-8")  # a long text to cut
END = "<|end|>"
# Letters that repeat (so that pairs tie and overlap), words, white space, special tokens, and
# now and then anything that Unicode has.
pieces = st.sampled_from(
    ["a", "aa", "aab", "b", " a", " ba", "eat", " tea", "'ll", "19", " 1599", "\n\n", "  "]
)
signs = st.sampled_from(["é", "你好", "😀", "!", "<|", END, END + END])
texts = st.lists(pieces | signs | st.text(max_size=4), max_size=25).map("".join)


def agree(module, training, text, n_merges=12):
    """Train both on one text and compare all that they hand out for another."""
    page = module.Tokenizer.train(training, n_merges, [END])
    library = BPETokenizer.train(training, 256 + n_merges + 1, [END])
    assert page.merges == library.merges
    assert page.special_tokens == library.special_tokens
    assert [*map(library.token_bytes, range(library.vocab_size))] == page.vocabulary
    for allowed in ((), (END,)):
        ids = page.encode(text, allowed)
        assert ids == library.encode(text, allowed)
        assert page.decode(ids) == library.decode(ids) == text
    for cut in (ids[1:], ids[:-1], ids[::-1]):
        assert page.decode(cut) == library.decode(cut)


@settings(max_examples=60, deadline=None)
@given(training=texts.filter(bool), text=texts)
def test_the_page_and_the_library_agree(training, text):
    agree(bpe, training, text)


# Small texts on which the slips below show.
CASES = [
    ("at\nat\nat\nea\nea", "eat"),  # "at" was learned first, "ea" is further left
    ("eat tea aaab aaab ee ee", "aaaaa eeee"),
    ("ba ab ba ab", "abba"),  # ties
    (f"dog. dog! dog?{END}dog", f"dog.{END}<|end"),
    ("你好你好 😀😀 naïve", "你 好 😀!"),
    ("It's 1599, we'll see  it\n\n now", "it'll 15 99  \n"),
]


def test_they_agree_where_slips_would_show():
    assert_agreement(agree, bpe, CASES)


SLIPS = {
    "merges in text order": ("min(known, key=self.ranks.get)", "known[0]"),
    "the last merge first": ("min(known, key=self.ranks.get)", "max(known, key=self.ranks.get)"),
    "overlapping pairs merged again": (
        "(merged[-1], token) == pair",
        "(merged[-1][-len(pair[0]) :], token) == pair",
    ),
    "overlapping pairs merged from the right": (
        "    return tuple(merged)\n",
        "    return tuple(merged) if len(set(tokens)) > 1 else tuple(merged[::-1])\n",
    ),
    "a tie to the largest pair": (
        "min(counts, key=lambda pair: (-counts[pair], pair))",
        "max(counts, key=lambda pair: (counts[pair], pair))",
    ),
    "a tie to the first pair in the text": (
        "min(counts, key=lambda pair: (-counts[pair], pair))",
        "max(counts, key=counts.get)",
    ),
    "each word counted once": ("counts[pair] += count", "counts[pair] += 1"),
    "merges across words": ("regex.findall(pattern, piece)", "[piece]"),
    "white space keeps its last space": (r"|\s+(?!\S)|\s+", r"|\s+"),
    "the training text keeps its special tokens": (
        "split_special(text, special_tokens)[::2]",
        "[text]",
    ),
    "special tokens always allowed": (
        "        ids, ids_of = [],",
        "        allowed_special = self.special_tokens\n        ids, ids_of = [],",
    ),
    "special tokens before the merges": ("len(self.vocabulary))\n", "256)\n"),
    "characters in place of bytes": (
        "tuple(BYTES[byte] for byte in text.encode())",
        "tuple(character.encode() for character in text)",
    ),
    "half a character is an error": ('.decode(errors="replace")\n\n\n', ".decode()\n\n\n"),
}


@pytest.mark.parametrize(("old", "new"), SLIPS.values(), ids=SLIPS)
def test_a_slip_on_the_page_is_seen(old, new):
    assert_slip_shows(agree, "bpe", old, new, CASES)


def test_each_loads_what_the_other_has_learned(tmp_path):
    training = "To be, or not to be, that is the question: 你好 " * 3
    text = f"to be that{END} 你 好?"
    library = BPETokenizer.train(training, 300, [END])
    page = bpe.Tokenizer(library.merges, library.special_tokens)
    assert page.encode(text, [END]) == library.encode(text, [END])

    page = bpe.Tokenizer.train(training, 43, [END])
    token_ids = {token: token_id for token_id, token in enumerate(page.vocabulary[:-1])}
    taken = BPETokenizer(token_ids, page.merges, page.special_tokens, page.pattern)
    assert taken.encode(text, [END]) == page.encode(text, [END])
    assert taken.decode(page.encode(text)) == text


def test_with_gpt2_s_own_merges_it_cuts_text_as_gpt2_does():
    gpt2 = BPETokenizer.from_gpt2(*gpt2_vocabulary())
    page = bpe.Tokenizer(gpt2.merges, gpt2.special_tokens)
    assert len(page.vocabulary) == gpt2.vocab_size == 50_257
    for text in (SOURCE, "We'll see  naïve 😀 你好 in 12345 tokens\n\n!", END):
        cut = [page.vocabulary[token_id] for token_id in page.encode(text)]
        assert cut == [gpt2.token_bytes(token_id) for token_id in gpt2.encode(text)]


def test_tiktoken_gives_the_same_ids_with_either_pattern():
    tiktoken = pytest.importorskip("tiktoken")
    gpt4 = (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+"
    )
    text = "We'll see 12345 CHARACTERS:\n\n  of 你好 😀, encoded by rank.\n" + SOURCE
    for pattern in (bpe.GPT2, gpt4):
        page = bpe.Tokenizer.train(SOURCE, 150, [END], pattern)
        ranks = {token: token_id for token_id, token in enumerate(page.vocabulary[:-1])}
        theirs = tiktoken.Encoding(
            "page", pat_str=pattern, mergeable_ranks=ranks, special_tokens=page.special_tokens
        )
        assert page.encode(text) == theirs.encode_ordinary(text)
        assert page.decode(page.encode(text)) == text


def test_part_1_is_complete_on_its_own():
    tokenizer = bpe.BytePairs(bpe.learn_merges(["the cat sat on the mat"], 3))
    assert tokenizer.merges == [(b"a", b"t"), (b"at", b" "), (b"e", b" ")]
    assert tokenizer.encode("that") == [ord("t"), ord("h"), 256]
    assert tokenizer.decode([ord("t"), ord("h"), 256]) == "that"


def test_the_file_can_be_read_by_people_and_by_load(tmp_path):
    hard = "a b\n#'\"\\ \u2028"
    tokenizer = bpe.Tokenizer.train("你好 你好 你好 you #' #' \n\n", 8, [END, hard])
    tokenizer.save(tmp_path / "bpe.txt")
    lines = (tmp_path / "bpe.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 + 8
    assert lines[2] == r"(b'\xa0', b'\xe5')  # 256 '" + 2 * "\ufffd" + "'"
    assert lines[-1] == """(b' #', b"'")  # 263 " #'\""""
    loaded = bpe.Tokenizer.load(tmp_path / "bpe.txt")
    assert vars(loaded) == vars(tokenizer)
    assert loaded.encode(f"you{hard}好{END}", [END, hard])[-1] == 264


def test_the_longer_special_token_wins_and_unknown_ones_are_named():
    tokenizer = bpe.Tokenizer([], ["<a>", "<a>b"])
    assert tokenizer.encode("<a>b", ["<a>", "<a>b"]) == [257]
    with pytest.raises(KeyError, match="<c>"):
        tokenizer.encode("x", ["<c>"])


def test_it_runs_as_a_program(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("She sells sea shells by the sea shore. " * 40, encoding="utf-8")
    done = run_page("bpe", tmp_path, text)
    assert done.stdout.startswith("rank  0: b' '  + b's'     180 times\n")
    assert "   0 merges: 1.00 bytes per token" in done.stdout
    assert done.stderr == ""
