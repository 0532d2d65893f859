"""`requiresTrainc`: the versions of trainc that may read a repository.

The clauses are those of Python packages, with numbers only:
https://packaging.python.org/en/latest/specifications/version-specifiers/
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Mapping, Node, Scalar

_CLAUSE = re.compile(r"\s*(==|!=|<=|>=|<|>|~=(?=\s*[0-9]+\.))\s*([0-9]{1,9}(?:\.[0-9]{1,9})*)\s*")
_RELEASE = re.compile(r"[0-9]+(\.[0-9]+)*")
_KEY = "requiresTrainc"


def unsatisfied_requirement(tree: Node, own: str | None = None) -> list[Diagnostic]:
    """Return an error if this version, by default the installed one, is not among those that the file requires.

    An invalid requirement is left to the schema.
    """
    node = tree.get(_KEY) if isinstance(tree, Mapping) else None
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return []
    clauses = [_CLAUSE.fullmatch(clause) for clause in node.value.split(",")]
    try:
        installed = own or version("trainc")
    except PackageNotFoundError:  # a copy of the sources has no version
        return []
    broken = [f"{match[1]}{match[2]}" for match in clauses if match and not _holds(installed, match[1], match[2])]
    if not broken or not all(clauses):
        return []
    message = f"the project requires trainc {node.value}, but this is trainc {installed}"
    help_ = f"run `pip install 'trainc{node.value.replace(' ', '')}'`"
    return [error(codes.OTHER_TRAINC_REQUIRED, message, node.span, help=help_)]


def _holds(installed: str, operator: str, wanted: str) -> bool:
    match = _RELEASE.match(installed)
    own, other = _numbers(match[0] if match else "0"), _numbers(wanted)
    width = max(len(own), len(other))
    left, right = (numbers + (0,) * (width - len(numbers)) for numbers in (own, other))
    if operator == "~=":
        prefix = len(other) - 1
        return left >= right and left[:prefix] == right[:prefix]
    results = {
        "==": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }
    return results[operator]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))
