"""The wheel that pip builds holds everything the course needs; importing it costs nothing."""

import subprocess
import sys
import zipfile

import pytest
from wheel_of_the_package import build, package_files

ASSETS = {".js", ".css", ".json", ".safetensors", ".txt"}


@pytest.mark.slow
def test_wheel_holds_code_and_assets(tmp_path):
    wheel, source = build(tmp_path), tmp_path / "source"
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {path.relative_to(source).as_posix() for path in package_files(source)}
    assert expected - inside == set()
    kinds = {path.suffix for path in package_files(source)}
    assert {".js", ".css", ".json", ".safetensors"} <= kinds
    assert not any(name.startswith(("tests/", "notebooks/")) for name in inside)
    licences = {name.rsplit("/")[-1] for name in inside if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}


def test_only_known_kinds_of_files_are_shipped():
    assert {path.suffix for path in package_files()} <= ASSETS | {".py"}


def test_importing_the_package_imports_nothing_heavy():
    program = (
        "import sys, tutorial_lib\n"
        "heavy = {'torch', 'numpy', 'matplotlib', 'ipywidgets'} & set(sys.modules)\n"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
