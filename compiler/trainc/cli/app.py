"""The commands and their options."""

# Without `from __future__ import annotations`: Typer reads the annotations on every start, and to compile them from
# strings took 3 % of it.
from copy import copy
from typing import Annotated, Literal

import typer

app = typer.Typer(
    name="trainc",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def only(first: list[str]) -> typer.Typer:
    """The app with the one command that is asked for: Typer makes the options of each that there is, at every start."""
    # A command has its function's name unless it was given another.
    named = [one for one in app.registered_commands if [one.name or getattr(one.callback, "__name__", "")] == first]
    if not named:
        return app
    small = copy(app)
    small.registered_commands = named
    return small


BackendName = Literal["pods", "job", "statefulset", "pytorchjob", "deepspeedjob"]
Launcher = Literal["basic", "torchrun", "deepspeed"]

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Job files; - is standard input.")]
BackendOption = Annotated[BackendName, typer.Option("--backend", "-b", help="What runs the workers.")]
Namespace = Annotated[
    str | None, typer.Option("--namespace", "-n", metavar="NS", help="Namespace of all objects; overrides the job's.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change a field, like spec.workers=8. May be repeated."),
]
Version = Annotated[
    str | None, typer.Option("--kubernetes-version", metavar="1.NN", help="Version of the cluster.  [default: 1.33]")
]
Domain = Annotated[
    str | None,
    typer.Option("--cluster-domain", metavar="D", help="Use full DNS names under this domain, like cluster.local."),
]

MessageFormat = Annotated[
    Literal["full", "concise", "json", "sarif", "github", "junit"] | None,
    typer.Option(
        "--message-format",
        show_default=False,
        help="How what is wrong is said.  [default: full; github in GitHub Actions]",
    ),
]

Strict = Annotated[bool, typer.Option("--strict", help="A warning is as bad as an error: exit 1, nothing is written.")]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", metavar="CODE", help="Warn of these only: TC3019, its name, or TC3. May be repeated."),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="CODE", help="Don't warn of these. May be repeated.")
]


def _options(
    backend: str, namespace: str | None, kubernetes_version: str | None, cluster_domain: str | None
) -> dict[str, str | None]:
    """The options that name a target, as they are called on the command line."""
    return {
        "--backend": backend,
        "--namespace": namespace,
        "--kubernetes-version": kubernetes_version,
        "--cluster-domain": cluster_domain,
    }


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"trainc {version('trainc')}")
        raise typer.Exit


@app.callback()
def trainc(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when trainc itself fails.")] = False,
) -> None:
    """Compile a short YAML file that says what to train to the Kubernetes manifests that train it.

    Exit codes: 0 all is well, 1 a job is wrong, 2 wrong usage or trainc could not do its work.
    """


@app.command("compile")
def compile_command(
    files: Files,
    backend: BackendOption = "job",
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="-|FILE|DIR/", help="Where the manifests go; DIR/ takes a file a job."),
    ] = "-",
    format: Annotated[
        Literal["yaml", "json"], typer.Option("--format", "-f", help="YAML documents or a JSON List.")
    ] = "yaml",
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
    generate_ssh_key: Annotated[
        str | None,
        typer.Option(
            "--generate-ssh-key",
            metavar="FILE",
            help="Write the Secret with a fresh key for launch.deepspeed.transport: ssh to a new file of its own. "
            "Don't commit it.",
        ),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Say on stderr in three lines what was made.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 when the files of -o are not up to date.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Write nothing unless all back ends start the same world; say how they differ."),
    ] = False,
) -> None:
    """Compile jobs to Kubernetes manifests.

    trainc compile job.yaml | kubectl apply -f -
    """
    from trainc.cli.compile import compile_jobs
    from trainc.cli.messages import Messages

    messages = Messages(form=message_format, strict=strict, select=select or [], ignore=ignore or [])
    options = _options(backend, namespace, kubernetes_version, cluster_domain)
    done = compile_jobs(files, set or [], options, output, format, messages, summary, check, generate_ssh_key, verify)
    raise typer.Exit(done)


@app.command()
def check(
    files: Files,
    backend: BackendOption = "job",
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
) -> None:
    """Say what is wrong with jobs; silent when all is well.

    json, sarif and junit are documents: they go to standard output, also when all is well.
    """
    from trainc.cli.compile import check_jobs
    from trainc.cli.messages import Messages

    messages = Messages(form=message_format, strict=strict, select=select or [], ignore=ignore or [])
    options = _options(backend, namespace, kubernetes_version, cluster_domain)
    raise typer.Exit(check_jobs(files, set or [], options, messages))


