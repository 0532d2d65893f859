"""Unrendered templates of Helm, Jinja and envsubst: one error for a file, in place of those that its syntax causes.

https://www.gnu.org/software/gettext/manual/html_node/envsubst-Invocation.html: without a list envsubst replaces every
`$NAME`, those of shell scripts by nothing. It knows neither `${NAME:-default}` nor an escape; a8m/envsubst knows both,
and has no list: https://github.com/a8m/envsubst#docs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence

from trainc.commandline.shell_variables import is_preset, reference
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.message import CHECK_STDIN, Message
from trainc.secrets.text import redact
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Scalar, all_mappings, mappings, scalar_text
from trainc.source.node import Sequence as List
from trainc.span import STDIN, Source, Span
from trainc.typenames import Literal

# https://helm.sh/docs/chart_template_guide/ and https://jinja.palletsprojects.com/templates/
_ACTION = re.compile(r"\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)", re.MULTILINE)
_LINE_OF_ACTION = re.compile(r"^[ \t]*(?:\{\{|\{%)", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s)#")
# A name alone, with filters or as a call, is Jinja's; few functions of Go take no argument.
_JINJA = re.compile(r"\{%|\{\{-?\s*(?!(?:end|else|now|uuidv4|break|continue)\b)[A-Za-z_][\w.]*\s*(?:-?\}\}|[|(\[])")
# Objects and functions that only Helm has: in a command, other braces may be for the program.
_HELM = re.compile(r"\{\{(?=[^{}]*(?:\.Values\.|\.Release\.|\.Chart\.|\binclude \"))[^{}]*\}\}")
_BY_BRACES = frozenset((codes.YAML_SYNTAX, codes.NON_STRING_KEY, codes.INVALID_ALIAS, codes.UNSUPPORTED_TAG))
_MAX_LINE = 1000  # characters of a line that are searched
_MAX_SHOWN = 40
_NAME = "[A-Za-z_][A-Za-z0-9_]*"
# Characters that replace the braces of variables in flow collections; no file has these.
_OPEN, _CLOSE = "\ue001", "\ue002"
VARIABLE = reference(f"{{{_OPEN}", f"}}{_CLOSE}")
_ESCAPED = re.compile(rf"\$\$(?:\{{{_NAME}|{_NAME})")
Use = Literal["value", "env", "command", "text"]
# Fields in which a shell, the program or the kubelet may expand variables.
_USES: dict[str, Use] = {
    **dict.fromkeys(("command", "args", "exec", "run", "otherArgs", "customCommand", "extraOptions"), "command"),
    **dict.fromkeys(("annotations", "data", "stringData", "message"), "text"),
    "env": "env",
}
# https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
_DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList")
# Names that a shell script sets, in assignments, loops and builtins; NAME=$NAME only passes a variable on.
_SETS = re.compile(
    rf"(?<![\w.$/-])({_NAME})\+?=(?![\"']?\$\{{?\1\b)|\b(?:for|select)\s+({_NAME})\s+in\b|\(\(\s*({_NAME})"
    r"|\b(?:read|mapfile|readarray|getopts|printf\s+-v)\b([^;&|\n]*)"
)
_MAX_LISTED = 100

Found = Iterator[tuple[str, Span]]


def unrendered_template(
    source: Source,
    documents: list[Node],
    foreign_jobs: Callable[[list[Node]], Sequence[Node]],
    diagnostics: Sequence[Diagnostic],
) -> Diagnostic | None:
    """Return one error if a file is a template, None if it is not.

    `foreign_jobs` returns the jobs of other systems among documents; `diagnostics` are all others of the file.
    """
    errors = [each for each in diagnostics if each.severity == "error" and each.span.source is source]
    action = next(_actions(source, documents, errors), None)
    if action is not None:
        return _for_engine(source, *action)
    variables = list(_variables_in_flow(source, errors))
    if variables:
        documents = load(mask_braces(source))[0]
    places = {each.span.place for each in errors}
    variables += [(text, span) for each in documents for text, span in in_place_of_values(each) if span.place in places]
    variables += [variable for job in foreign_jobs(documents) for variable in in_place_of_values(job)]
    if not variables:
        return None
    reference, span = min(variables, key=lambda variable: variable[1].place)
    others = len({text for text, _ in variables}) - 1
    more = f" and {others} more variable{'s' * (others > 1)}" if others else ""
    message = f"unrendered template: `{_shown(reference)}`{more} in place of a value"
    where = Span(source, span.line, span.column, span.end_line, span.end_column)  # not in the masked text
    return _unrendered(message, where, render_command(source, documents, reference))


def _for_engine(source: Source, action: str, span: Span) -> Diagnostic:
    is_jinja = "{%" in source.text or _JINJA.match(action)
    name = shlex.quote(source.name) if source.is_file else "FILE"
    tool = f"jinja2 {name} VALUES" if is_jinja else f"helm template {_chart(source)}"
    message = f"unrendered template: `{_shown(redact(action))}` is for {'Jinja' if is_jinja else 'Helm'}"
    return _unrendered(message, span, f": {tool}")


def _unrendered(message: str, where: Span, render: str) -> Diagnostic:
    help_ = Message("render it first{} {}", render, CHECK_STDIN)
    return error(codes.UNRENDERED_TEMPLATE, message, where, help=help_)


def _chart(source: Source) -> str:
    """Return the directory of the chart: https://helm.sh/docs/topics/charts/#the-chart-file-structure."""
    chart, folder, _ = source.name.rpartition("/templates/")
    return shlex.quote(chart) if folder and source.is_file else "CHART"


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _actions(source: Source, documents: list[Node], errors: list[Diagnostic]) -> Found:
    """Yield the actions that cause an error, and those of Helm in valid YAML."""
    for each in errors:
        if each.code in _BY_BRACES:
            first = _LINE_OF_ACTION.search(source.text)
            lines = sorted({each.span.line, *(other.span.line for other in each.related)})
            lines += [source.span_at(first.end() - 1).line] if first else []
            for line in lines:
                yield from _first_match(_ACTION, _whole(source, line))
        else:
            yield from _first_match(_ACTION, each.span)
    for document in documents:
        for use, scalar in strings(document):
            match = _HELM.search(scalar.text) if use != "text" else None
            if match is not None:
                yield match[0], scalar.span


