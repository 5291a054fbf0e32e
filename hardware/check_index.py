#!/usr/bin/env python3
"""Is all that `make pi` installs there for a Pi (aarch64, Python 3.11 and 3.13)? Asks the package index; exit 1 if not.

    check_index.py [--apt]

Every dependency of the program, of its extras `pi` and `tournament`, and all that these need in turn must have a wheel
that a Pi can install, so that nothing is compiled there. With --apt the packages that come from apt are looked up in
the package lists of this machine (Debian; those of the Raspberry Pi's own archive are named as such).
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.13")
PLATFORMS = ("manylinux_2_17_aarch64", "manylinux2014_aarch64", "manylinux_2_28_aarch64", "manylinux_2_36_aarch64")
"""What Debian 12 (glibc 2.36) and newer can load."""
FROM_APT = {"lgpio": "python3-lgpio", "rpi.gpio": "python3-rpi-lgpio"}
"""What has no wheel for every Python, and comes with the system: `make pi` installs it from apt."""
PI = {"platform_machine": "aarch64", "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
OF_RASPBERRY_PI = ("python3-picamera2", "python3-lgpio", "python3-rpi-lgpio", "rpicam-apps-lite")
"""Apt packages of the Raspberry Pi's own archive; Debian need not have them."""


def requirements() -> list[str]:
    """The program's requirements with the extras that `make pi` installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *extras["pi"], *extras["tournament"]]


def resolved(python: str, wanted: list[str]) -> tuple[dict[str, str], list[str]]:
    """What pip would install on a Pi, by name and version, wheels alone; and what cannot be had.

    pip looks at the markers of requirements with this machine's processor, so those that hold on a Pi alone are looked
    for here.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed"]
        command += ["--only-binary=:all:", "--python-version", python, "--implementation", "cp", "--target", folder]
        command += [word for platform in PLATFORMS for word in ("--platform", platform)]
        run = subprocess.run(
            [*command, "--report", str(report), *wanted], capture_output=True, text=True, timeout=600, check=False
        )
        if run.returncode:
            return {}, [" ".join(run.stderr.split())[-300:]]
        installs = json.loads(report.read_text(encoding="utf-8"))["install"]
    there = {p["metadata"]["name"]: f"{p['metadata']['version']} {_wheel(p)}" for p in installs}
    names = {_plain(name) for name in there}
    missing = [
        f"{package['metadata']['name']} needs {text} there, which was not found"
        for package in installs
        for text in package["metadata"].get("requires_dist", ())
        if _holds_on_a_pi(text, python) and _plain(Requirement(text).name) not in {*names, *map(_plain, FROM_APT)}
    ]
    return there, missing


def _holds_on_a_pi(text: str, python: str) -> bool:
    marker = Requirement(text).marker
    return marker is None or marker.evaluate({**PI, "python_version": python, "extra": ""})


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _wheel(package: dict[str, Any]) -> str:
    name = package["download_info"]["url"].rsplit("/", 1)[1]
    return "any" if name.endswith("-any.whl") else re.sub(r".*-(cp\d+|abi3|py3)-", "", name).removesuffix(".whl")


def apt(packages: list[str]) -> dict[str, str]:
    """What this machine's package lists hold of these."""
    found = {}
    for package in packages:
        run = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True, check=False)
        candidate = re.search(r"Candidate: (\S+)", run.stdout)
        found[package] = candidate[1] if candidate and candidate[1] != "(none)" else ""
    return found


def apt_packages() -> list[str]:
    """The apt packages that install.sh names."""
    text = (ROOT / "hardware" / "pi" / "install.sh").read_text(encoding="utf-8")
    lists = re.findall(r"(?:wanted|helpful)\+?=\(([^)]*)\)", text)
    return sorted({word for line in lists for word in line.split()})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--apt", action="store_true", help="look up apt packages too")
    arguments = parser.parse_args()
    bad = 0
    for python in PYTHONS:
        there, missing = resolved(python, requirements())
        bad += len(missing)
        for what in missing:
            print(f"Python {python}: not all there: {what}")
        for name, version in sorted(there.items(), key=lambda item: item[0].lower()):
            print(f"Python {python}: {name} {version}")
    for package, version in apt(apt_packages()).items() if arguments.apt else ():
        if version:
            print(f"apt: {package} {version}")
        elif package in OF_RASPBERRY_PI:
            print(f"apt: {package} is in the Raspberry Pi's own archive, not in this one")
        else:
            bad += 1
            print(f"apt: {package} is missing")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
