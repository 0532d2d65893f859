"""`trainc compile`."""

from __future__ import annotations

import os

from trainc.cli import options
from trainc.cli.parameters import flag, option
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.inputs import Cluster
    from trainc.cli.messages import Messages

_EXTENSIONS = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def command(
    files: list[str] = options.FILES,
    backend: str = options.BACKEND,
    output: str = option(
        "-", "--output", "-o", metavar="-|FILE|DIR/", help="Write manifests here; DIR/ gets one file per job."
    ),
    format: str | None = option(
        None,
        "--format",
        "-f",
        show_default=False,
        help="YAML documents or one JSON List.  [default: by -o, else yaml]",
        choices=("yaml", "json"),
    ),
    set: list[str] | None = options.SETS,
    cluster: Cluster = options.CLUSTER,
    messages: Messages = options.MESSAGES,
    generate_ssh_key: str | None = option(
        None,
        "--generate-ssh-key",
        metavar="FILE",
        help="Write a Secret with a new ssh key, for launch.deepspeed.transport: ssh, to a new file. Don't commit it.",
    ),
    jobs_only: bool = options.JOBS_ONLY,
    summary: bool = flag("--summary", help="Print a summary on stderr."),
    check: bool = flag("--check", help="Write nothing; exit 1 if the files of -o are out of date or left over."),
    prune: bool = flag("--prune", help="Remove manifests from -o DIR/ whose job is gone from the input directories."),
    dry_run: bool = flag("--dry-run", help="Print what --prune would remove; write nothing."),
    verify: bool = flag(
        "--verify", help="Write nothing unless all back ends start the same world; report differences."
    ),
) -> int:
    """Compile jobs to Kubernetes manifests.

    trainc compile job.yaml | kubectl apply -f -
    """
    from trainc.cli.exit_codes import OK, WRONG_INPUT
    from trainc.cli.inputs import compiler
    from trainc.cli.output import choose_format, is_folder, is_stream, manifest_files, write

    named, files = files, options.job_files(files, output, jobs_only)
    reporting: dict[str, object] = {
        "--check": check,
        "--prune": prune,
        "--generate-ssh-key": generate_ssh_key,
        "--verify": verify,
    }
    messages.require_stderr({"--summary": summary})
    messages.require_stderr(reporting, with_json=True)
    are_all = is_folder(output) and all(map(os.path.isdir, named))
    if prune or dry_run:
        from trainc.cli.leftovers import check_prune

        check_prune(prune, output, are_all, check)
    chosen = cluster.target(backend)
    if generate_ssh_key is not None:
        from trainc.cli.ssh_key import check_options

        check_options(generate_ssh_key, output, check or dry_run)
        chosen = chosen.replace(makes_keys=True)
    form = choose_format(output, format, _EXTENSIONS, "yaml")
    compile_for = compiler(files, set or [])
    outcome = compile_for(chosen)
    if not messages.report(outcome, files, "; nothing was written"):
        return WRONG_INPUT
    outcome = outcome.without_other_objects() if jobs_only else outcome
    if verify:
        from trainc.cli.verify import verified

        if not verified(outcome, chosen, compile_for):
            return WRONG_INPUT
    if check:
        from trainc.cli.compare import compare

        return compare(outcome.jobs, output, form, files, are_all)
    removed: list[str] = []
    if prune:
        from trainc.cli.leftovers import leftovers, print_removed

        removed = leftovers(output, manifest_files(outcome.jobs, output, form, files))
        if dry_run:
            print_removed(removed, dry_run)
            return OK
    if generate_ssh_key is None:
        write(outcome.jobs, output, form, files, removed)
    else:
        from trainc.cli.notices import notify
        from trainc.cli.ssh_key import written

        with written(generate_ssh_key, outcome.jobs, is_stream(output)) as (warning, help_):
            write(outcome.jobs, output, form, files, removed)
        text = f"warning: {warning}\n  = help: {help_}\n"
        notify("private-key", warning, text, severity="warning", file=generate_ssh_key, help=help_)
    if removed and not messages.quiet:
        print_removed(removed)
    if summary:
        from trainc.cli.summary import summarize

        summarize(outcome.jobs, files, set or [], chosen, output)
    return OK
