"""The limits that TC5017 and TC5018 report are those of kubectl and the API server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.support.build import job_text
from trainc.driver import run
from trainc.emit.manifest import to_yaml
from trainc.span import Source
from trainc.target import Target

CLIENT, SERVER = ("apply",), ("apply", "--server-side")


@pytest.mark.parametrize(
    ("content", "code", "command", "rejection"),
    [
        (b"a" * 200_000, None, CLIENT, ""),
        (b"\xff" * 270_000, "TC5018", CLIENT, "metadata.annotations: Too long: may not be more than 262144 bytes"),
        (b"<" * 50_000, "TC5018", CLIENT, "metadata.annotations: Too long: may not be more than 262144 bytes"),
        (b"\xff" * 270_000, "TC5018", SERVER, ""),
        (b"a" * 1_048_576, "TC5018", SERVER, ""),
        (b"\xff" * 1_048_576, "TC5018", SERVER, ""),
        (b"a" * 1_048_577, "TC5017", SERVER, "Too long: may not be more than 1048576 bytes"),
        (b"\xff" * 1_048_577, "TC5017", SERVER, "Too long: may not be more than 1048576 bytes"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_config_map_of_local_files_is_accepted_where_trainc_does_not_warn(
    content: bytes,
    code: str | None,
    command: tuple[str, ...],
    rejection: str,
    cluster: Cluster,
    namespace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "data").write_bytes(content)
    text = job_text(volumes=[{"name": "code", "mountPath": "/code", "files": ["data"]}])
    source = Source(str(tmp_path / "job.yaml"), text)
    assert [each.code.id for each in run([source], Target()).diagnostics] == ([code] if code else [])
    for module in ("trainc.lower.local_files", "trainc.checks.storage.local_files"):
        monkeypatch.setattr(f"{module}.MAX_CONFIG_MAP", 2_000_000)
    (job,) = run([source], Target()).jobs
    done = cluster.run(*command, "-n", namespace, "-f", "-", stdin=to_yaml(job.manifests()[:1]))
    assert (done.returncode == 0) == (not rejection), done.stderr
    assert rejection in done.stderr
