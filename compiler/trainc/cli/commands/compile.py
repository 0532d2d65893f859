"""`trainc compile`."""

from typing import Annotated, Literal

import typer

from trainc.cli import options
from trainc.systems.registry import DEFAULT

_EXTENSIONS = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def command(
    files: options.Files,
    backend: options.Backend = DEFAULT,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="-|FILE|DIR/", help="Write manifests here; DIR/ gets one file per job."),
    ] = "-",
    format: Annotated[
        Literal["yaml", "json"] | None,
        typer.Option(
            "--format", "-f", show_default=False, help="YAML documents or one JSON List.  [default: by -o, else yaml]"
        ),
    ] = None,
    namespace: options.Namespace = None,
    set: options.Sets = None,
    kubernetes_version: options.Version = None,
    cluster_domain: options.Domain = None,
    target: options.Releases = None,
    message_format: options.MessageFormat = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
    generate_ssh_key: Annotated[
        str | None,
        typer.Option(
            "--generate-ssh-key",
            metavar="FILE",
            help="Write a Secret with a new ssh key, for launch.deepspeed.transport: ssh, to a new file. "
            "Don't commit it.",
        ),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Print a summary on stderr.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if the files of -o are out of date.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Write nothing unless all back ends start the same world; report differences."),
    ] = False,
) -> None:
    """Compile jobs to Kubernetes manifests.

    trainc compile job.yaml | kubectl apply -f -
    """
    from trainc.cli.guard import OK, WRONG_INPUT
    from trainc.cli.inputs import compiler, read_target
    from trainc.cli.messages import Messages
    from trainc.cli.output import choose_format, is_stream, write

    messages = Messages(form=message_format, strict=strict, select=select or [], ignore=ignore or [], quiet=quiet)
    messages.require_stderr(
        {"--summary": summary, "--check": check, "--generate-ssh-key": generate_ssh_key, "--verify": verify}
    )
    chosen = read_target(backend, namespace, kubernetes_version, cluster_domain, target)
    if generate_ssh_key is not None:
        from trainc.cli.ssh_key import check_options

        check_options(generate_ssh_key, output, check)
        chosen = chosen.replace(makes_keys=True)
    form = choose_format(output, format, _EXTENSIONS, "yaml")
    compile_for = compiler(files, set or [])
    outcome = compile_for(chosen)
    if not messages.report(outcome, files, "; nothing was written"):
        raise typer.Exit(WRONG_INPUT)
    if verify:
        from trainc.cli.verify import verified

        if not verified(outcome, chosen, compile_for):
            raise typer.Exit(WRONG_INPUT)
    if check:
        from trainc.cli.compare import compare

        raise typer.Exit(compare(outcome.jobs, output, form, files))
    if generate_ssh_key is None:
        write(outcome.jobs, output, form, files)
    else:
        from trainc.cli.ssh_key import written
        from trainc.cli.streams import to_stderr

        with written(generate_ssh_key, outcome.jobs, is_stream(output)) as warning:
            write(outcome.jobs, output, form, files)
        to_stderr(warning)
    if summary:
        from trainc.cli.summary import summarize

        summarize(outcome.jobs, files, set or [], chosen, output)
    raise typer.Exit(OK)
