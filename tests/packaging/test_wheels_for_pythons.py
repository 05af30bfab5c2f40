"""Every pinned version has a wheel for each Python that the course names (wheels.json says so)."""

import json
import re
import tomllib

import pytest
from isolation import ROOT
from packaging.specifiers import SpecifierSet
from packaging.tags import compatible_tags, cpython_tags, mac_platforms, parse_tag
from record_wheels import PYTHONS, SYSTEMS, TABLE, tag
from requirement_files import all_pins

AGAIN = "python tests/support/record_wheels.py"
table = json.loads(TABLE.read_text(encoding="utf-8"))


def fits(found, python, system):
    """Whether a wheel with the tag `found` installs under `python` on `system`."""
    if found == "any":
        return True
    version = tuple(map(int, python.split(".")))
    platforms = SYSTEMS[system]
    if system == "macos":  # a newer one runs what an older one does
        platforms = list(mac_platforms((14, 0), "arm64"))
    accepted = {*cpython_tags(version, platforms=platforms)}
    accepted |= {*compatible_tags(version, f"cp{version[0]}{version[1]}", platforms)}
    return bool(parse_tag(found) & accepted)


def test_the_table_has_a_row_for_every_pin_and_no_other():
    wanted = {f"{name}=={version}" for name, version in all_pins().items()}
    assert wanted - set(table) == set(), f"asked for, but not in the table: {AGAIN}"
    assert set(table) - wanted == set(), f"in the table, but no longer asked for: {AGAIN}"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_pin_has_a_wheel(system, python):
    missing = [
        pin
        for pin, row in table.items()
        if not (found := row.get(system, {}).get(python)) or not fits(found, python, system)
    ]
    assert missing == []


def test_the_project_names_these_pythons():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [c.rsplit(" ")[-1] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert named == list(PYTHONS)
    assert SpecifierSet(project["requires-python"]) == SpecifierSet(f">={PYTHONS[0]}")


def test_a_wheel_of_another_python_or_system_does_not_fit():
    assert fits("any", "3.14", "windows")
    assert fits("cp312-abi3-manylinux_2_28_x86_64", "3.14", "linux")
    assert not fits("cp312-abi3-manylinux_2_28_x86_64", "3.11", "linux")
    assert not fits("cp313-cp313-win_amd64", "3.14", "windows")
    assert not fits("cp314-cp314-macosx_15_0_arm64", "3.14", "macos")
    assert fits("cp314-cp314-macosx_11_0_arm64", "3.14", "macos")
    assert not fits("cp314-cp314t-win_amd64", "3.14", "windows")


def test_tags_are_read_from_file_names():
    assert tag("tqdm-4.70.1-py3-none-any.whl") == "any"
    assert tag("x-1.0-1-cp311-cp311-win_amd64.whl") == "cp311-cp311-win_amd64"
    assert tag("ruff-1.0-py3-none-win_amd64.whl") == "py3-none-win_amd64"
