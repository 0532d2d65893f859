"""Checks of projects: whether they may run, and their errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from trainc.checks.plugin_rules import UnusablePackage, rules_named
from trainc.cli.parameters import InvalidConfiguration
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.project.own_checks import KEY, packages, untrusted
from trainc.project.project import Project
from trainc.source.node import scalar_text


def load_checks(projects: Collection[Project], trusted: Collection[str]) -> None:
    """Import the checks of projects whose files are among the trusted ones.

    Raises InvalidConfiguration for others that have checks, and for checks that can't be imported.
    """
    errors: list[Diagnostic] = []
    for project in projects:
        if os.path.realpath(project.source.name) not in trusted:
            errors += untrusted(project)
        else:
            errors += _load(project)
    if errors:
        raise InvalidConfiguration(*errors)


def _load(project: Project) -> Iterator[Diagnostic]:
    for name, node in packages(project):
        path = os.path.join(project.folder, scalar_text(node))
        if not os.path.isdir(path):
            message = f"`{path}` is not a directory" if os.path.exists(path) else f"`{path}` does not exist"
            help_ = f"create it, or correct `{KEY}`"
            yield error(codes.MISSING_PROJECT_PATH, message, node.span, help=help_)
            continue
        try:
            with _no_bytecode():
                rules = list(rules_named(name))
        except UnusablePackage as problem:
            yield error(codes.UNUSABLE_CHECKS, str(problem), node.span, help="correct the file")
            continue
        if not any(rules):
            help_ = "add a file with TRIGGERS and a function check"
            yield error(codes.UNUSABLE_CHECKS, f"`{path}` contains no check", node.span, help=help_)


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Write no __pycache__ into a repository."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
