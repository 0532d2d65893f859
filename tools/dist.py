"""Build the files of a release from the files that git tracks: `python -m tools.dist [FOLDER]`; the default is dist.

A wheel, an sdist and trainc as one file, which tests/acceptance/test_release.py installs and runs.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.examples import ROOT
from tests.support.packages import ONE_FILE, WHEEL, build, copy_sources
from tools import one_file


def build_all(folder: Path) -> None:
    """Write all files into an empty folder."""
    with TemporaryDirectory() as sources:
        build(copy_sources(Path(sources)), folder)
    (folder / ONE_FILE).write_bytes(one_file.build(folder / WHEEL))
    (folder / ONE_FILE).chmod(0o755)


def main() -> None:
    """Replace the folder, and print the files with their size and SHA-256."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    build_all(folder)
    for path in sorted(folder.iterdir()):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.stat().st_size:>9,}  {path.name}")


if __name__ == "__main__":
    main()
