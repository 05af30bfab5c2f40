"""Ask pip's index which wheel each pinned version has for each Python and system of the course.

    python tests/support/record_wheels.py

writes tests/packaging/wheels.json, which test_wheels_for_pythons.py reads. It needs the internet;
run it when a version in a list of requirements has changed. Only versions without a row are asked
for (all of them, after the table was deleted: about twenty minutes). Nothing is installed, and
where the index serves metadata, no wheel is downloaded either.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from isolation import ROOT
from packaging.utils import canonicalize_name
from requirement_files import all_pins

TABLE = ROOT / "tests" / "packaging" / "wheels.json"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# The oldest systems that a wheel may ask for: Debian 12's C library, macOS 14, any Windows.
SYSTEMS = {
    "linux": [f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)]
    + ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"],
    "macos": ["macosx_14_0_arm64"],
    "windows": ["win_amd64"],
}


def tag(file_name):
    """The part of a wheel's file name that says where it runs: any, or Python-ABI-system."""
    python, abi, system = file_name.removesuffix(".whl").split("-")[-3:]
    return "any" if (abi, system) == ("none", "any") else f"{python}-{abi}-{system}"


def wheels(pins, python, system):
    """name -> tag of the wheel that pip would take, None where it finds none."""
    wanted, found = dict(pins), {}
    while wanted:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet"]
            command += ["--ignore-installed", "--no-deps", "--only-binary=:all:"]
            command += ["--target", folder, "--report", str(report)]
            command += ["--implementation", "cp", "--python-version", python]
            command += [part for name in SYSTEMS[system] for part in ("--platform", name)]
            command += [f"{name}=={version}" for name, version in wanted.items()]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                for item in json.loads(report.read_text(encoding="utf-8"))["install"]:
                    name = item["metadata"]["name"]
                    file = unquote(urlsplit(item["download_info"]["url"]).path).rsplit("/")[-1]
                    found[canonicalize_name(name)] = tag(file)
                return found
        missing = re.search(r"No matching distribution found for ([\w.-]+)==", done.stderr)
        if not missing:
            raise SystemExit(done.stderr)
        name = canonicalize_name(missing[1])
        del wanted[name]
        found[name] = None
    return found


def main():
    """Bring wheels.json up to date and print what is missing."""
    known = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    pins = {f"{name}=={version}": name for name, version in sorted(all_pins().items())}
    new = {name: pin.partition("==")[2] for pin, name in pins.items() if pin not in known}
    table = {pin: known.get(pin, {}) for pin in pins}
    for system in SYSTEMS if new else ():
        for python in PYTHONS:
            print(f"asking for {system}, Python {python} ...", flush=True)
            for name, found in wheels(new, python, system).items():
                pin = f"{name}=={new[name]}"
                table[pin].setdefault(system, {})[python] = found
                if found is None:
                    print(f"  no wheel: {pin}")
    lines = [f"  {json.dumps(pin)}: {json.dumps(row)}" for pin, row in table.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
