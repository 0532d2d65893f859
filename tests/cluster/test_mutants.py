"""`trainc check` is as strict as a real API server with the operators' webhooks, measured with mutants of goldens."""

from __future__ import annotations

import os

import pytest

from tests.cluster.api import Api
from tests.cluster.conftest import _log
from tests.cluster.mutants import verdicts
from tests.cluster.operators import OPERATORS
from tests.cluster.operators.session import Operators

COUNT, SEED = (
    int(os.environ.get(name, default)) for name, default in (("TRAINC_MUTANTS", "150"), ("TRAINC_SEED", "1"))
)
LEAST = 0.99  # of what the cluster rejects


def test_check_rejects_what_the_cluster_rejects_and_claims_nothing_else(
    api: Api, operators: Operators, namespace: str, pytestconfig: pytest.Config
) -> None:
    for name in OPERATORS:
        operators.start(name)
    judged = list(verdicts(api, namespace, SEED, COUNT))
    rejected = [each for each in judged if each.message]
    missed = [each for each in judged if each.is_missed]
    false = [each for each in judged if each.is_false_claim]
    agreed = len(rejected) - len(missed)
    figures = f"{len(judged)} mutants (seed {SEED}): {len(rejected)} rejected, {agreed} of them by check too"
    _log(pytestconfig, f"{figures}, {len(false)} false claims")
    problems = "\n".join(map(str, (*false, *missed)))
    assert not false, problems
    assert agreed >= LEAST * len(rejected), problems
