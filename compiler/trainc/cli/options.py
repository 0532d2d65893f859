"""Options shared by several commands.

Commands don't use `from __future__ import annotations`: Typer evaluates the annotations at each start, and compiling
them from strings took 3 % of it.
"""

from typing import Annotated, Literal

import typer

from trainc.systems.registry import NAMES, backend_names

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Job files; - for standard input.")]
Backend = Annotated[
    str,
    typer.Option(
        "--backend",
        "-b",
        metavar=f"<{'|'.join(NAMES)}>",
        help="System to compile for.",
        autocompletion=lambda: list(backend_names()),
    ),
]
OwnBackend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        "-b",
        metavar=f"<{'|'.join(NAMES)}>",
        help="System to check for.  [default: that of the file; job for trainc's own jobs]",
        autocompletion=lambda: list(backend_names()),
    ),
]
Namespace = Annotated[
    str | None,
    typer.Option("--namespace", "-n", metavar="NS", help="Namespace of all objects; overrides the job file."),
]
Sets = Annotated[
    list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Set a field, e.g. spec.workers=8. Repeatable.")
]
Version = Annotated[
    str | None,
    typer.Option("--kubernetes-version", metavar="1.NN", help="Kubernetes version of the cluster.  [default: 1.33]"),
]
Domain = Annotated[
    str | None,
    typer.Option("--cluster-domain", metavar="D", help="Use full DNS names in this domain, e.g. cluster.local."),
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
    typer.Option("--select", metavar="CODE", help="Report only these warnings: TC3019, its name, or TC3. Repeatable."),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="CODE", help="Suppress these warnings. Repeatable.")
]
