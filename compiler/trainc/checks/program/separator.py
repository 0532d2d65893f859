"""Arguments appended by trainc after the program's own `--`, which parsers take for positional arguments."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.span import span_of

TRIGGERS = ("has_separator()",)


def check(context: RuleContext) -> Diagnostics:
    """https://docs.python.org/3/library/argparse.html#arguments-containing: after `--` nothing is an option."""
    run, launch = context.spec.run, context.spec.launch
    # In run.exec `--` may end the options of a wrapper, like `env` or `uv run`.
    if "--" not in run.words or run.kind == "exec":
        return
    paths = (context.spec.save, context.spec.checkpoint, context.spec.share_file)
    appended = [*launch.appended_arguments, *(path.argument for path in paths if path and path.argument)]
    if appended:
        where = span_of(run.words[run.words.index("--")]) or run.where(run.kind)
        message = (
            f"trainc appends {' and '.join(f'`{name}`' for name in appended)} after this, where options are not parsed"
        )
        help_ = "remove the `--`, or disable the arguments and read the environment variables in the program"
        yield warning(codes.ARGUMENTS_AFTER_SEPARATOR, message, where, help=help_)
