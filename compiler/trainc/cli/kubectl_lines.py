"""Lines of kubectl for commands that trainc leaves to it, such as `trainc logs job.yaml`."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from trainc.cli.job_names import names_job, subjects
from trainc.cli.notices import notify
from trainc.cli.parameters import InvalidParameter
from trainc.diagnostics.cells import visible
from trainc.status.queries import Subject, compile_command, delete_command, follow_command, run_again_command
from trainc.systems.registry import DEFAULT, is_backend, traits
from trainc.target import Target

_NAME = "NAME"  # placeholder of the job's name


def report_kubectl_line(arguments: list[str]) -> bool:
    """Print the error about a command that is kubectl's, with the line for a shell; return whether it is one.

    The arguments may name a job file, or a job, with the options --backend and --namespace.
    """
    command, *words = arguments
    purpose, line = next(((purpose, line) for names, purpose, line in _LINES if command in names), ("", _submit))
    if purpose:
        job, backend, namespace = _read(words)
        shown = visible(line(_subject(job, backend, namespace), "" if names_job(job) else job))
        message = f"no such command `{command}`: {purpose}:"
        notify("usage-error", f"{message} {shown}", f"Error: {message}\n\n  {shown}\n")
    return bool(purpose)


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


def _submit(subject: Subject, file: str, *options: str) -> str:
    return f"{shlex.join((*compile_command(subject, file), *options, *subject.in_namespace))} | kubectl apply -f -"


def _pause(subject: Subject, file: str) -> str:
    return _submit(subject, file, "--set", "spec.mode=paused")


def _resume(subject: Subject, file: str) -> str:
    return _submit(subject, file, "--set", "spec.mode=run")


def _logs(subject: Subject, _: str) -> str:
    if subject.selector:
        return follow_command(subject)
    return shlex.join(("kubectl", "logs", "-f", f"{subject.resource}/{subject.name}", *subject.in_namespace))


def _shell(subject: Subject, _: str) -> str:
    running = ("--field-selector", "status.phase=Running", "-o", "name")
    pods = shlex.join(("kubectl", "get", "pod", *subject.selector, *subject.in_namespace, *running))
    return f"kubectl exec -it $({pods} | head -n 1) {shlex.join((*subject.in_namespace, '--', 'sh'))}"


def _delete(subject: Subject, _: str) -> str:
    return delete_command(subject)


_LINES: tuple[tuple[tuple[str, ...], str, Callable[[Subject, str], str]], ...] = (
    (("submit", "apply", "run", "create", "launch"), "kubectl submits the job", _submit),
    (("logs", "log", "tail"), "kubectl follows its logs", _logs),
    (("exec", "shell", "ssh", "attach"), "kubectl opens a shell", _shell),
    (("pause", "suspend"), "kubectl pauses the job", _pause),
    (("resume", "unpause", "unsuspend"), "kubectl resumes the job", _resume),
    (("restart", "rerun", "retry"), "kubectl deletes the job and runs it again", run_again_command),
    (
        ("delete", "rm", "cancel", "stop", "kill", "down"),
        "kubectl deletes the job, not its volumes",
        _delete,
    ),
)
