"""Chapter 01: decode any ids, measure compression."""

from tutorial_lib.exercises.engine.properties import composed, properties, which
from tutorial_lib.exercises.engine.tasks import Symptom, Write, case

# Decode ---------------------------------------------------------------------------------------


def decode(ids, vocabulary):
    """Return the text of ids; vocabulary maps an id to bytes, bad UTF-8 becomes U+FFFD."""
    data = b"".join(vocabulary[i] for i in ids)
    return data.decode("utf-8", errors="replace")


def decode_bytearray(ids, vocabulary):
    """Second style."""
    data = bytearray()
    for i in ids:
        data += vocabulary[i]
    return str(data, encoding="utf-8", errors="replace")


def decode_cases():
    """A character inside a token, one shared by two tokens, and one cut off."""
    vocabulary = {0: b"caf", 1: b"\xc3", 2: b"\xa9", 3: "é ".encode(), 4: b" \xf0\x9f", 7: b"!"}
    return [
        case("caf + é", [0, 3, 7], vocabulary),
        case("é in two tokens", [0, 1, 2, 7], vocabulary),
        case("an emoji cut off", [0, 4], vocabulary),
    ]


def text_of(answer, *tokens):
    """The text of some tokens, ids 0, 1, 2 ..."""
    return answer(list(range(len(tokens))), dict(enumerate(tokens)))


def nothing_between(answer):
    """The text must be the tokens' bytes and nothing else."""
    got = text_of(answer, b"a", b"b")
    return "It puts something between the tokens." if got in ("a b", "a, b") else got == "ab"


def utf_8(answer):
    """The bytes must be read as UTF-8: `é` is two of them."""
    if text_of(answer, "é".encode()) == "Ã©":
        return "It reads each byte as one character: `é` is two bytes in UTF-8."
    return None if nothing_between(answer) is not True else text_of(answer, "é".encode()) == "é"


def join_first(answer):
    """It decodes token by token: a character that two tokens share is lost. Join first."""
    return text_of(answer, b"\xc3", b"\xa9") == "é" if utf_8(answer) is True else None


def bad_bytes(answer):
    """Bytes that aren't valid UTF-8 must become `�`, and all others stay."""
    if utf_8(answer) is not True:
        return None
    others = {
        "It drops bytes that aren't valid UTF-8: a damaged text looks whole.": "ab",
        "It gives up the whole text for one bad byte: only that byte becomes `�`.": "\ufffd",
    }
    try:
        return which(text_of(answer, b"a", b"\xff", b"b"), "a\ufffdb", others)
    except ValueError:
        return "It raises an error on half a character, and a model may well write one."


DECODE = Write(
    id="1.6",
    title="Decode whatever comes",
    level="medium",
    text="""
Write `decode(ids, vocabulary)`, where `vocabulary` maps each id to bytes. A model may write any
sequence of ids, including one that stops in the middle of a character. Decoding must not fail then:
bytes that aren't valid UTF-8 become the replacement character `�`.
""",
    hints=(
        "Tokens are pieces of bytes, characters may cross them: when are bytes made into text?",
        'Join first. Then `.decode("utf-8", errors=...)`, and choose what happens to bad bytes.',
    ),
    solution=decode,
    second_style=decode_bytearray,
    mistakes=(),
    cases=decode_cases,
    properties=properties(nothing_between, utf_8, join_first, bad_bytes),
    see="1D From toy to real",
)


# Characters per token ---------------------------------------------------------------------


def characters_per_token(text, tokens):
    """Return how many characters of text one token stands for on average; tokens are bytes."""
    return len(text) / len(tokens)


def characters_per_token_decoded(text, tokens):
    """Second style."""
    return len(b"".join(tokens).decode()) / len(tokens)


def bytes_per_token(text, tokens):
    """This counts bytes where characters are asked for."""
    return sum(map(len, tokens)) / len(tokens)


def tokens_per_character(text, tokens):
    """This divides the wrong way round: tokens for each character."""
    return len(tokens) / len(text)


def characters_per_kind(text, tokens):
    """This divides by the number of different tokens."""
    return len(text) / len(set(tokens))


def characters_of_each_token(text, tokens):
    """This decodes each token alone: a part of a character counts as a whole one."""
    n_characters = sum(len(token.decode(errors="replace")) for token in tokens)
    return n_characters / len(tokens)


def characters_per_token_cases():
    """Letters of one byte and of three, and a token that comes twice."""
    return [
        case("to be, to do", "to be, to do", [b"to", b" be", b",", b" ", b"to", b" do"]),
        case("one sign of three bytes", "死", [b"\xe6", b"\xad", b"\xbb"]),
        case("one sign in two tokens", "死死", [b"\xe6\xad", b"\xbb", b"\xe6\xad", b"\xbb"]),
    ]


COMPRESSION_RULES = composed(
    lambda answer: answer(
        "ababééé!!", [b"ab", b"ab", b"\xc3", b"\xa9\xc3\xa9\xc3", b"\xa9", b"!!"]
    ),
    lambda above, below, turn, whole: whole(turn(above / below)),
    {
        "Characters are counted.": 9,
        "It counts bytes: characters are asked for.": 12,
        "It drops a character that is in several tokens: join the tokens first.": 7,
    },
    {"Divide by the number of tokens.": 6, "It divides by the number of different tokens.": 5},
    {
        "Divide characters by tokens.": lambda q: q,
        "It divides the wrong way round.": lambda q: 1 / q,
    },
    {"Keep the decimals.": float, "It keeps whole numbers only: divide with `/`.": int},
)


COMPRESSION = Symptom(
    id="1.7",
    title="Characters per token",
    level="medium",
    text="""
The curves below were made by code with one of these mistakes. Choose the letter, then repair
`characters_per_token`. The tokenizers are GPT-2's with ever more of its merges; with all of them
many Japanese characters are one token.
""",
    hints=(
        "At 256 ids there are no merges: a token is one byte. A Japanese character takes three.",
        "At 50,256 ids many Japanese characters have become one token. Which of these quantities "
        "is 1 both before and after that?",
    ),
    solution=characters_per_token,
    second_style=characters_per_token_decoded,
    mistakes=(
        characters_per_kind,
        characters_of_each_token,
        bytes_per_token,
        tokens_per_character,
    ),
    shown=characters_of_each_token,
    looks=(
        "The English curve would start near 3, since its letters repeat even at 256 ids.",
        "A single byte counts as a character, a whole character does too: Japanese stays at 1.",
        "The Japanese curve would rise above 2: with 50,256 ids many characters are one token "
        "of three bytes.",
        "The English curve would fall: fewer and fewer tokens for each character.",
    ),
    cases=characters_per_token_cases,
    properties=COMPRESSION_RULES,
    see="1E What size?",
)
