"""The options that several commands have.

Commands are written without `from __future__ import annotations`: Typer reads the annotations on every start, and to
compile them from strings took 3 % of it.
"""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from trainc.cli.messages import Messages

BackendName = Literal["pods", "job", "statefulset", "pytorchjob", "deepspeedjob", "elasticjob"]

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Job files; - is standard input.")]
BackendOption = Annotated[BackendName, typer.Option("--backend", "-b", help="What runs the workers.")]
Namespace = Annotated[
    str | None, typer.Option("--namespace", "-n", metavar="NS", help="Namespace of all objects; overrides the job's.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change a field, like spec.workers=8. May be repeated."),
]
Version = Annotated[
    str | None, typer.Option("--kubernetes-version", metavar="1.NN", help="Version of the cluster.  [default: 1.33]")
]
Domain = Annotated[
    str | None,
    typer.Option("--cluster-domain", metavar="D", help="Use full DNS names under this domain, like cluster.local."),
]

MessageFormat = Annotated[
    Literal["full", "concise", "json", "sarif", "github", "junit"] | None,
    typer.Option(
        "--message-format",
        show_default=False,
        help="How what is wrong is said.  [default: full; github in GitHub Actions]",
    ),
]

Strict = Annotated[bool, typer.Option("--strict", help="A warning is as bad as an error: exit 1, nothing is written.")]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", metavar="CODE", help="Warn of these only: TC3019, its name, or TC3. May be repeated."),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="CODE", help="Don't warn of these. May be repeated.")
]


def target_options(
    backend: str, namespace: str | None, kubernetes_version: str | None, cluster_domain: str | None
) -> dict[str, str | None]:
    """The options that name a target, as they are called on the command line."""
    return {
        "--backend": backend,
        "--namespace": namespace,
        "--kubernetes-version": kubernetes_version,
        "--cluster-domain": cluster_domain,
    }


def how_to_say(form: str | None, strict: bool, select: list[str] | None, ignore: list[str] | None) -> "Messages":
    """What the options for messages ask for. Raises BadParameter for a code that there is not."""
    from trainc.cli.messages import Messages

    return Messages(form=form, strict=strict, select=select or [], ignore=ignore or [])
