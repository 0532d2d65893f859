"""Options shared by several commands.

Commands don't use `from __future__ import annotations`: Typer evaluates the annotations at each start, and compiling
them from strings took 3 % of it.
"""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Literal

import typer

from trainc.cli.directories import yaml_files
from trainc.systems.registry import NAMES


def completion(kind: str) -> Callable[[str], list[str]] | None:
    """Return a function of trainc.cli.completion, None unless a shell asks: Typer inspects it at each start."""
    if "_TRAINC_COMPLETE" not in os.environ:
        return None
    function: Callable[[str], list[str]] = getattr(import_module("trainc.cli.completion"), kind)
    return function


def job_files(files: list[str]) -> list[str]:
    """Return the files, and in place of a directory the YAML files below it, by name, without hidden directories."""
    if not any(map(os.path.isdir, files)):
        return files
    return [name for file in files for name in (yaml_files(file) if os.path.isdir(file) else [file])]


Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Job files or directories; - for standard input.", callback=job_files),
]
Backend = Annotated[
    str,
    typer.Option(
        "--backend",
        "-b",
        metavar=f"<{'|'.join(NAMES)}>",
        help="System to compile for.",
        autocompletion=completion("backends"),
    ),
]
OwnBackend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        "-b",
        metavar=f"<{'|'.join(NAMES)}>",
        help="System to check for.  [default: that of the file; job for trainc's own jobs]",
        autocompletion=completion("backends"),
    ),
]
Namespace = Annotated[
    str | None,
    typer.Option("--namespace", "-n", metavar="NS", help="Namespace of all objects; overrides the job file."),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Set a field, e.g. spec.workers=8; null removes it. Repeatable.",
        autocompletion=completion("assignments"),
    ),
]
Version = Annotated[
    str | None,
    typer.Option("--kubernetes-version", metavar="1.NN", help="Kubernetes version of the cluster.  [default: 1.33]"),
]
Domain = Annotated[
    str | None,
    typer.Option("--cluster-domain", metavar="D", help="Use full DNS names in this domain, e.g. cluster.local."),
]
Releases = Annotated[
    list[str] | None,
    typer.Option(
        "--target", metavar="NAME=VERSION", help="Version of the back end's controller, e.g. trainer=2.2. Repeatable."
    ),
]

MessageFormat = Annotated[
    Literal["full", "concise", "json", "sarif", "github", "junit"] | None,
    typer.Option(
        "--message-format", show_default=False, help="Diagnostics format.  [default: full; github in GitHub Actions]"
    ),
]

Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="CODE",
        help="Report only these warnings: TC3019, its name, or TC3. Repeatable.",
        autocompletion=completion("codes"),
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="CODE",
        help="Suppress these warnings. Repeatable.",
        autocompletion=completion("codes"),
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
