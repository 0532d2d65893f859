"""Errors about unknown commands, with a line for a shell for those that trainc leaves to kubectl: `trainc logs JOB`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial

from trainc.cli.commands import COMMANDS
from trainc.cli.job_names import names_job, subjects
from trainc.cli.launch_commands import import_advice
from trainc.cli.notices import notify
from trainc.cli.parameters import InvalidParameter
from trainc.diagnostics.cells import visible
from trainc.schema.hints import nearest
from trainc.status.queries import Subject, compile_command, delete_command, follow_command, run_again_command
from trainc.systems.registry import DEFAULT, is_backend, traits
from trainc.target import Target

_NAME = "NAME"  # placeholder of the job's name
# Commands of kubectl, helm, kustomize, linters and job launchers, and what does the same here.
_ELSEWHERE = {
    **dict.fromkeys(("lint", "validate", "vet", "test"), "check"),
    **dict.fromkeys(("render", "template", "build", "generate", "emit", "export"), "compile"),
    **dict.fromkeys(("convert", "migrate"), "import"),
    **dict.fromkeys(("show", "preview", "dry-run", "dryrun"), "plan"),
    **dict.fromkeys(("simulate", "execute"), "rehearse"),
    **dict.fromkeys(("describe", "doc", "docs", "man"), "explain"),
    **dict.fromkeys(("new", "scaffold"), "init"),
    **dict.fromkeys(("get", "watch", "ps"), "status JOB"),
    **dict.fromkeys(("backends", "systems", "platforms"), "explain backends"),
    **dict.fromkeys(("ls", "jobs", "inventory", "fleet"), "list"),
    "scale": "explain elastic",
    "verify": "compile --verify",
    "fix": "check --fix FILE",
    "completion": "--install-completion",
}


def report_unknown_command(arguments: list[str]) -> None:
    """Print the error with the command that was probably meant, or the line for a shell of one that is kubectl's.

    The arguments may name a job file, or a job, with the options --backend and --namespace.
    """
    command, *words = arguments
    for names, purpose, line in _LINES:
        if command in names:
            job, backend, namespace = _read(words)
            shown = visible(line(_subject(job, backend, namespace), "" if names_job(job) else job))
            message = f"no such command `{command}`: {purpose}:"
            notify("usage-error", f"{message} {shown}", f"Error: {message}\n\n  {shown}\n")
            return
    is_file = command.endswith((".yaml", ".yml"))
    suggestion = f"compile {command}" if is_file else _ELSEWHERE.get(command) or nearest(command, list(COMMANDS))
    hint = f"did you mean `trainc {visible(suggestion)}`?" if suggestion else None
    hint = hint or import_advice(arguments) or "`trainc --help` lists the commands"
    message = f"no such command `{visible(command)}`: {hint}"
    notify("usage-error", message, f"Error: {message}\n")


def _read(arguments: list[str]) -> tuple[str, str, str]:
    """Return the job, the back end and the namespace; empty strings for what is missing."""
    values, job, rest = {"-b": DEFAULT, "-n": ""}, "", iter(arguments)
    for word in rest:
        option, _, value = word.partition("=")
        short = {"--backend": "-b", "--namespace": "-n"}.get(option, option)
        if short in values:
            values[short] = value or next(rest, "")
        elif not word.startswith("-") and not job:
            job = word
    return job, values["-b"] if is_backend(values["-b"]) else DEFAULT, values["-n"]


def _subject(job: str, backend: str, namespace: str) -> Subject:
    """Return the job that an argument names; with a placeholder for its name if there is none."""
    try:
        jobs = subjects(job, Target(backend=backend, namespace=namespace or None))[0] if job and job != "-" else []
    except InvalidParameter:
        jobs = []
    system = traits(backend)
    group = system.api_versions[0].rpartition("/")[0]
    unknown = Subject(kind=system.kind, name=_NAME, namespace=namespace, has_label=True, group=group)
    return jobs[0] if jobs else unknown


def _submit(subject: Subject, file: str, mode: str = "") -> str:
    options = ("--set", f"spec.mode={mode}") if mode else ()
    return f"{shlex.join((*compile_command(subject, file), *options, *subject.in_namespace))} | kubectl apply -f -"


def _logs(subject: Subject, _: str) -> str:
    if subject.selector:
        return follow_command(subject)
    return shlex.join(("kubectl", "logs", "-f", f"{subject.resource}/{subject.name}", *subject.in_namespace))


def _shell(subject: Subject, _: str) -> str:
    running = ("--field-selector", "status.phase=Running", "-o", "name")
    pods = shlex.join(("kubectl", "get", "pod", *subject.selector, *subject.in_namespace, *running))
    return f"kubectl exec -it $({pods} | head -n 1) {shlex.join((*subject.in_namespace, '--', 'sh'))}"


_LINES: tuple[tuple[tuple[str, ...], str, Callable[[Subject, str], str]], ...] = (
    (("submit", "apply", "run", "create", "launch"), "kubectl submits the job", _submit),
    (("logs", "log", "tail"), "kubectl follows its logs", _logs),
    (("exec", "shell", "ssh", "attach"), "kubectl opens a shell", _shell),
    (("pause", "suspend"), "kubectl pauses the job", partial(_submit, mode="paused")),
    (("resume", "unpause", "unsuspend"), "kubectl resumes the job", partial(_submit, mode="run")),
    (("restart", "rerun", "retry"), "kubectl deletes the job and runs it again", run_again_command),
    (
        ("delete", "rm", "cancel", "stop", "kill", "down"),
        "kubectl deletes the job, not its volumes",
        lambda subject, _: delete_command(subject),
    ),
)
