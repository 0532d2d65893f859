"""The wheel and the sdist: reproducible, with the license, and what trainc says inside a zip archive."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tarfile
import zipapp
import zipfile
from pathlib import Path

import pytest

from tests.support.command import clean_environment
from tests.support.examples import ROOT
from tests.support.packages import SDIST, WHEEL, build, copy_sources

NO_SITE = re.compile(rb"\w+://[^\s/]*\btrainc\.dev\b")  # the API group, which is no host


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the packages built in the checkout."""
    return build(copy_sources(tmp_path_factory.mktemp("first")), tmp_path_factory.mktemp("dist"), TZ="UTC")


@pytest.mark.slow
def test_two_builds_of_the_same_sources_give_the_same_bytes(packages: dict[str, bytes], tmp_path: Path) -> None:
    sources = copy_sources(tmp_path / "another path")
    different = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "7", "HOME": str(tmp_path)}
    again = build(sources, tmp_path / "dist", umask=0o077, **different)
    assert sorted(packages) == sorted(again) == sorted([WHEEL, SDIST])
    assert packages == again


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout(packages: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / SDIST).write_bytes(packages[SDIST])
    with tarfile.open(tmp_path / SDIST) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4 or newer
        archive.extractall(tmp_path)
    wheels = build(tmp_path / SDIST.removesuffix(".tar.gz"), tmp_path / "dist", "-t", "wheel")
    assert wheels[WHEEL] == packages[WHEEL]


def test_both_packages_contain_the_licenses(packages: dict[str, bytes], tmp_path: Path) -> None:
    license_text = (ROOT / "LICENSE").read_bytes()
    for name, content in packages.items():
        (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / WHEEL) as wheel:
        assert wheel.read("trainc-0.1.0.dist-info/licenses/LICENSE") == license_text
        assert b"Zachary Rice" in wheel.read("trainc/secrets/LICENSE.gitleaks")
        assert b"License-Expression: Apache-2.0 AND MIT\n" in wheel.read("trainc-0.1.0.dist-info/METADATA")
    with tarfile.open(tmp_path / SDIST) as sdist:
        names = sdist.getnames()
        member = sdist.extractfile("trainc-0.1.0/LICENSE")
        assert member is not None
        assert member.read() == license_text
    assert {name.split("/")[1] for name in names} == {
        *(".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "compiler", "docs", "examples"),
        *("hatch_build.py", "pyproject.toml", "schemas", "templates"),
    }


def test_no_file_of_the_packages_leads_to_a_host_that_does_not_exist(packages: dict[str, bytes]) -> None:
    with zipfile.ZipFile(io.BytesIO(packages[WHEEL])) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(fileobj=io.BytesIO(packages[SDIST])) as sdist:
        members = {member.name: sdist.extractfile(member) for member in sdist.getmembers()}
        files |= {name: member.read() for name, member in members.items() if member is not None}
    assert len(files) > 1000
    assert [name for name, content in files.items() if NO_SITE.search(content)] == []


def test_a_zip_archive_says_that_it_cannot_run(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "compiler/trainc", tmp_path / "app/trainc", ignore=shutil.ignore_patterns("__pycache__"))
    zipapp.create_archive(tmp_path / "app", tmp_path / "trainc.pyz", main="trainc.__main__:main")
    command = [sys.executable, str(tmp_path / "trainc.pyz"), "compile", "job.yaml"]
    done = subprocess.run(command, env=clean_environment(), check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: trainc cannot run inside a zip archive: install it, or use pex or shiv to unpack it\n"
    )
