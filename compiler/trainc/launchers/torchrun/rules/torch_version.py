"""Options that the job's torch lacks."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.launchers.option import version
from trainc.launchers.torchrun.options import OPTIONS
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.torchVersion",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun ignores an unknown variable, and fails at an unknown argument."""
    options = context.spec.launch
    if not isinstance(options, Torchrun) or options.torch_version is None:
        return
    torch = version(options.torch_version)
    for option in OPTIONS:
        field, since = option.key, option.since
        if since and options.gives(field) and torch < version(since):
            fate = "ignores" if option.variable else "rejects"
            message = f"torch {options.torch_version} {fate} `{field}`, which requires {since} or newer"
            other = Related(span=options.where("torchVersion"), message="the job's torch")
            yield error(codes.TORCH_TOO_OLD, message, options.where(field), related=[other])
