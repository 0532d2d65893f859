"""`requiresTrainc` compared with the package `packaging`, which defines the operators."""

from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet

from trainc.project.requirement import unsatisfied_requirement
from trainc.source.load import load
from trainc.span import Source

INSTALLED = ("0.1", "0.1.0", "0.1.9", "0.2", "0.10", "1.0", "1.0.1", "2")
REQUIREMENTS = (
    *(f"{operator}{version}" for operator in ("==", "!=", "<", "<=", ">", ">=") for version in ("0.1", "0.1.9", "1")),
    *("~=0.1", "~=0.1.0", "~=1.0.1", ">=0.1,<0.2", ">= 0.1 , < 1", "!=0.1,!=0.2"),
)


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_the_clauses_mean_what_they_mean_for_packages(requirement: str) -> None:
    (tree,), _ = load(Source("trainc.yaml", f"requiresTrainc: '{requirement}'\n"))
    satisfied = {version for version in INSTALLED if not unsatisfied_requirement(tree, version)}
    assert satisfied == {version for version in INSTALLED if SpecifierSet(requirement).contains(version)}


def test_the_error_has_both_versions() -> None:
    (tree,), _ = load(Source("trainc.yaml", "requiresTrainc: '>=7, <8'\n"))
    (error,) = unsatisfied_requirement(tree, "0.1.0")
    assert error.message == "the project requires trainc >=7, <8, but this is trainc 0.1.0"
    assert str(error.span) == "trainc.yaml:1:17"
