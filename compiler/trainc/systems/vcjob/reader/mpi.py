"""Tasks of which one starts the processes of all by MPI over SSH: no job of equal workers.

The plugin mpi, or the plugin ssh as in https://github.com/volcano-sh/volcano/blob/v1.15.1/example/integrations/mpi/mpi-example.yaml
"""

from __future__ import annotations

import re

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.source.node import scalar_text
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod_trees import command_words, containers_of
from trainc.systems.shared.reader.tree import child
from trainc.systems.vcjob.model.spec import Job

_LAUNCHER, _SERVER = re.compile(r"\b(mpirun|mpiexec|orterun|horovodrun)\b"), re.compile(r"\bsshd\b")


def report_mpi(spec: ForeignMapping, job: Job, templates: dict[str, ForeignMapping]) -> bool:
    """Report that MPI starts the processes of one task from another, and return whether it does.

    Such a Job is valid for Volcano: the error is one of the translation alone.
    """
    plugins = spec.node.get("plugins")
    scripts = {name: _script(template) for name, template in templates.items()}
    launcher = next((name for name, (text, _) in scripts.items() if _LAUNCHER.search(text)), "")
    workers = [name for name, (text, _) in scripts.items() if name != launcher and _SERVER.search(text)]
    if "mpi" in job.plugins:
        where = child(plugins, "mpi")
        message, span = "the plugin mpi starts the processes of one task from another", where and where.span.first
    elif launcher and workers:
        message, span = f"task `{launcher}` starts the processes of task `{workers[0]}` over SSH", scripts[launcher][1]
    else:
        return False
    message += ", as an MPIJob's launcher does"
    help_ = "write an MPIJob, or start torchrun in every pod"
    spec.report.diagnostics.append(
        error(codes.ROLE_PROGRAMS_DIFFER, message, span or spec.where("plugins"), help=help_)
    )
    return True


def _script(template: ForeignMapping) -> tuple[str, Span]:
    """Return the command line of the first container, and its position."""
    words = command_words(next(iter(containers_of(template.node)), None))
    return " ".join(map(scalar_text, words)), words[-1].span.first if words else template.node.span.first
