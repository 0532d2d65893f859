"""Build the playground: python -m tools.playground [FOLDER], by default build/playground.

Static files: the page with CodeMirror (bundled by esbuild), Pyodide, and python.zip with trainc's wheel and the
libraries that it imports, in the versions of requirements.lock. Needs npm.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

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
# Sources of the wheel.
PACKAGED = ("compiler", "schemas", "templates", "docs", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE")
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
STATIC = ("index.html", "style.css", "icon.svg")
EPOCH = (1980, 1, 1, 0, 0, 0)


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
    """Return the zip archive of everything that the worker imports; the same bytes for the same files."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        wheels, packages = folder / "wheels", Path(sysconfig.get_path("purelib"))
        for each in PACKAGED:  # in a copy: the build compiles templates next to the modules
            path, copy = ROOT / each, folder / "sources" / each
            if path.is_dir():
                shutil.copytree(path, copy, ignore=shutil.ignore_patterns("__pycache__", "compiled_*"))
            else:
                shutil.copy(path, copy)
        build_wheel = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels))
        _run(*build_wheel, cwd=folder / "sources")
        files: dict[str, bytes] = {}
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            files |= {each: wheel.read(each) for each in wheel.namelist()}
        for library in LIBRARIES:
            paths = [packages / library] if library.endswith(".py") else sorted((packages / library).rglob("*"))
            for path in paths:
                if path.is_file() and path.suffix != ".so" and not UNUSED & set(path.parts):
                    files[path.relative_to(packages).as_posix()] = path.read_bytes()
        for script in ("compiler.py", "rpds.py"):
            files[script] = (SOURCES / script).read_bytes()
        archive = folder / "python.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target_file:
            for each, content in sorted(files.items()):
                target_file.writestr(zipfile.ZipInfo(each, EPOCH), content, zipfile.ZIP_DEFLATED)
        return archive.read_bytes()


def _bundle(name: str, folder: Path, *options: str) -> None:
    """Bundle a script of playground/src."""
    fixed = ("--bundle", "--format=esm", "--target=es2022", "--minify", "--log-level=warning")
    _run(str(MODULES / ".bin" / "esbuild"), f"src/{name}.js", *fixed, f"--outfile={folder / name}.js", *options)


def _run(*command: str, cwd: Path = SOURCES) -> None:
    """Run a program. Raises BuildError if it fails."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    try:
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
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
