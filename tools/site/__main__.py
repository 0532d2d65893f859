"""Build the site: python -m tools.site [--builder mkdocs|zensical].

Both builders read the same mkdocs.yml. A warning of the builder, a dead link, a missing anchor, a page without a way to
it, or a file from another host fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools import playground
from tools.site.check import problems
from tools.site.stage import stage

ROOT = Path(__file__).parents[2]
VENV = ROOT / ".venv-site"


def build(folder: Path, builder: str) -> int:
    """Build the site in build/site of a folder and return the exit code; faults are on standard error."""
    pages, site = folder / "build" / "docs", folder / "build" / "site"
    try:
        playground.build(folder / "build" / "playground")
    except playground.BuildError as error:
        print(f"error: cannot build the playground: {error}", file=sys.stderr)
        return 2
    stage(pages, folder / "build" / "playground")
    shutil.rmtree(site, ignore_errors=True)
    if folder != ROOT:
        shutil.copy(ROOT / "mkdocs.yml", folder)
    # Material for MkDocs prints a notice about MkDocs 2, which requirements-site.lock excludes.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [str(VENV / "bin" / builder), "build", "--strict", "--clean"]
    if subprocess.run(command, cwd=folder, env=environment, check=False).returncode:
        return 1
    faults = problems(site)
    for text in faults:
        print(f"error: {text}", file=sys.stderr)
    if not faults:
        print(f"{site.relative_to(folder)}: serve it with python3 -m http.server --directory {site}")
    return bool(faults)


def main() -> int:
    """Build the site and return 1 if something is wrong with it."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description="Build the site in build/site.")
    parser.add_argument("--builder", choices=("mkdocs", "zensical"), default="mkdocs")
    parser.add_argument("--folder", type=Path, default=ROOT, help="where build/ is written; default: the checkout")
    arguments = parser.parse_args()
    return build(arguments.folder.resolve(), arguments.builder)


if __name__ == "__main__":
    sys.exit(main())
