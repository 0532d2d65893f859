"""Options shared by several commands."""

from __future__ import annotations

from trainc.cli.parameters import REQUIRED, InvalidParameter, argument, flag, group, option
from trainc.record import Record
from trainc.systems.registry import DEFAULT, NAMES
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values
    from trainc.target import Target

    T = TypeVar("T")


def backend(default: T, help: str) -> T:
    """Declare --backend."""
    systems = f"<{'|'.join(NAMES)}>"
    return option(default, "--backend", "-b", metavar=systems, help=help, completion="backends")


def namespace(objects: str) -> str | None:
    """Declare --namespace."""
    help_ = f"Namespace of {objects}; overrides the job file."
    return option(None, "--namespace", "-n", metavar="NS", help=help_)


def output(help: str, metavar: str = "-|FILE") -> str:
    """Declare --output."""
    return option("-", "--output", "-o", metavar=metavar, help=help)


def output_format(default: T, *choices: str, help: str = "Output format.") -> T:
    """Declare --format; without a default, `help` says which one follows from other options."""
    return option(default, "--format", "-f", show_default=default is not None, help=help, choices=choices)


FILES: list[str] = argument(
    REQUIRED, is_list=True, metavar="FILE...", help="Job files, scripts, directories or patterns; - is standard input."
)
PROJECT_JOBS: list[str] | None = argument(
    None,
    is_list=True,
    metavar="[FILE]...",
    show_default=False,
    help="Job files, scripts, directories or patterns; - is standard input.  [default: the jobs of trainc.yaml]",
)
BACKEND: str | None = backend(None, "System to compile for.  [default: that of trainc.yaml, else job]")
OUTPUT = output("Output file.")
SETS: list[str] | None = option(
    None,
    "--set",
    is_list=True,
    metavar="PATH=VALUE",
    help="Set a field: spec.workers=8, 'spec.run.python=[a.py, x]'; null removes it. Repeatable.",
    completion="assignments",
)


def _cluster(
    namespace: str | None, kubernetes_version: str | None, cluster_domain: str | None, target: list[str] | None
) -> Cluster:
    from trainc.cli.settings import Cluster

    return Cluster(namespace=namespace, version=kubernetes_version, domain=cluster_domain, releases=target or [])


def _values(set: list[str] | None, values: list[str] | None) -> Values:
    from trainc.cli.settings import Values

    return Values(sets=set or [], files=values or [])


def _configuration(config: str | None, no_config: bool, environment: str | None, no_checks: bool) -> Configuration:
    from trainc.cli.settings import Configuration

    if config is not None and no_config:
        raise InvalidParameter("conflicts with --no-config", "--config")
    return Configuration(file=config, is_off=no_config, environment=environment, runs_checks=not no_checks)


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
    namespace=namespace("all objects"),
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
VALUES = group(
    _values,
    set=SETS,
    values=option(
        None,
        "--values",
        is_list=True,
        metavar="FILE",
        help="Merge fields of a YAML file into each job, below --set. Repeatable: the last wins.",
    ),
)
CLUSTER_ENTRY: str | None = option(
    None,
    "--cluster",
    metavar="NAME|FILE",
    help="Cluster of the jobs: its entry, or its name in the project file.",
    completion="clusters",
)
PROJECT = group(
    _configuration,
    config=option(
        None,
        "--config",
        metavar="FILE",
        help="Project file.  [default: trainc.yaml in the nearest directory above each file]",
    ),
    no_config=flag("--no-config", help="Use no project file."),
    environment=option(
        None,
        "--environment",
        metavar="NAME",
        help="Merge the values of an environment of trainc.yaml into each job.",
        completion="environments",
    ),
    no_checks=flag("--no-checks", help="Do not run the checks of the project file, which are code."),
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


class ReportOptions(Record):
    """Options of a command that reports on jobs; `jobs` is the number of processes, None for one per processor."""

    target: Target
    values: Values
    project: Configuration
    form: str
    output: str
    jobs: int | None


def report(*formats: str, **more: object) -> ReportOptions:
    """Declare the options of a report in `text` and other formats; `more` follow --output in the help."""
    form = output_format("text", "text", *formats)
    return group(
        _report, backend=BACKEND, values=VALUES, format=form, output=OUTPUT, **more, cluster=CLUSTER, project=PROJECT
    )


def _report(
    backend: str | None,
    values: Values,
    format: str,
    output: str,
    cluster: Cluster,
    project: Configuration,
    jobs: int | None = None,
) -> ReportOptions:
    target, shown = cluster.target(backend or DEFAULT), project.stating(backend).showing()
    return ReportOptions(target=target, values=values, project=shown, form=format, output=output, jobs=jobs)
