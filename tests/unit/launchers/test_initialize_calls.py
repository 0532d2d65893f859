"""Calls of jax.distributed.initialize: which arguments a text certainly lacks.

What JAX needs: tests/unit/launchers/jax.json; the order of its parameters is that of jax/_src/distributed.py 0.10.2.
"""

from __future__ import annotations

import pytest

from trainc.launchers.jax.rules.program import bare_calls

BOTH = ("num_processes", "process_id")


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("import jax\njax.distributed.initialize()", [BOTH]),
        ("import jax as j\nj.distributed.initialize()", [BOTH]),
        ("from jax import distributed\ndistributed.initialize()", [BOTH]),
        ("from jax import distributed as d\nd.initialize('a:1')", [BOTH]),
        ("from jax.distributed import initialize as join\njoin()", [BOTH]),
        ("jax.distributed.initialize('a:1', 2)", [("process_id",)]),
        ("jax.distributed.initialize(process_id=0)", [("num_processes",)]),
        ("jax.distributed.initialize(initialization_timeout=600)", [BOTH]),
        ("jax.distributed.initialize()\njax.distributed.initialize(None)", [BOTH, BOTH]),
        ("echo a; python -c 'jax.distributed.initialize( )'", [BOTH]),
        # Complete, or the text doesn't say.
        ("jax.distributed.initialize('a:1', 2, 0)", []),
        ("jax.distributed.initialize(*place)", []),
        ("jax.distributed.initialize(**place)", []),
        ("jax.distributed.initialize(cluster_detection_method='mpi4py')", []),
        ("if tpu: jax.distributed.initialize()\nelse: jax.distributed.initialize(None, 2, 0)", []),
        ("python -c 'jax.distributed.initialize()' || python -c 'jax.distributed.initialize(None, 2, 0)'", []),
        ("torch.distributed.initialize()", []),
        ("initialize()  # distributed", []),
        ("# jax.distributed.initialize()", []),
        ("'jax.distributed.initialize()'", []),
    ],
)
def test_arguments_that_a_call_lacks(text: str, missing: list[tuple[str, ...]]) -> None:
    assert [call.missing for call in bare_calls(text)] == missing


@pytest.mark.parametrize(
    "text",
    [
        "jax.distributed.initialize" + "(" * 5000,
        "jax.distributed.initialize()\0",
        "x = " + "-" * 20000 + "1 # jax.distributed.initialize",
        "jax.distributed.initialize()" * 20000,
        "\ufeffjax.distributed.initialize\ud800",
    ],
)
def test_any_text_is_read(text: str) -> None:
    list(bare_calls(text))


def test_the_position_counts_characters() -> None:
    text = "x = 'äöü'; jax.distributed.initialize()"
    (call,) = bare_calls(text)
    assert text[call.start : call.end] == "jax.distributed.initialize()"
