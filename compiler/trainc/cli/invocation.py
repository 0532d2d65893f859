"""Command lines in messages: the running command, and commands for the user. Not for a plain compilation."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from trainc.cli.arguments import ARGUMENTS
from trainc.cli.commands import COMMANDS, load
from trainc.cli.parameters import parameters
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.message import CHECK_STDIN, Message, Pipe
from trainc.secrets.text import redact
from trainc.target import Target

_CHANGED = "--changed-since"
_COMPARES_FILES = "diff"  # standard input is at most one of its two versions
# Options for files of a working tree.
_OF_FILES = ("--fix", "--diff", "--unsafe-fixes", "--check", "--prune", _CHANGED, "--jobs-only")


def without(flag: str, instead: str = "") -> str | None:
    """Return the command line without a flag, or with another one in its place; None if it has a secret.

    It serves all jobs, also if the command line is limited to those that have changed.
    """
    words, rest = [], iter(ARGUMENTS)
    for word in rest:
        if word == _CHANGED:
            next(rest, "")
        elif word != flag and not word.startswith(f"{_CHANGED}="):
            words.append(word)
        elif word == flag and instead and instead not in ARGUMENTS:
            words.append(instead)
    return _line(words)


def with_own_command(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics; a help that pipes a text to trainc names the command that runs."""
    if not any(isinstance(text, Message) and text.has(Pipe) for each in diagnostics for text in each.advice):
        return diagnostics
    own = "> FILE" if ARGUMENTS[:1] == [_COMPARES_FILES] else f"| {_on_stdin()}" if _on_stdin() else CHECK_STDIN
    return [
        each.replace(
            advice=tuple(text.with_value(Pipe(own)) if isinstance(text, Message) else text for text in each.advice)
        )
        for each in diagnostics
    ]


def apply_command(files: Sequence[str], options: Sequence[str], target: Target) -> str:
    """Return the command that compiles files for a target and applies the manifests; `options` state values of jobs."""
    return f"{shlex.join(['trainc', 'compile', *files, *target_options(target), *options])} | kubectl apply -f -"


def target_options(target: Target) -> list[str]:
    """Return the options of a target that are not the default."""
    values = {
        "--backend": target.backend,
        "--namespace": target.namespace,
        "--kubernetes-version": target.kubernetes_version,
        "--cluster-domain": target.cluster_domain,
    }
    defaults = (Target().backend, Target().kubernetes_version, None)
    words = [word for option, value in values.items() if value not in defaults for word in (option, value or "")]
    return [*words, *(word for name, version in target.versions.items() for word in ("--target", f"{name}={version}"))]


def _on_stdin() -> str | None:
    """Return the command line for a text on standard input; None if the command reads no list of files."""
    command = ARGUMENTS[0] if ARGUMENTS else ""
    if command not in COMMANDS:
        return None
    declared = parameters(load(command)).values()
    if not any(each.is_list and not each.flags for each in declared):
        return None
    kinds = {flag: each.kind for each in declared for flag in each.flags}
    words, rest = [command, "-"], iter(ARGUMENTS[1:])
    for word in rest:
        if word == "--":
            break
        flag = word.partition("=")[0] if word.startswith("--") else word[:2]
        if flag not in kinds:
            continue
        values = [next(rest, "")] if word == flag and kinds[flag] is not bool else []
        words += [] if flag in _OF_FILES else [word, *values]
    return _line(words)


def _line(words: list[str]) -> str | None:
    text = shlex.join(["trainc", *words])
    return visible(text) if redact(text) == text else None


def keep_directory(name: str) -> str:
    """Return the help for a directory that git removed with its last file."""
    folder = shlex.quote(os.path.normpath(name))
    return f"run `mkdir -p {folder} && touch {folder}/.gitkeep`: git keeps no empty directory"
