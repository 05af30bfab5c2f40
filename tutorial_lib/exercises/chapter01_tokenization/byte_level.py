"""Chapter 01: decode any ids, measure compression."""

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


def decode_each(ids, vocabulary):
    """This decodes token by token: a character that two tokens share is lost."""
    return "".join(vocabulary[i].decode("utf-8", errors="replace") for i in ids)


def decode_ignoring(ids, vocabulary):
    """This drops bytes that are no valid UTF-8: a damaged text then looks like a whole one."""
    return b"".join(vocabulary[i] for i in ids).decode("utf-8", errors="ignore")


def decode_strict(ids, vocabulary):
    """This raises an error on half a character, and a model may well write one."""
    return b"".join(vocabulary[i] for i in ids).decode("utf-8")


def decode_latin(ids, vocabulary):
    """This reads each byte as one character: `é` is two bytes in UTF-8."""
    return b"".join(vocabulary[i] for i in ids).decode("latin-1")


def decode_trying(ids, vocabulary):
    """This tries token by token: `é` in two tokens is whole, but neither half is valid alone."""
    text = ""
    for i in ids:
        try:
            text += vocabulary[i].decode("utf-8")
        except UnicodeDecodeError:
            text += "\ufffd"
    return text


def decode_all_or_nothing(ids, vocabulary):
    """This gives up the whole text for one bad byte: only that byte becomes `�`."""
    try:
        return b"".join(vocabulary[i] for i in ids).decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd"


def decode_cases():
    """A character inside a token, one shared by two tokens, and one cut off."""
    vocabulary = {0: b"caf", 1: b"\xc3", 2: b"\xa9", 3: "é ".encode(), 4: b" \xf0\x9f", 7: b"!"}
    return [
        case("caf + é", [0, 3, 7], vocabulary),
        case("é in two tokens", [0, 1, 2, 7], vocabulary),
        case("an emoji cut off", [0, 4], vocabulary),
    ]


DECODE = Write(
    id="1.7",
    title="Decode whatever comes",
    level="medium",
    text="""
Write `decode(ids, vocabulary)`, where `vocabulary` maps each id to bytes. A model may write any
sequence of ids, also one that stops in the middle of a character. Decoding must not fail then:
bytes that are no valid UTF-8 become the replacement character `�`.
""",
    hints=(
        "Tokens are pieces of bytes, characters may cross them: when are bytes made into text?",
        'Join first. Then `.decode("utf-8", errors=...)`, and choose what happens to bad bytes.',
    ),
    solution=decode,
    second_style=decode_bytearray,
    mistakes=(
        decode_each,
        decode_ignoring,
        decode_strict,
        decode_latin,
        decode_trying,
        decode_all_or_nothing,
    ),
    cases=decode_cases,
    see="1.4 From toy to real",
)


# A curve that is too good ---------------------------------------------------------------------


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


def characters_per_token_cases():
    """Letters of one byte and of three, and a token that comes twice."""
    return [
        case("to be, to do", "to be, to do", [b"to", b" be", b",", b" ", b"to", b" do"]),
        case("one sign of three bytes", "死", [b"\xe6", b"\xad", b"\xbb"]),
        case("one sign in two tokens", "死死", [b"\xe6\xad", b"\xbb", b"\xe6\xad", b"\xbb"]),
    ]


COMPRESSION = Symptom(
    id="1.8",
    title="A curve that is too fair",
    level="hard",
    text="""
The curves below were made by code with one of these mistakes. Choose the letter, then repair
`characters_per_token`.
""",
    hints=(
        "At 256 ids there are no merges: a token is one byte. What does a Greek letter cost then?",
        "All three curves start at exactly 1. Which of the three quantities is 1 for any text?",
    ),
    solution=characters_per_token,
    second_style=characters_per_token_decoded,
    mistakes=(bytes_per_token, tokens_per_character, characters_per_kind),
    shown=bytes_per_token,
    looks=(
        "Every curve would start at 1, in any script.",
        "The English curve would fall, and the others would start above 1.",
        "The English curve would start above 2, since its letters repeat even at 256 ids.",
    ),
    cases=characters_per_token_cases,
    see="1.4 From toy to real",
)
