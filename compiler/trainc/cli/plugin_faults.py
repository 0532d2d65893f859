"""Plug-in in whose code a command has failed: its package and where to report the fault."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, entry_points, packages_distributions
from traceback import walk_tb

from trainc.checks.registry import PACKAGES
from trainc.launchers import registry as launchers
from trainc.project.own_checks import folder_of
from trainc.systems import registry as systems

# Parts of labels: https://packaging.python.org/en/latest/specifications/well-known-project-urls/
_LABELS = (("issue", "bug", "tracker"), ("source", "repository", "github", "home"))


def plugin_fault(problem: Exception) -> tuple[str, str] | None:
    """Return message and help of an exception that a plug-in's code has raised; None if no plug-in's code ran then."""
    frames = [(str(frame.f_globals.get("__name__", "")), line) for frame, line in walk_tb(problem.__traceback__)]
    for module, line in reversed(frames):
        folder = folder_of(module.partition(".")[0])
        if folder:
            place = f"`{os.path.join(folder, module.partition('.')[2])}.py` fails in line {line}"
            return f"{place}: {type(problem).__name__}: {problem}", "correct the check, or add `--no-checks`"
    modules = [module for module, _ in frames]
    for package, name, owner in _packages():
        if any(f"{module}.".startswith(f"{package}.") for module in modules):
            message = f"{name} fails: {type(problem).__name__}: {problem}"
            where = _where_to_report(owner) if owner else "to its authors"
            output = "the output of `trainc --debug COMMAND`"
            return message, f"report it {where}, with the job and {output}, or uninstall the package"
    return None


def _packages() -> Iterator[tuple[str, str, Distribution | None]]:
    """Yield the packages of all plug-ins, what to call each, and the distribution that has it, if it is known."""
    for group in (systems.GROUP, launchers.GROUP):
        for entry in entry_points(group=group):
            owner = entry.dist
            name = owner.metadata["Name"] if owner else entry.value
            yield entry.value, f"plug-in `{entry.name}` of the package {name}", owner
    for package in filter(None, map(str.strip, os.environ.get(PACKAGES, "").split(","))):
        names = packages_distributions().get(package.partition(".")[0], [])
        owner = distribution(names[0]) if names else None
        yield package, f"the check package `{package}` in {PACKAGES}", owner


def _where_to_report(owner: Distribution) -> str:
    """Return the address of the issue tracker in the metadata of a distribution, else of its page."""
    pairs = (each.partition(",") for each in owner.metadata.get_all("Project-URL") or [])
    links = {label.strip().lower(): url.strip() for label, _, url in pairs}
    addresses = (url for words in _LABELS for label, url in links.items() if any(word in label for word in words))
    address = next(addresses, next(iter(owner.metadata.get_all("Home-page") or []), ""))
    return f"at {address}" if address else "to its authors"
