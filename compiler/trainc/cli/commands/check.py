"""`trainc check`."""

from typing import Annotated

import typer

from trainc.cli import options
from trainc.cli.directories import Found


def command(
    files: options.Files,
    backend: options.OwnBackend = None,
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
    fix: Annotated[bool, typer.Option("--fix", help="Apply the fixes of errors to the files.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print what --fix would change; write nothing.")] = False,
    unsafe_fixes: Annotated[bool, typer.Option("--unsafe-fixes", help="Also apply guesses.")] = False,
) -> None:
    """Check job files; no output if there is nothing to report.

    Jobs of other systems, like a PyTorchJob, are checked as they run there.

    The formats json, sarif and junit are documents: they are always written, to standard output.
    """
    from trainc.cli.guard import OK, WRONG_INPUT
    from trainc.cli.inputs import compile_files, read_target
    from trainc.cli.messages import Messages
    from trainc.cli.streams import to_stderr, to_stdout
    from trainc.driver import check_inputs, compile_inputs
    from trainc.systems.registry import DEFAULT

    messages = Messages(form=message_format, strict=strict, select=select or [], ignore=ignore or [], quiet=quiet)
    chosen = read_target(backend or DEFAULT, namespace, kubernetes_version, cluster_domain, target)
    build = compile_inputs if backend else check_inputs
    if fix or diff:
        from trainc.cli.fixes import check_with_fixes
        from trainc.cli.inputs import source_compiler

        messages.require_stderr({"--diff": diff})
        outcome = check_with_fixes(
            files,
            lambda sources, errors: source_compiler(sources, errors, set or [], build)(chosen),
            show=diff,
            unsafe=unsafe_fixes,
        )
    elif unsafe_fixes:
        raise typer.BadParameter("requires --fix or --diff", param_hint="--unsafe-fixes")
    else:
        outcome = compile_files(files, set or [], chosen, build)
    if outcome.diagnostics and any(isinstance(name, Found) for name in files):
        from trainc.cli.skipped import without_other_kinds

        outcome, skipped = without_other_kinds(outcome, files)
        to_stderr("" if quiet else skipped)
    for job in outcome.jobs:  # a template that fails must not fail first at compile
        job.manifests()
    # A document is the result of the command.
    passes = messages.report(outcome, files, write=to_stdout if messages.are_a_document else to_stderr)
    raise typer.Exit(OK if passes else WRONG_INPUT)
