"""yaml-language-server with the schema of `trainc schema`: completion, snippets, messages and descriptions."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.command import trainc
from tests.support.language_server import LanguageServer

VERSION = "1.25.0"
HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata:\n  name: mnist\nspec:\n  image: a:1\n"
LAUNCH, RUN = "  launch: {torchrun: {}}\n", "  run: {python: [train.py]}\n"
VOLUME = HEAD + LAUNCH + RUN + "  volumes:\n  - name: data\n    mountPath: /data\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageServer]:
    npm = shutil.which("npm")
    if npm is None:
        if "TRAINC_REQUIRE_NPM" in os.environ:
            pytest.fail("npm is not installed")
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("editor")
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", f"yaml-language-server@{VERSION}"]
    subprocess.run(install, cwd=folder, check=True, capture_output=True, timeout=300)
    schema = folder / "trainingjob.json"
    schema.write_text(trainc("schema").out, "utf-8")
    running = LanguageServer([folder / "node_modules/.bin/yaml-language-server", "--stdio"], schema)
    yield running
    running.close()


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (HEAD + "  launch:\n    |\n" + RUN, {"basic", "torchrun", "deepspeed"}),
        (HEAD + "  launch:\n    t|\n" + RUN, {"torchrun"}),
        (HEAD + LAUNCH + "  run:\n    |\n", {"python", "module", "exec", "entrypoint"}),
        (HEAD + LAUNCH + RUN + "  |\n", {"workers", "resources", "elastic", "volumes"}),
        (VOLUME + "    |\n", {"persistentVolumeClaim", "claim", "hostPath", "nfs"}),
        (VOLUME + "    hostPath:\n      |\n", {"path", "type"}),
    ],
)
def test_fields_are_completed_on_a_blank_line(server: LanguageServer, text: str, labels: set[str]) -> None:
    assert labels <= server.complete(text).keys()


def test_snippets_insert_only_required_fields(server: LanguageServer) -> None:
    launchers = server.complete(HEAD + "  launch:\n    |\n" + RUN)
    assert {text.strip() for text in launchers.values()} == {
        "basic:",
        "torchrun:",
        "deepspeed:",
        "accelerate:",
        "mpirun:",
    }
    fields = server.complete(HEAD + LAUNCH + RUN + "  |\n")
    assert fields["elastic"] == "elastic:\n  minReplicas: $1\n  maxReplicas: $2"
    for name in ("lifecycle", "network", "scheduling", "checkpoint"):
        assert fields[name].strip() == f"{name}:"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + LAUNCH + RUN, None),
        (VOLUME + "    claim: {size: 1Gi}\n", None),
        (VOLUME, "Exactly one of persistentVolumeClaim, claim, files, configMap, secret, emptyDir, "),
        (VOLUME + "    claim: {size: 1Gi}\n    emptyDir: {}\n", "Exactly one of persistentVolumeClaim, claim, "),
        (HEAD + "  launch: {}\n" + RUN, "Exactly one of basic, torchrun, deepspeed, accelerate, mpirun is required."),
        (
            HEAD + "  launch: {basic: {}, torchrun: {}}\n" + RUN,
            "Exactly one of basic, torchrun, deepspeed, accelerate, mpirun is",
        ),
        (HEAD + LAUNCH + RUN + "  wrkers: 2\n", "Property wrkers is not allowed."),
    ],
)
def test_a_message_names_all_choices(server: LanguageServer, text: str, message: str | None) -> None:
    messages = server.diagnose(text)
    assert len(messages) == (message is not None)
    assert messages == [] or messages[0].startswith(message or "")


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (HEAD + LAUNCH + RUN + "  wor|kers: 2\n", "Number of pods"),
        (HEAD + RUN + "  launch: {torchrun: {wr|ap: true}}\n", "Default: \\`true\\`"),
        (VOLUME + "    nfs: {ser|ver: a, path: /}\n", "Kubernetes' NFSVolumeSource"),
    ],
)
def test_every_field_has_a_description(server: LanguageServer, text: str, description: str) -> None:
    assert description in server.hover(text)
