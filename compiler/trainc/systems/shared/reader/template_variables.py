"""Variables of a template for envsubst, apart from those that a shell in the container expands.

https://www.gnu.org/software/gettext/manual/html_node/envsubst-Invocation.html: without a list envsubst replaces every
`$NAME`, those of shell scripts by nothing. It knows neither `${NAME:-default}` nor an escape; a8m/envsubst knows both,
and has no list: https://github.com/a8m/envsubst#docs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from trainc.commandline.shell_variables import is_preset, reference
from trainc.source.node import Mapping, Node, Scalar, all_mappings, mappings, scalar_text
from trainc.source.node import Sequence as List
from trainc.span import STDIN, Source, Span
from trainc.typenames import Literal

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
