"""What the launcher of the job's DeepSpeed does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.transport import over_ssh
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.span import Span, span_of
from trainc.spec.launch import Deepspeed

TRIGGERS = ("launch.deepspeed.deepspeedVersion",)

SSH = "ssh"
# The first DeepSpeed whose deepspeed/launcher/launch.py has the flag, read at every tag from v0.1.0 to v0.19.5 and in
# the packages of 0.19.7 and 0.19.8.
SINCE = {
    "--module": (0, 5, 10),
    "--no_python": (0, 5, 10),
    "--no_local_rank": (0, 5, 10),
    "--save_pid": (0, 6, 0),
    "--enable_each_rank_log": (0, 7, 5),
    "--bind_cores_to_rank": (0, 9, 0),
    "--bind_core_list": (0, 9, 0),
    "--log_level": (0, 17, 6),
    "--quiet": (0, 17, 6),
    "-q": (0, 17, 6),
}

# The same of the `deepspeed` command and of what it passes on by pdsh (deepspeed/launcher/runner.py and
# multinode_runner.py). Before 0.7.0 pdsh was started without -S, and a failed training was a success.
OVER_SSH = {
    **{flag: since for flag, since in SINCE.items() if not flag.startswith("--bind")},
    "--no_ssh_check": (0, 6, 5),
    "--launcher_args": (0, 8, 1),
    "--enable_each_rank_log": (0, 16, 2),
    "--venv_script": (0, 17, 1),
    SSH: (0, 7, 0),
}


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """argparse would take a flag that it doesn't know for the program's name, or refuse it."""
    options = context.spec.launch
    if not isinstance(options, Deepspeed) or options.deepspeed_version is None:
        return
    ours = numbers(options.deepspeed_version)
    for what, flag, where in _used(context, options):
        since = (OVER_SSH if over_ssh(context, options) else SINCE).get(flag, (0, 0, 0))
        if ours < since:
            needed = ".".join(map(str, since))
            message = f"the launcher of DeepSpeed {options.deepspeed_version} has no {what}, which needs {needed}"
            other = Related(span=options.where("deepspeedVersion"), message="the job's DeepSpeed")
            yield error(codes.DEEPSPEED_TOO_OLD, f"{message} or newer", where, related=[other])


def _used(context: RuleContext, options: Deepspeed) -> Iterator[tuple[str, str, Span]]:
    """The flags of the launcher that this job leads to: their names for a reader, themselves, their places."""
    if over_ssh(context, options):
        yield "exit code that comes through pdsh", SSH, options.where("transport")
    elif context.spec.run.kind != "python":
        flag = "--module" if context.spec.run.kind == "module" else "--no_python"
        yield f"`{flag}` for `run.{context.spec.run.kind}`", flag, context.spec.run.where(context.spec.run.kind)
    if not options.local_rank:
        yield "`--no_local_rank`", "--no_local_rank", options.where("localRank")
    for word in options.other_args:
        flag = word.partition("=")[0]
        yield f"`{flag}`", flag, span_of(word) or options.where("otherArgs")


def numbers(version: str) -> tuple[int, int, int]:
    """0.16.4+cu124 is 0, 16 and 4; the schema has seen to its form."""
    major, minor, patch = version.replace("+", ".").replace("-", ".").split(".")[:3]
    return int(major), int(minor), int(patch)
