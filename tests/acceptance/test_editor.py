"""yaml-language-server with the schema of `trainc schema`: completion, snippets, messages and descriptions."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import trainc
from tests.support.language_server import LanguageServer
from tests.support.requirements import npm_install

VERSION = "2.0.0"
HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata:\n  name: mnist\nspec:\n  image: a:1\n"
LAUNCH, RUN = "  launch: {torchrun: {}}\n", "  run: {python: [train.py]}\n"
EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = (EXAMPLES.parent / "docs" / "editors.md").read_text("utf-8")
VOLUME = HEAD + LAUNCH + RUN + "  volumes:\n  - name: data\n    mountPath: /data\n"


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    folder = tmp_path_factory.mktemp("editor")
    npm_install(folder, f"yaml-language-server@{VERSION}")
    return [folder / "node_modules/.bin/yaml-language-server", "--stdio"]


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    schema = tmp_path_factory.mktemp("schema") / "trainingjob.json"
    schema.write_text(trainc("schema").out, "utf-8")
    return schema


@pytest.fixture(scope="module")
def server(command: list[str | Path], schema: Path) -> Iterator[LanguageServer]:
    with closing(LanguageServer(command, {schema.as_uri(): "*.yaml"})) as running:
        yield running


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
        "jax:",
        "ray:",
    }
    fields = server.complete(HEAD + LAUNCH + RUN + "  |\n")
    assert fields["elastic"] == "elastic:\n  minReplicas: $1\n  maxReplicas: $2"
    for name in ("lifecycle", "network", "scheduling", "checkpoint"):
        assert fields[name].strip() == f"{name}:"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + LAUNCH + RUN, None),
        (HEAD + LAUNCH + RUN + '  workers: ${{ matrix.n }}\n  resources: {gpu: "${{ matrix.gpu }}"}\n', None),
        (HEAD + LAUNCH + RUN + '  resources: {memory: "${{ matrix.memory }}"}\n', None),
        (HEAD + LAUNCH + RUN + "  workers: two\n", 'Incorrect type. Expected "integer".'),
        (VOLUME + "    claim: {size: 1Gi}\n", None),
        (VOLUME, "Exactly one of persistentVolumeClaim, claim, files, configMap, secret, emptyDir, "),
        (VOLUME + "    claim: {size: 1Gi}\n    emptyDir: {}\n", "Exactly one of persistentVolumeClaim, claim, "),
        (
            HEAD + "  launch: {}\n" + RUN,
            "Exactly one of basic, jax, torchrun, deepspeed, accelerate, mpirun, ray is required.",
        ),
        (
            HEAD + "  launch: {basic: {}, torchrun: {}}\n" + RUN,
            "Exactly one of basic, jax, torchrun, deepspeed, accelerate, mpirun, ray is",
        ),
        (HEAD + LAUNCH + RUN + "  wrkers: 2\n", "Property wrkers is not allowed."),
        (HEAD + LAUNCH + RUN + "  resources: {gpu: []}\n", 'Incorrect type. Expected "integer | Gpu | string".'),
        (HEAD + LAUNCH + RUN + "  sharedMemory: []\n", "Incorrect type. Expected one of string, number."),
        (HEAD + LAUNCH + RUN + "  env: 1\n", 'Incorrect type. Expected "mapping of names to values or sources | '),
        (HEAD + "  launch: torchrun\n" + RUN, 'Incorrect type. Expected "Launch".'),
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
        (HEAD + RUN + "  launch: {torchrun: {wr|ap: true}}\n", "Default: `true`"),
        (VOLUME + "    nfs: {ser|ver: a, path: /}\n", "Kubernetes' NFSVolumeSource: <https://kubernetes.io/docs/"),
        (HEAD.replace("image", "im|age") + LAUNCH + RUN, "Container image of every worker."),
        (HEAD + LAUNCH + RUN + "  shared|Memory: 8Gi\n", "Size of /dev/shm"),
        (HEAD + "  launch: {torch|run: {}}\n" + RUN, "PET\\_\\* environment variables"),
    ],
)
def test_every_field_has_a_description(server: LanguageServer, text: str, description: str) -> None:
    assert description in server.hover(text)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (HEAD.replace("spec", "sp|ec") + LAUNCH + RUN, "Spec"),
        (HEAD.replace("image", "im|age") + LAUNCH + RUN, "image"),
        (HEAD + LAUNCH + RUN + "  wor|kers: 2\n", "workers: integer"),
        (HEAD + "  launch: {torchrun: {nproc|PerNode: 8}}\n" + RUN, "nprocPerNode: integer"),
        (HEAD + "  launch: {torchrun: {nproc|PerNode: gpu}}\n" + RUN, "nprocPerNode: auto, cpu, gpu or xpu"),
        (HEAD + "  launch: {torchrun: {nproc|PerNode: npu}}\n" + RUN, "nprocPerNode: the name of a device"),
        (HEAD + "  launch: {torchrun: {rendezvous: {conf|: {a: 1}}}}\n" + RUN, "conf: mapping"),
        (HEAD + LAUNCH + RUN + "  resources: {g|pu: {count: 1}}\n", "Gpu"),
        (HEAD + LAUNCH + RUN + "  resources: {c|pu: 1}\n", "cpu: quantity"),
        (HEAD + LAUNCH + RUN + "  shared|Memory: false\n", "sharedMemory: false"),
        (HEAD + LAUNCH + RUN + "  env: {A|B: c}\n", "value: string or number or boolean"),
        (HEAD + LAUNCH + RUN + "  env: [{na|me: A}]\n", "name: string"),
    ],
)
def test_hover_names_the_type_of_the_value(server: LanguageServer, text: str, title: str) -> None:
    assert server.hover(text).startswith(f"#### {title}\n")


@pytest.mark.slow
def test_no_field_of_the_examples_has_several_titles(server: LanguageServer) -> None:
    hovers = {}
    for file in sorted(EXAMPLES.glob("*.yaml")):
        text = file.read_text("utf-8").split("\n---\n")[0].partition("\n")[2]  # without the line that names a schema
        for match in re.finditer(r"^[- ]*(\w)\w+:", text, re.MULTILINE):
            if match[0] not in hovers and "kind: TrainingJob" in text:
                hovers[match[0]] = server.hover(f"{text[: match.start(1)]}|{text[match.start(1) :]}")
    assert len(hovers) > 150
    repeated = re.compile(r" \|\| |#### TrainingJob\n")
    assert {field: text for field, text in hovers.items() if repeated.search(text)} == {}


@pytest.mark.slow
def test_init_needs_only_the_settings_of_the_editor(command: list[str | Path], schema: Path, tmp_path: Path) -> None:
    text = trainc("init").out
    with closing(LanguageServer(command, {str(schema): "*.job.yaml"}, tmp_path, "{}.job.yaml")) as server:
        assert server.diagnose(text) == []
        assert server.diagnose(text.replace("workers", "wrkers")) == ["Property wrkers is not allowed."]
        server.folder = tmp_path / "moved" / "elsewhere"
        assert server.diagnose(text.replace("workers", "wrkers")) == ["Property wrkers is not allowed."]
        server.name = "{}.yaml"  # a file that the settings don't name
        assert server.diagnose(text.replace("workers", "wrkers")) == []


@pytest.mark.slow
def test_a_workspace_names_its_schema_from_its_root(command: list[str | Path], schema: Path, tmp_path: Path) -> None:
    settings = json.loads(re.findall(r"^\{.*\}$", PAGE, re.MULTILINE)[1])["yaml.schemas"]
    (tmp_path / "schemas").mkdir()
    shutil.copy(schema, tmp_path / "schemas")
    with closing(LanguageServer(command, settings, tmp_path / "jobs", root=tmp_path)) as server:
        assert server.diagnose(HEAD + LAUNCH + RUN + "  wrkers: 2\n") == ["Property wrkers is not allowed."]


@pytest.mark.slow
def test_a_line_names_the_schema_from_the_folder_of_the_file(
    command: list[str | Path], schema: Path, tmp_path: Path
) -> None:
    (line,) = re.findall(r"^# yaml-language-server: .*$", PAGE, re.MULTILINE)
    (tmp_path / "schemas").mkdir()
    shutil.copy(schema, tmp_path / "schemas")
    with closing(LanguageServer(command, {str(schema): "*.yaml"}, tmp_path / "jobs")) as server:
        job = f"{line}\n{HEAD}{LAUNCH}{RUN}  wrkers: 2\n"
        assert server.diagnose(job) == ["Property wrkers is not allowed."]
        server.folder = tmp_path
        (message,) = server.diagnose(job)
        assert message.startswith("Unable to load schema from ")