def _variables_in_flow(source: Source, errors: list[Diagnostic]) -> Found:
    """Yield the variables whose braces open a mapping: `[${NAME}]`."""
    for each in errors:
        start = each.span.column - 2
        if each.code in _BY_BRACES and start >= 0 and source.line(each.span.line).startswith("${", start):
            yield from _first_match(
                VARIABLE, Span(source, each.span.line, start + 1, each.span.line, start + _MAX_LINE)
            )


def _whole(source: Source, line: int) -> Span:
    return Span(source, line, 1, line, len(source.line(line)) + 1)


def _first_match(pattern: re.Pattern[str], span: Span) -> Found:
    """Yield the first match on the first line of a span, unless it is in a comment."""
    line, start = span.source.line(span.line), span.column - 1
    end = min(span.end_column - 1 if span.line == span.end_line else len(line), start + _MAX_LINE)
    match = pattern.search(line, start, end)
    if match is not None and not _COMMENT.search(line, 0, match.start()):
        yield match[0], Span(span.source, span.line, match.start() + 1, span.line, match.end() + 1)


def in_place_of_values(document: Node) -> Iterator[tuple[str, Span]]:
    """Yield the references that neither a shell, the program nor the kubelet may expand."""
    for use, scalar in strings(document):
        if use == "value" and "$" in scalar.text and not any(map(str.isspace, scalar.text)):
            for match in VARIABLE.finditer(scalar.text):
                default = ":-…" if match["operator"] else ""  # may be a secret
                yield f"${{{match['braced']}{default}}}" if match["braced"] else match[0], scalar.span


def mask_braces(source: Source) -> Source:
    """Return the text with other characters for the braces of variables, which open mappings in flow collections."""
    text = VARIABLE.sub(lambda match: match[0].replace("{", _OPEN).replace("}", _CLOSE), source.text)
    return Source(source.name, text)


def render_command(source: Source, documents: Sequence[Node], first: str) -> str:
    """Return how to render a template, to follow `render it first`; the first reference is certainly the template's."""
    file = "" if source.name == STDIN else f" < {shlex.quote(source.name) if source.is_file else 'FILE'}"
    texts: list[tuple[Use, str]] = [("value", first)]
    texts += [(use, scalar.text) for document in documents for use, scalar in strings(document) if use != "text"]
    variables = _template_variables(texts, {name for document in documents for name in _env_names(document)})
    if any(variables.values()) or any(_ESCAPED.search(text) for _, text in texts):
        tool = "the envsubst of github.com/a8m/envsubst, as GNU's knows no defaults and escapes"
        return f" with {tool}: envsubst{file}"
    names = f" '{' '.join(f'${name}' for name in variables)}'" if len(variables) <= _MAX_LISTED else ""
    return f": envsubst{names}{file}"


def strings(node: Node, use: Use = "value") -> Iterator[tuple[Use, Scalar]]:
    """Yield the strings of a document, keys included, and what they are used for."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str):
            yield use, node
    elif isinstance(node, List):
        for item in node.items:
            yield from strings(item, use)
    else:
        for key, entry in node.entries.items():
            if not key.startswith(_DIRECTIVES):
                yield use, entry.key
            yield from strings(entry.value, _USES.get(key, use) if use == "value" else use)


def _template_variables(texts: list[tuple[Use, str]], env: set[str]) -> dict[str, bool]:
    """Return the variables that only the template can have, each with whether it has a default."""
    scripts = [match for use, text in texts if use == "command" for match in _SETS.finditer(text)]
    assigned = {name for match in scripts for group in match.groups("") for name in re.findall(_NAME, group)}
    has_env_from = any(text == "envFrom" for _, text in texts)
    variables: dict[str, bool] = {}
    for use, text in texts:
        for match in VARIABLE.finditer(text):
            name = match["braced"] or match["bare"]
            in_shell = use == "command" and (has_env_from or name in assigned or name in env)
            is_value = use == "value" or (use == "env" and match[0] == text)
            if is_value or not (is_preset(name) or in_shell):
                variables[name] = variables.get(name, False) or bool(match["operator"] and use != "command")
    return variables


def _env_names(document: Node) -> Iterator[str]:
    """Yield the names of all variables in `env`, a list or a mapping."""
    for env in (node.get("env") for node in all_mappings(document)):
        yield from env.entries if isinstance(env, Mapping) else ()
        yield from (scalar_text(item.get("name")) for item in mappings(env))
