"""Every version is pinned, in one place, and Binder gets the same ones."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions

import pytest
from isolation import ROOT
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from requirement_files import DATA, MODELS, pins

from tutorial_lib.datasets import DATA_WHEELS

LISTS = ("requirements.txt", "requirements-test.txt", "constraints.txt")


def lines(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def needed_by(roots):
    """Names of all installed packages that the packages `roots` bring along."""
    found, waiting = set(), [(name, ()) for name in roots]
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in found:
            continue
        try:
            requires = distribution(name).requires or ()
        except PackageNotFoundError:
            continue
        found.add((name, extras))
        for requirement in map(Requirement, requires):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": e}) for e in extras or ("",)):
                name = canonicalize_name(requirement.name)
                waiting.append((name, tuple(sorted(requirement.extras))))
    return {name for name, _ in found}


def test_requirements_start_with_the_constraints_and_end_with_the_package():
    assert lines("requirements.txt")[0] == "-c constraints.txt"
    assert lines("requirements.txt")[-1] == "-e ."


@pytest.mark.parametrize("name", LISTS)
def test_every_line_is_an_exact_version(name):
    loose = [line for line in lines(name) if not line.startswith("-")]
    assert [line for line in loose if not re.fullmatch(r"[A-Za-z0-9._-]+==[\w.]+", line)] == []


def test_every_pinned_version_runs_on_the_oldest_python_that_we_promise():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (oldest,) = SpecifierSet(settings["project"]["requires-python"])
    assert oldest.operator == ">="
    too_new = {}
    for name in {name for file in LISTS for name in pins(file)}:
        try:
            needs = distribution(name).metadata["Requires-Python"]
        except PackageNotFoundError:  # for another system only
            continue
        if needs and f"{oldest.version}.0" not in SpecifierSet(needs):
            too_new[name] = needs
    assert too_new == {}


def test_everything_that_comes_along_is_pinned():
    direct = {**pins("requirements.txt"), **pins("requirements-test.txt")}
    pinned = {**direct, **pins("constraints.txt")}
    # PyTorch pins its own CUDA packages, which only some machines get.
    others = {n for n in needed_by(direct) if not re.match(r"nvidia-|cuda-|triton", n)}
    assert sorted(others - set(pinned)) == []


def imported_packages():
    """The packages that tutorial_lib imports, by their name on the index."""
    modules = set()
    for path in (ROOT / "tutorial_lib").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(node.module.partition(".")[0])
    foreign = modules - sys.stdlib_module_names - {"tutorial_lib"}
    homes = packages_distributions()
    return {canonicalize_name(homes[module][0]) for module in foreign}


def declared(extra=None):
    """name -> accepted versions of what pyproject.toml declares, for the package or an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {canonicalize_name(r.name): r.specifier for r in map(Requirement, lines)}


def test_the_package_declares_exactly_what_it_imports():
    assert set(declared()) == imported_packages()


def test_the_course_adds_what_notebooks_need_and_nothing_twice():
    assert {"jupyterlab", "ipykernel", "nbval"} == set(declared("course"))


def test_the_pins_satisfy_what_the_package_declares():
    pinned = pins("requirements.txt")
    wanted = {**declared(), **declared("course")}
    assert set(wanted) == set(pinned), "requirements.txt pins what the package and course declare"
    unmet = {name: str(spec) for name, spec in wanted.items() if pinned[name] not in spec}
    assert unmet == {}
    assert all(re.fullmatch(r">=[\d.]+", str(spec)) for spec in wanted.values())


def test_pins_do_not_contradict_what_is_installed():
    pinned = {name: version for file in LISTS for name, version in pins(file).items()}
    installed = {}
    for name in pinned:
        try:
            installed[name] = distribution(name).version.split("+")[0]
        except PackageNotFoundError:  # for another system only
            continue
    assert installed == {name: pinned[name] for name in installed}


def test_a_package_is_pinned_once():
    assert not set(pins("requirements.txt")) & set(pins("constraints.txt"))
    assert not set(pins("requirements-test.txt")) & set(pins("constraints.txt"))


def test_data_wheels_have_versions_and_hashes():
    for name in (DATA, MODELS):
        text = (ROOT / name).read_text(encoding="utf-8")
        wheels = re.findall(r"^\S+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}$", text, re.M)
        optional = [wheel.name for wheel in DATA_WHEELS if wheel.optional == (name == MODELS)]
        assert len(wheels) == len(pins(name))
        assert set(pins(name)) == set(optional)
        assert f"-r {name}" in lines("requirements-data.txt")
