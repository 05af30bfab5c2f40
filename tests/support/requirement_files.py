"""Reading the project's requirements files."""

import re

from isolation import ROOT
from packaging.utils import canonicalize_name

DATA = "tutorial_lib/datasets/requirements-data.txt"
MODELS = "tutorial_lib/datasets/requirements-models.txt"
LISTS = ("requirements.txt", "requirements-test.txt", "constraints.txt", DATA, MODELS)


def pins(name):
    """name -> version of each line `name==version` of the requirements file `name`."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.M)
    return {canonicalize_name(package): version for package, version in found}


def all_pins():
    """name -> version of everything that the lists of requirements install."""
    return {name: version for file in LISTS for name, version in pins(file).items()}
