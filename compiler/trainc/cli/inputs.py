"""Options and files of a command, made ready for the driver."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import typer

from trainc.api import minor_version
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.load import decode
from trainc.span import Source, Span
from trainc.target import DEFAULT, Target

if TYPE_CHECKING:
    from trainc.source.overrides import Override

_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"  # RFC 1123


def target(options: dict[str, str | None]) -> Target:
    """The target that the options name. Ends with a usage error when they name none that can be."""
    try:
        minor = minor_version(options["version"]) if options["version"] is not None else DEFAULT
    except ValueError as problem:
        raise typer.BadParameter(str(problem), param_hint="--kubernetes-version") from None
    domain, namespace = options["domain"], options["namespace"]
    if domain is not None and not re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", domain):
        raise typer.BadParameter(f"`{domain}` is no DNS domain", param_hint="--cluster-domain")
    if namespace is not None and not re.fullmatch(_LABEL, namespace):
        raise typer.BadParameter(f"`{namespace}` is no name of a namespace", param_hint="--namespace")
    return Target(backend=options["backend"] or "job", minor=minor, namespace=namespace, cluster_domain=domain)


def overrides(given: list[str]) -> list[Override]:
    """The parsed --set options; raises Rejected for the first that is none."""
    if not given:
        return []
    from trainc.source.overrides import Override

    return [Override(text) for text in given]


def sources(files: list[str]) -> tuple[list[Source], list[Diagnostic]]:
    """The files' texts, and what could not be read. A file that is named twice is read once."""
    read, unread = [], []
    for name in dict.fromkeys(files):
        try:
            if name == "-":
                read.append(decode("<stdin>", sys.stdin.buffer.read()))
            else:
                with open(name, "rb") as file:
                    read.append(decode(name, file.read()))
        except OSError as problem:
            start = Span(Source(name, ""), 1, 1, 1, 1)
            message = f"can't read the file: {(problem.strerror or str(problem)).lower()}"
            unread.append(error(codes.UNREADABLE, message, start))
        except Rejected as rejected:
            unread += rejected.diagnostics
    return read, unread
