"""Starter file of `trainc init`: printed, or on a terminal made of answers to questions."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable

from trainc.checks.triggers import NODE_GPUS
from trainc.cli.clusters import select_cluster
from trainc.cli.commands.init import NAME, Options
from trainc.cli.commands.init.starter_job import PROJECT, default_backend, starter_job
from trainc.cli.exit_codes import OK, USAGE
from trainc.cli.settings import Configuration
from trainc.cli.streams import to_stdout
from trainc.cli.terminal import is_interactive
from trainc.cli.writer import write_files
from trainc.diagnostics.cells import visible
from trainc.driver import run
from trainc.fabrics import NONE
from trainc.launchers.registry import STARTER_FIELDS
from trainc.project.targets import backend_of, known_clusters
from trainc.schema.documents import JOB, document, matches
from trainc.schema.hints import nearest
from trainc.source.node import scalar_text
from trainc.span import Source
from trainc.systems.registry import DEFAULT, NAMES
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    from trainc.project.project import Project

    T = TypeVar("T")

_MOST = {"workers": 1000, "GPUs": 16}
_FABRICS = (NONE, "infiniband", "gke-tcpxo")  # those that need no other fields
_NO_CLUSTER = "none"
_PROBLEM = "  {}\n"


class _EndOfInput(Exception):
    """Standard input ended before all questions were answered."""


def start_job(options: Options) -> int:
    """Print a project file, or a job file unless its name is invalid; return the exit code.

    On a terminal, ask for what a job has, and write its file.
    """
    name = NAME if options.name is None else options.name
    if options.project:
        to_stdout(PROJECT)
        return OK
    if options.launch is None and options.messages.form is None and is_interactive():
        return _write_job_by_questions(name)
    launch = options.launch or STARTER_FIELDS[0]
    text = starter_job(name, launch)
    outcome = run([Source("NAME", text)], Target(backend=default_backend(launch)))
    if not options.messages.report(outcome, ["NAME"]):
        return USAGE
    to_stdout(text)
    return OK


def _write_job_by_questions(name: str) -> int:
    """Ask what a job needs and write its file; return the exit code.

    Ctrl-C and the end of the input leave no file. Raises KeyboardInterrupt, and OSError if the file can't be written.
    """
    try:
        text, path, backend = _answers(name)
    except _EndOfInput:
        to_stdout("\nno file was written\n")
        return USAGE
    except KeyboardInterrupt:
        to_stdout("\n")
        raise
    write_files({path: text})
    options = ["--backend", backend] if backend else []
    command = shlex.join(["trainc", "compile", path, *options])
    to_stdout(f"\nwrote {visible(path)}\nset its image and program, then: {visible(command)} | kubectl apply -f -\n")
    return OK


def _answers(name: str) -> tuple[str, str, str]:
    """Return the text of the job, the path of its file, and the back end if no file or default states it."""
    to_stdout("Enter keeps the value in brackets; Ctrl-C ends without a file.\n\n")
    name = _ask("Name of the job", name, _name)
    launch = _ask(f"Launcher: {', '.join(STARTER_FIELDS)}", STARTER_FIELDS[0], _choice(STARTER_FIELDS))
    workers = int(_ask("Workers (pods)", "2", _number("workers", 1)))
    gpus = int(_ask("GPUs of each worker", "1", _number("GPUs", 0)))
    fabric = ""
    if gpus >= NODE_GPUS and workers > 1:
        question = f"Fabric between the nodes (others: trainc explain network.fabric): {', '.join(_FABRICS)}"
        fabric = _ask(question, _FABRICS[0], _choice(_FABRICS))
    project = Configuration().main
    clusters = (*known_clusters(project), _NO_CLUSTER) if known_clusters(project) else ()
    cluster = _ask(f"Cluster: {', '.join(clusters)}", clusters[0], _choice(clusters)) if clusters else _NO_CLUSTER
    cluster = "" if cluster == _NO_CLUSTER else cluster
    backends = _possible_backends(name, launch, workers, gpus, fabric)
    stated = _stated_backend(project, cluster, launch)
    default = next(each for each in (stated, default_backend(launch), *backends) if each in backends)
    backend = _ask(f"System of the cluster: {', '.join(backends)}", default, _choice(backends))
    backend = "" if backend == (stated or DEFAULT) else backend
    path = _ask("File", f"{name}.yaml", _new_file)
    return starter_job(name, launch, workers, gpus, backend, fabric, cluster), path, backend


def _stated_backend(project: Project | None, cluster: str, launch: str) -> str:
    """Return the back end that the entry of a cluster or the project file states; empty without one."""
    if project is None:
        return ""
    entry = select_cluster(cluster, project) if cluster else None
    return (entry.backend if entry else None) or scalar_text(backend_of(project, os.curdir, launch))


def _ask(question: str, default: str, convert: Callable[[str], str]) -> str:
    """Ask until the answer is valid; `convert` returns it or raises ValueError with the problem."""
    while True:
        to_stdout(f"{question} [{default}]: ")
        sys.stdout.flush()
        line = sys.stdin.buffer.readline().decode("utf-8", "replace")
        if not line:
            raise _EndOfInput
        try:
            return convert(line.strip() or default)
        except ValueError as problem:
            to_stdout(_PROBLEM.format(visible(str(problem))))


def _name(text: str) -> str:
    schema = document(JOB)["definitions"]["Metadata"]["properties"]["name"]
    if not matches(schema["pattern"], text) or len(text) > 40:  # pods and Services have longer names
        raise ValueError(f"at most 40 {schema['patternErrorMessage']}")
    return text


def _choice(choices: tuple[str, ...]) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text in choices:
            return text
        guess = nearest(text, list(choices))
        raise ValueError(f"did you mean {guess}?" if guess else "choose one of these")

    return convert


def _number(what: str, least: int) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if not (text.isascii() and text.isdecimal() and len(text) < 6 and least <= int(text) <= _MOST[what]):
            raise ValueError(f"a number from {least} to {_MOST[what]}")
        return text

    return convert


def _new_file(text: str) -> str:
    if os.path.lexists(text) or not text.endswith((".yaml", ".yml")) or text.startswith("-"):
        raise ValueError("the file exists" if os.path.lexists(text) else "a name that ends in .yaml")
    if not os.path.isdir(os.path.dirname(text) or "."):
        raise ValueError("there is no such directory")
    return text


def _possible_backends(name: str, launch: str, workers: int, gpus: int, fabric: str) -> tuple[str, ...]:
    """Return the back ends for which the job has neither an error nor a warning."""
    source = Source("job.yaml", starter_job(name, launch, workers, gpus, fabric=fabric))
    return tuple(
        backend
        for backend in NAMES
        if all(each.severity == "note" for each in run([source], Target(backend=backend)).diagnostics)
    )
