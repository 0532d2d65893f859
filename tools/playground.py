"""Build the playground: python -m tools.playground [FOLDER], by default build/playground.

Static files: the page with CodeMirror (bundled by esbuild), Pyodide, and python.zip with trainc's wheel and the
libraries that it imports, in the versions of requirements.lock. Needs npm.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.packages import WHEEL, copy_sources
from tests.support.packages import build as build_packages
from tools.one_file import zipped
from trainc import target
from trainc.systems.registry import NAMES

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "playground"
MODULES = SOURCES / "node_modules"
# What trainc imports, without extension modules; markupsafe also works without its own. rpds is in playground/.
LIBRARIES = (
    *("annotated_doc", "attr", "attrs", "click", "jinja2", "jsonschema", "jsonschema_specifications"),
    *("markupsafe", "referencing", "ruamel", "typer", "typing_extensions.py"),
)
UNUSED = {"__pycache__", "tests", "benchmarks"}
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
STATIC = ("index.html", "style.css", "icon.svg")


class BuildError(Exception):
    """A program is missing or has failed; the message is its output."""


def build(folder: Path) -> None:
    """Write the playground to a new folder. Raises BuildError."""
    install()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    for name in STATIC:
        shutil.copyfile(SOURCES / name, folder / name)
    for name in PYODIDE:
        shutil.copyfile(MODULES / "pyodide" / name, folder / "pyodide" / name)
    (folder / "python.zip").write_bytes(python_archive())
    (folder / "data.json").write_text(json.dumps(data()), "utf-8")
    for name in ("main", "worker"):
        _bundle(name, folder, "--external:./pyodide/pyodide.mjs")
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in files)).hexdigest()[:16]
    definitions = {"VERSION": json.dumps(digest), "FILES": json.dumps(["./", *files])}
    _bundle("offline", folder, *(f"--define:{name}={value}" for name, value in definitions.items()))


def install() -> None:
    """Install the packages of package-lock.json, unless they are. Raises BuildError."""
    stamp, lock = MODULES / ".ready", SOURCES / "package-lock.json"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return
    if shutil.which("npm") is None:
        raise BuildError("npm is not installed: apt-get install npm")
    _run("npm", "ci", "--silent")
    stamp.write_bytes(lock.read_bytes())


def data() -> dict[str, object]:
    """Return what the page offers: examples, back ends and versions of Kubernetes."""
    examples = {}
    for file in sorted((ROOT / "examples").glob("*.yaml")):
        lines = file.read_text("utf-8").splitlines(keepends=True)
        examples[file.stem] = {"text": "".join(line for line in lines if "yaml-language-server" not in line)}
    minors = [f"1.{minor}" for minor in range(target.OLDEST, target.NEWEST + 1)]
    return {"examples": examples, "backends": [*NAMES], "kubernetes": minors}


def python_archive() -> bytes:
    """Return the zip archive of everything that the worker imports; the same bytes for the same files.

    Raises BuildError.
    """
    packages = Path(sysconfig.get_path("purelib"))
    files: dict[str, bytes] = {}
    try:
        with TemporaryDirectory() as sources, TemporaryDirectory() as wheels:
            wheel = io.BytesIO(build_packages(copy_sources(Path(sources)), Path(wheels), "-t", "wheel")[WHEEL])
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"cannot build the wheel: {error}") from error
    with zipfile.ZipFile(wheel) as archive:
        files |= {name: archive.read(name) for name in archive.namelist()}
    for library in LIBRARIES:
        paths = [packages / library] if library.endswith(".py") else sorted((packages / library).rglob("*"))
        for path in paths:
            if path.is_file() and path.suffix != ".so" and not UNUSED & set(path.parts):
                files[path.relative_to(packages).as_posix()] = path.read_bytes()
    for script in ("compiler.py", "rpds.py"):
        files[script] = (SOURCES / script).read_bytes()
    return zipped(dict(sorted(files.items())), zipfile.ZIP_DEFLATED)


def _bundle(name: str, folder: Path, *options: str) -> None:
    """Bundle a script of playground/src."""
    fixed = ("--bundle", "--format=esm", "--target=es2022", "--minify", "--log-level=warning")
    _run(str(MODULES / ".bin" / "esbuild"), f"src/{name}.js", *fixed, f"--outfile={folder / name}.js", *options)


def _run(*command: str) -> None:
    """Run a program in playground/. Raises BuildError if it fails."""
    try:
        done = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(str(error)) from error
    if done.returncode:
        raise BuildError(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()}")


def main() -> int:
    """Build the playground and print its folder."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "playground")
    try:
        build(folder.resolve())
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{os.path.relpath(folder)}: serve it with python3 -m http.server --directory {os.path.relpath(folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
