"""A real API server accepts and rejects the same objects as `trainc check`, for the same fields."""

from __future__ import annotations

import pytest
import yaml

from tests.cluster.api import Api
from tests.cluster.cluster import Cluster
from tests.support import companion_verdicts
from tests.support.api_verdicts import BASES, ROWS, Row, steps_of

# Errors of reading JSON, which name the field by its path in Go or not at all.
_UNREADABLE = ("cannot be handled as a", "strict decoding error")


def _names(message: str, field: str) -> bool:
    """Return whether a message has the path of a field, of the mapping around it, or of the one around that."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps_of(field)]
    paths = ("".join(steps[: len(steps) - count]).removeprefix(".") for count in range(3))
    message = message.replace("spec.template.labels", "spec.template.metadata.labels")  # the server's own mistake
    message = message.replace("downwardAPI.", "downwardAPI.items[0].")  # the message has no index
    message = message.replace("projected.path", "projected.sources[0].serviceAccountToken.path")  # nor a source
    return any(path and path in message for path in paths)


def test_the_api_server_agrees_with_the_table(api: Api, namespace: str) -> None:
    wrong = {}
    for row in ROWS:
        message = api.rejection(row.manifest, namespace)
        is_named = any(start in message for start in _UNREADABLE) or _names(message, row.field)
        if bool(message) != bool(row.field) or (message and not is_named):
            wrong[str(row)] = message
    assert not wrong


def test_the_api_server_agrees_about_objects_beside_a_job(api: Api, namespace: str) -> None:
    wrong = {}
    for manifest, field in companion_verdicts.ROWS:
        message = api.rejection(manifest, namespace)
        is_named = any(start in message for start in _UNREADABLE) or _names(message, field)
        if bool(message) != bool(field) or (message and not is_named):
            wrong[f"{manifest['kind']} {manifest['spec']}"] = message
    assert not wrong, "\n".join(f"{row}: {message}" for row, message in wrong.items())


@pytest.mark.parametrize(
    ("priority", "name", "computed"),
    [(5, "", 0), (-1, "", 0), (5, "system-node-critical", 2_000_001_000), (0, "", None)],
)
def test_pods_have_the_priority_of_their_class(
    api: Api, namespace: str, priority: int, name: str, computed: int | None
) -> None:
    spec = {"spec.priority": priority, **({"spec.priorityClassName": name} if name else {})}
    message = api.rejection(Row("Pod", spec, "").manifest, namespace)
    assert (f"priority admission controller computed {computed}" in message) == (computed is not None), message


def test_kubectl_rejects_an_unknown_field_by_default(cluster: Cluster, namespace: str) -> None:
    for row in (Row("Job", {"spec.backofLimit": 3}, ""), Row("Job", {}, "")):
        text = yaml.safe_dump(row.manifest)
        run = cluster.run("apply", "--dry-run=server", "-n", namespace, "-f", "-", stdin=text)
        assert (run.returncode == 0) == (row.manifest == BASES["Job"])
        assert ('unknown field "spec.backofLimit"' in run.stderr) == bool(run.returncode)
