"""Program and manifests of an operator, built from the Go module proxy and cached by version."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.cluster.binaries import exclusive_build
from tests.cluster.operators.operator import Operator
from tests.support.golang import build, cache_folder, source_folder


class Installation(NamedTuple):
    """A built operator."""

    program: Path
    manifests: Path


def install(operator: Operator, log: Callable[[str], None]) -> Installation:
    """Build an operator unless its version is cached; `log` gets a line before a build. Raises UnavailableError."""
    folder = cache_folder("operators", operator.name, operator.version)
    installed = Installation(folder / operator.program, folder / "manifests")
    with exclusive_build(folder):
        if not installed.manifests.exists():
            source = source_folder(operator.module, operator.source) / operator.manifests
            unfinished = folder / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(source, unfinished, copy_function=shutil.copyfile)
            unfinished.rename(installed.manifests)
        if not installed.program.exists():
            log(f"building {operator.program} {operator.version} into {folder}: minutes, once")
            build([operator.package], operator.source, folder)
    return installed
