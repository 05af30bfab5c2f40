"""Building the package's wheel, offline and from a copy, so that nothing is left in the clone."""

import subprocess
import sys

from isolation import ROOT


def package_files(root=ROOT):
    """All files of the package below `root`."""
    files = (path for path in (root / "tutorial_lib").rglob("*") if path.is_file())
    return [f for f in files if "__pycache__" not in f.parts]


def build(folder):
    """Build the wheel into `folder`, from a copy of the sources at `folder`/source."""
    source = folder / "source"
    beside = [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE")]
    for path in [*package_files(), *beside]:
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("tutorial_lib-*.whl")
    return wheel
