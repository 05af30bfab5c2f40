"""Talking to a model: messages written out as one text, in the form that it was trained on.

SmolLM2 reads ChatML: each message between two special tokens, the role in its first line. The
model continues after "assistant" and ends its answer with <|im_end|>.
"""

from collections.abc import Iterable, Mapping

from tutorial_lib.errors import MessageError, VocabularyError
from tutorial_lib.tokenizers.bpe import BPETokenizer

START, END = "<|im_start|>", "<|im_end|>"
# What stands first when the messages have no system message: the template of SmolLM2 says so.
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


def chat_prompt(messages: Iterable[Mapping[str, str]], answer: bool = True) -> str:
    r"""Return messages as one text in ChatML; answer: ends where the assistant is to begin.

    messages: {"role": ..., "content": ...} each; a system message first if you like, then user and
    assistant by turns. To read them with a model use `encode_chat`: in this text a user's own
    "<|im_end|>" looks like the real one.
    Raises MessageError for an unknown role, one out of order, or a message without content.

    >>> print(chat_prompt([{"role": "system", "content": "Rhyme."},
    ...                    {"role": "user", "content": "Hello!"}]))
    <|im_start|>system
    Rhyme.<|im_end|>
    <|im_start|>user
    Hello!<|im_end|>
    <|im_start|>assistant
    <BLANKLINE>
    """
    turns = [f"{START}{role}\n{content}{END}\n" for role, content in _turns(messages, answer)]
    return "".join(turns) + f"{START}assistant\n" * answer


def encode_chat(
    tokenizer: BPETokenizer, messages: Iterable[Mapping[str, str]], answer: bool = True
) -> list[int]:
    """Return the ids of `chat_prompt`, in which only the template writes special tokens.

    What somebody typed is plain text, whatever it looks like: nobody can end their own message
    and go on as the system. Raises as `chat_prompt` does, and VocabularyError when the tokenizer
    does not have the two special tokens.
    """
    missing = {START, END} - tokenizer.special_tokens.keys()
    if missing:
        raise VocabularyError(f"this tokenizer has no {' and no '.join(sorted(missing))}: no chat")
    start, end = tokenizer.special_tokens[START], tokenizer.special_tokens[END]
    line_end = tokenizer.encode("\n")
    ids = []
    for role, content in _turns(messages, answer):
        ids += [start, *tokenizer.encode(f"{role}\n{content}"), end, *line_end]
    return [*ids, start, *tokenizer.encode("assistant\n")] if answer else ids


def _turns(messages, answer):
    """Return (role, content) of each message, a system message first."""
    turns = [_turn(number, message) for number, message in enumerate(messages)]
    if not turns:
        raise MessageError("a chat needs at least one message")
    if turns[0][0] != "system":
        turns.insert(0, ("system", SYSTEM))
    for n, (role, _) in enumerate(turns[1:]):
        wanted = ("user", "assistant")[n % 2]
        if role != wanted:
            raise MessageError(
                f"after a message of the {turns[n][0]} comes one of the {wanted}, got {role!r}"
            )
    if answer and turns[-1][0] != "user":
        raise MessageError(
            f"the assistant answers a user, but the last message is of the {turns[-1][0]}"
        )
    return turns


def _turn(number, message):
    if not isinstance(message, Mapping) or message.keys() != {"role", "content"}:
        raise MessageError(f'message {number} must have "role" and "content", got {message!r}')
    role, content = message["role"], message["content"]
    if role not in ("system", "user", "assistant"):
        raise MessageError(
            f"message {number}: the role must be 'system', 'user' or 'assistant', got {role!r}"
        )
    if not isinstance(content, str) or not content.strip():
        raise MessageError(f"message {number} of the {role} says nothing, got {content!r}")
    return role, content
