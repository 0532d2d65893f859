"""Options shared by several commands."""

from __future__ import annotations

import os

from trainc.cli.directories import ListedFile, is_pattern, list_files
from trainc.cli.parameters import REQUIRED, argument, flag, group, option
from trainc.systems.registry import DEFAULT, NAMES
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.inputs import Cluster
    from trainc.cli.messages import Messages

SYSTEMS = f"<{'|'.join(NAMES)}>"

FILES: list[str] = argument(
    REQUIRED, is_list=True, metavar="FILE...", help="Job files, scripts, directories or patterns; - is standard input."
)
BACKEND = option(DEFAULT, "--backend", "-b", metavar=SYSTEMS, help="System to compile for.", completion="backends")
OWN_BACKEND: str | None = option(
    None,
    "--backend",
    "-b",
    metavar=SYSTEMS,
    help="System to check for.  [default: that of the file; job for trainc's own jobs]",
    completion="backends",
)
SETS: list[str] | None = option(
    None,
    "--set",
    is_list=True,
    metavar="PATH=VALUE",
    help="Set a field, e.g. spec.workers=8; null removes it. Repeatable.",
    completion="assignments",
)


def _cluster(
    namespace: str | None, kubernetes_version: str | None, cluster_domain: str | None, target: list[str] | None
) -> Cluster:
    from trainc.cli.inputs import Cluster

    return Cluster(namespace=namespace, version=kubernetes_version, domain=cluster_domain, releases=target or [])


def _messages(
    message_format: str | None, strict: bool, quiet: bool, select: list[str] | None, ignore: list[str] | None
) -> Messages:
    from trainc.cli.messages import Messages

    return Messages(form=message_format, strict=strict, quiet=quiet, select=select or [], ignore=ignore or [])


def _message_format(message_format: str | None) -> Messages:
    return _messages(message_format, strict=False, quiet=False, select=None, ignore=None)


_FORMAT = option(
    None,
    "--message-format",
    choices=("full", "concise", "json", "sarif", "github", "junit"),
    show_default=False,
    help="Format of messages.  [default: full; github in GitHub Actions]",
)
CLUSTER = group(
    _cluster,
    namespace=option(None, "--namespace", "-n", metavar="NS", help="Namespace of all objects; overrides the job file."),
    kubernetes_version=option(
        None, "--kubernetes-version", metavar="1.NN", help="Kubernetes version of the cluster.  [default: 1.33]"
    ),
    cluster_domain=option(
        None, "--cluster-domain", metavar="D", help="Use full DNS names in this domain, e.g. cluster.local."
    ),
    target=option(
        None,
        "--target",
        is_list=True,
        metavar="NAME=VERSION",
        help="Version of the back end's controller, e.g. trainer=2.2. Repeatable.",
    ),
)
MESSAGES = group(
    _messages,
    message_format=_FORMAT,
    strict=flag("--strict", help="Treat warnings as errors."),
    quiet=flag("--quiet", "-q", help="Print errors only."),
    select=option(
        None,
        "--select",
        is_list=True,
        metavar="CODE",
        help="Report only these warnings: TC3019, its name, or TC3. Repeatable.",
        completion="codes",
    ),
    ignore=option(
        None, "--ignore", is_list=True, metavar="CODE", help="Suppress these warnings. Repeatable.", completion="codes"
    ),
)
MESSAGE_FORMAT = group(_message_format, message_format=_FORMAT)


JOBS: int | None = option(
    None,
    "--jobs",
    "-j",
    kind=int,
    minimum=1,
    metavar="N",
    help="Processes for many files.  [default: one for each processor]",
)
CHANGED_SINCE: str | None = option(
    None,
    "--changed-since",
    metavar="REV",
    help="Only jobs that have changed since a git revision; compile -o: all if one has.",
)
JOBS_ONLY = flag("--jobs-only", help="Skip files without a job, and other objects next to jobs.")


def job_files(files: list[str], output: str = "-", jobs_only: bool = False, allows_empty: bool = False) -> list[str]:
    """Return the files, and in place of a directory or a pattern those that it contains, by name.

    The manifests of an earlier run into the folder `output` are no jobs. `jobs_only`: files without a job are skipped
    also if they are named. `allows_empty`: a directory without files is left out, else it is an error to read it.
    Raises InvalidParameter for a launch command in place of files.
    """
    require_files(files)
    if not jobs_only and not any(os.path.isdir(name) or is_pattern(name) for name in files):
        return files
    contents = [name for file in files for name in list_files(file)]
    if allows_empty:
        contents = [name for name in contents if not os.path.isdir(name)]
    contents = [ListedFile(name) for name in contents] if jobs_only else contents
    if not os.path.isdir(output):
        return contents
    from trainc.cli.leftovers import without_compiled

    return without_compiled(contents, output)


def require_files(files: list[str]) -> None:
    """Raise InvalidParameter for a launch command in place of files, which only import reads."""
    if files and files[0] == "command" and not os.path.lexists(files[0]):
        from trainc.cli.unknown_command import typed_command

        raise typed_command(files[1:])
