"""The wheel that pip builds holds everything the course needs; importing it costs nothing."""

import subprocess
import sys
import zipfile

import pytest
from isolation import ROOT

ASSETS = {".js", ".css", ".json", ".safetensors", ".txt"}


def package_files(root=ROOT):
    files = (path for path in (root / "tutorial_lib").rglob("*") if path.is_file())
    return [f for f in files if "__pycache__" not in f.parts]


@pytest.mark.slow
def test_wheel_holds_code_and_assets(tmp_path):
    source = tmp_path / "source"
    for path in [*package_files(), ROOT / "pyproject.toml", ROOT / "README.md"]:
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    build += ["--no-build-isolation", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("tutorial_lib-*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {path.relative_to(source).as_posix() for path in package_files(source)}
    assert expected - inside == set()
    kinds = {path.suffix for path in package_files(source)}
    assert {".js", ".css", ".json", ".safetensors"} <= kinds
    assert not any(name.startswith(("tests/", "notebooks/")) for name in inside)


def test_only_known_kinds_of_files_are_shipped():
    assert {path.suffix for path in package_files()} <= ASSETS | {".py"}


def test_importing_the_package_imports_nothing_heavy():
    program = (
        "import sys, tutorial_lib\n"
        "heavy = {'torch', 'numpy', 'matplotlib', 'ipywidgets'} & set(sys.modules)\n"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