@app.command("import")
def import_command(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Other systems' job files; - is standard input.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="-|FILE", help="Where the job file goes.")] = "-",
) -> None:
    """Turn a PyTorchJob, DeepSpeedJob, PyTorchTrainingJob, ElasticJob or tlaunchrun command into a job file.

    trainc import pytorchjob.yaml -o job.yaml

    trainc import tlaunchrun -- --lpjob_name mnist torchrun --nnodes 1:2 train.py
    """
    from trainc.cli.import_ import import_jobs

    raise typer.Exit(import_jobs(files, output))


@app.command()
def plan(
    files: Files,
    backend: BackendOption = "job",
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="-|FILE", help="Where it goes; FILE.svg and FILE.html are pictures."),
    ] = "-",
    format: Annotated[
        Literal["text", "json", "markdown", "mermaid"] | None,
        typer.Option("--format", "-f", show_default=False, help="For people, programs or a page.  [default: text]"),
    ] = None,
    manifests: Annotated[
        bool, typer.Option("--manifests", help="FILE... are Kubernetes manifests: plan them as they stand.")
    ] = False,
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
) -> None:
    """Show what the manifests will make: pods, names, ranks, variables, needs, and what follows a failure.

    trainc plan job.yaml -o plan.svg
    """
    from trainc.cli.messages import Messages
    from trainc.cli.plan import show

    messages = Messages(form=message_format, strict=strict, select=select or [], ignore=ignore or [])
    options = _options(backend, namespace, kubernetes_version, cluster_domain)
    raise typer.Exit(show(files, set or [], options, format, output, messages, manifests))


@app.command()
def rehearse(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", show_default=False, help="Job files; - is standard input.")
    ] = None,
    backend: BackendOption = "job",
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario",
            "-s",
            metavar="NAME|FILE",
            help="What to rehearse: a name, all, list, or a YAML file of steps. May be repeated.  "
            "[default: form, finish]",
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            metavar="FILE|probe",
            help="Program to run in place of the job's; its folder goes with it.  [default: probe, which says who it "
            "is and adds up]",
        ),
    ] = None,
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="DIR", help="Folder that is laid over this machine's files, as the image's."),
    ] = None,
    nproc: Annotated[
        int | None, typer.Option("--nproc", metavar="N", min=1, help="Processes a pod, in place of the job's.")
    ] = None,
    pods: Annotated[
        int | None, typer.Option("--pods", metavar="N", min=1, help="Pods at most, in place of the job's.")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="Python with torch that the pods use.  [default: trainc's own]"),
    ] = None,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="DIR", help="Keep the pods' output, environment and files there.")
    ] = None,
    patience: Annotated[
        float,
        typer.Option("--patience", metavar="SECONDS", min=1, help="Give up when nothing has moved for so long."),
    ] = 90.0,
    format: Annotated[
        Literal["text", "json", "junit"], typer.Option("--format", "-f", help="For people or for programs.")
    ] = "text",
    output: Annotated[str, typer.Option("--output", "-o", metavar="-|FILE", help="Where the verdict goes.")] = "-",
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
) -> None:
    """Run a job's manifests with the real launchers on this machine, and compare what happens with the plan.

    trainc rehearse job.yaml --scenario lose-pod
    """
    from trainc.cli.messages import Messages
    from trainc.cli.rehearse import Wanted, rehearse_jobs

    messages = Messages(form=message_format, strict=strict, select=select or [], ignore=ignore or [])
    options = _options(backend, namespace, kubernetes_version, cluster_domain)
    wanted = Wanted(
        scenarios=scenario or [],
        program=program,
        image=image,
        processes=nproc,
        pods=pods,
        python=python,
        keep=keep,
        quiet=patience,
        form=format,
        output=output,
    )
    raise typer.Exit(rehearse_jobs(files or [], set or [], options, wanted, messages))


@app.command()
def schema() -> None:
    """Print the JSON Schema (draft-07) of a job, for editors."""
    from trainc.cli.streams import to_stdout
    from trainc.schema.bundle import bundled

    to_stdout(bundled())


@app.command()
def explain(
    subject: Annotated[
        str | None, typer.Argument(metavar="[SUBJECT]", help="A code, a field like spec.elastic, or a topic.")
    ] = None,
) -> None:
    """Explain a code of a message, a field of the language or a topic; without SUBJECT, list what there is.

    trainc explain TC3003
    """
    from trainc.cli.explain import explain as shown

    raise typer.Exit(shown(subject))


@app.command()
def init(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Name of the job.")] = "my-job",
    launch: Annotated[Launcher, typer.Option("--launch", "-l", help="What starts the processes.")] = "torchrun",
) -> None:
    """Print a commented job to start from.

    trainc init mnist > mnist.yaml
    """
    from trainc.cli.init import starter

    raise typer.Exit(starter(name, launch))
