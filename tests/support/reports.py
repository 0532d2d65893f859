"""Reports for the tests of message formats: difficult names, messages and positions."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.diagnostics.remedy import Edit, Fix
from trainc.diagnostics.report import Report
from trainc.span import Source, Span

# A space, characters special to GitHub, XML, URIs, shells and terminals, and letters of two scripts.
HOSTILE = "a b,c:1:2::%0A%,\"'<&>]]>#?[l](m)\n\r\x1b[31m\ufffeé日.yaml"


def mark(source: Source, line: int, column: int, end_line: int, end_column: int) -> Span:
    return Span(source, line, column, end_line, end_column)


def _several() -> Report:
    first = Source("jobs/one.yaml", "workers: 9\nelastic:\n  maxReplicas: 4\nimgae: a\n")
    second = Source("jobs/two.yaml", "memory: 16GB\n")
    conflict = (mark(first, 3, 16, 3, 17), "conflicts with this")
    elsewhere = (mark(first, 1, 1, 1, 8), "first definition")
    note = Diagnostic(
        code=codes.UNUSED_GRACE_PERIOD,
        text="it is a choice",
        span=mark(second, 1, 1, 1, 7),
        severity="note",
        advice=("or not",),
    )
    return Report(
        diagnostics=[
            error(codes.ELASTIC_BOUNDS, "workers 9 is above 4", mark(first, 1, 10, 1, 11), related=[conflict]),
            warning(
                codes.RESTARTS_AFTER_COMPLETION,
                "the program runs again",
                mark(first, 4, 1, 4, 6),
                help="did you mean `image`?",
            ),
            note,
            error(
                codes.INVALID_QUANTITY,
                'not a quantity: the string "16GB"',
                mark(second, 1, 9, 1, 13),
                expected="a quantity like 500m, 2 or 16Gi",
                help="did you mean 16Gi?",
                related=[elsewhere],
            ).replace(fix=Fix(edits=(Edit(span=mark(second, 1, 9, 1, 13), text="16Gi"),), is_safe=True)),
        ],
        files=["jobs/one.yaml", "jobs/clean.yaml", "jobs/two.yaml"],
        consequence="; nothing was written",
    )


def _hostile() -> Report:
    source = Source(HOSTILE, "a: \x1b[31m<&>]]>\n")
    message = "`\x1b[31m%0A::error::[link](https://a.example/) <b>&amp;\"']]>\x00\ufffe\u202e日本`"
    span = mark(source, 1, 4, 1, 14)
    related = [(mark(source, 1, 1, 1, 2), message)]
    invalid = error(codes.INVALID_VALUE, message, span, expected=message, help=message, related=related)
    return Report(diagnostics=[invalid, warning(codes.RESTARTS_AFTER_COMPLETION, message, span)], files=[HOSTILE])


def _places() -> Report:
    text = "run: |\n  one\n  two\n日本: 日 😀\t👩\u200d💻: é: x\nend: of\n"
    source = Source("places.yaml", text)
    last = text.split("\n")[3]
    column = last.index("x") + 1
    wide = (mark(source, 4, 5, 4, 6), "日")
    return Report(
        diagnostics=[
            error(codes.WRONG_TYPE, "several lines", mark(source, 1, 6, 3, 6)),
            error(codes.WRONG_TYPE, "lines to the start of the next", mark(source, 1, 6, 2, 1)),
            error(codes.WRONG_TYPE, "after wide characters", mark(source, 4, column, 4, column + 1), related=[wide]),
            error(codes.WRONG_TYPE, "an empty span at the end", mark(source, 5, 8, 5, 8)),
        ],
        files=["places.yaml"],
    )


def _nowhere() -> Report:
    return Report(
        diagnostics=[
            error(codes.INVALID_VALUE, "not a number", mark(Source("--set a=../x", "a=../x"), 1, 3, 1, 7)),
            error(codes.EMPTY_INPUT, "the input contains no job", mark(Source("<stdin>", ""), 1, 1, 1, 2)),
            error(codes.EMPTY_INPUT, "the input contains no job", mark(Source("empty.yaml", ""), 1, 1, 1, 2)),
            error(codes.UNREADABLE_FILE, "cannot read the file: is a directory", mark(Source(".", ""), 1, 1, 1, 2)),
        ],
        files=["<stdin>", "empty.yaml", ".", "other.yaml"],
    )


REPORTS = {
    "clean": Report(diagnostics=[], files=["one.yaml", "<stdin>"]),
    "several": _several(),
    "hostile": _hostile(),
    "places": _places(),
    "nowhere": _nowhere(),
}
