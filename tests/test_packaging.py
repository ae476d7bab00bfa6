"""The wheel, made through the sdist, holds every data file, and works away from the checkout."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not (ROOT / ".git").exists():
        pytest.skip("needs the checkout, to compare with what git tracks")
    out = tmp_path_factory.mktemp("dist")
    build = "import os, sys, tarfile; from hatchling import build as b; os.chdir(sys.argv[1]); print(b.build_sdist(sys.argv[2]))"
    name = subprocess.run([sys.executable, "-c", build, ROOT, out], capture_output=True, text=True, check=True).stdout.split()[-1]
    unpack = "import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2], filter='data')"
    subprocess.run([sys.executable, "-c", unpack, out / name, out], check=True)
    make = "import os, sys; from hatchling import build as b; os.chdir(sys.argv[1]); print(b.build_wheel(sys.argv[2]))"
    source = out / name.removesuffix(".tar.gz")
    name = subprocess.run([sys.executable, "-c", make, source, out], capture_output=True, text=True, check=True).stdout.split()[-1]
    return out / name


def tracked(folder):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", folder], capture_output=True, check=True).stdout
    return {name for name in listed.decode().split("\0") if name}


def test_every_data_file_is_in_the_wheel(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "sample_runs"):
        missing = {name for name in tracked(folder) if f"trainreport/{name}" not in inside}
        assert missing == set()


def test_every_module_is_in_the_wheel(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in tracked("trainreport") if name not in inside} == set()


def test_the_wheel_finds_its_data_from_anywhere(wheel, tmp_path):
    probe = (
        "import sys; sys.path.insert(0, sys.argv[1]); import trainreport; from trainreport._resources import folder; "
        "print(trainreport.__file__); print((folder('templates') / 'plan' / 'plan.toml').read_text()[:6])"
    )
    for place in (wheel, tmp_path / "unpacked"):  # as a zip, and installed
        if place != wheel:
            zipfile.ZipFile(wheel).extractall(place)
        out = subprocess.run([sys.executable, "-c", probe, place], capture_output=True, text=True, check=True, cwd=tmp_path)
        assert str(place) in out.stdout
        assert out.stdout.splitlines()[-1] == "# A pl"
