"""Build trainc as one file for every supported Python on Linux and macOS, from its wheel: no compiled module is in it.

The libraries are those of the environment that runs the build, which requirements.lock pins. Two compiled ones are
replaced: ruamel.yaml parses without ruamel.yaml.clib, and playground/rpds.py stands in for rpds. The same inputs give
the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackagePath, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import one_file_start
from tools.pythons import versions

ROOT = Path(__file__).parent.parent
REPLACED = {"rpds-py": ROOT / "playground" / "rpds.py", "ruamel-yaml-clib": None}
START = Path(one_file_start.__file__)
_COMPILED = {".so", ".pyd", ".dylib", ".c", ".pyc"}
_OF_INSTALLATION = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip archive can have


def requirements(name: str) -> Iterator[str]:
    """Yield the names of what a distribution requires on some supported Python."""
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        environments = [{"python_version": version, "extra": ""} for version in versions()]
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
            yield canonicalize_name(requirement.name)


def libraries(root: str) -> list[str]:
    """Return the names of all distributions that one requires, directly or not, without itself."""
    names: set[str] = set()
    pending = [root]
    while pending:
        more = set(requirements(pending.pop())) - names - REPLACED.keys()
        names |= more
        pending += more
    return sorted(names)


def is_portable(path: PackagePath) -> bool:
    """Return whether a file of a distribution is part of its package, and the same on every machine."""
    return ".." not in path.parts and path.suffix not in _COMPILED and path.name not in _OF_INSTALLATION


def contents(wheel: Path) -> dict[str, bytes]:
    """Return the files of the archive by their name, without its start."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}
    for name in libraries("trainc"):
        for path in filter(is_portable, distribution(name).files or ()):
            files[path.as_posix()] = Path(str(path.locate())).read_bytes()
    for stand_in in filter(None, REPLACED.values()):
        files[stand_in.name] = stand_in.read_bytes()
    return dict(sorted(files.items()))


def zipped(files: dict[str, bytes], compression: int, prefix: bytes = b"") -> bytes:
    """Return a zip archive of files, without their times and modes."""
    buffer = io.BytesIO(prefix)
    with zipfile.ZipFile(buffer, "a") as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, _TIME)
            member.compress_type, member.external_attr, member.create_system = compression, 0o644 << 16, 3
            archive.writestr(member, content)
    return buffer.getvalue()


def build(wheel: Path) -> bytes:
    """Return the executable archive."""
    content = zipped(contents(wheel), zipfile.ZIP_DEFLATED)
    start = START.read_text("utf-8")
    digest = hashlib.sha256(start.encode() + content).hexdigest()[:16]
    main = start.replace('DIGEST = ""', f'DIGEST = "{digest}"')
    outer = {"__main__.py": main.encode(), one_file_start.CONTENT: content}
    return zipped(outer, zipfile.ZIP_STORED, prefix=b"#!/usr/bin/env python3\n")
