"""Volumes of local files: what is read, the ConfigMap and the pod's volume."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.build import job_text
from trainc.compiled import Outcome
from trainc.diagnostics import codes
from trainc.driver import run
from trainc.span import STDIN, Source
from trainc.systems.registry import NAMES
from trainc.target import Target


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the directory of the job file, next to a file that it must not read."""
    (tmp_path / "secret").write_text("outside")
    folder = tmp_path / "job"
    for name in ("train.py", "conf/a.yaml", "conf/deep/b.yaml", "conf/.hidden", "conf/__pycache__/a.pyc", ".env"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def compile_files(folder: Path, *files: str, backend: str = "job", **spec: Any) -> Outcome:
    text = job_text(volumes=[{"name": "code", "mountPath": "/code", "files": list(files)}], **spec)
    return run([Source(str(folder / "job.yaml"), text)], Target(backend=backend))


def objects(folder: Path, *files: str) -> list[Any]:
    outcome = compile_files(folder, *files)
    assert outcome.ok, outcome.diagnostics
    return [manifest.data() for job in outcome.jobs for manifest in job.manifests()]


def config_map(folder: Path, *files: str) -> Any:
    return next(each for each in objects(folder, *files) if each["kind"] == "ConfigMap")


def volume(folder: Path, *files: str) -> Any:
    job = next(each for each in objects(folder, *files) if each["kind"] == "Job")
    return next(each["configMap"] for each in job["spec"]["template"]["spec"]["volumes"] if each["name"] == "code")


def test_folders_become_keys_without_slashes_and_items_with_paths(folder: Path) -> None:
    assert config_map(folder, "train.py", "conf/")["data"] == {
        "conf_a.yaml": "conf/a.yaml",
        "conf_deep_b.yaml": "conf/deep/b.yaml",
        "train.py": "train.py",
    }
    assert [(item["key"], item["path"]) for item in volume(folder, "conf", "./train.py", "train.py")["items"]] == [
        ("conf_a.yaml", "conf/a.yaml"),
        ("conf_deep_b.yaml", "conf/deep/b.yaml"),
        ("train.py", "train.py"),
    ]


def test_files_of_the_directory_itself_need_no_items(folder: Path) -> None:
    assert volume(folder, "train.py") == {"name": config_map(folder, "train.py")["metadata"]["name"]}


LAUNCHES: tuple[dict[str, Any], ...] = (
    {"basic": {}},
    {"deepspeed": {}},
    {"deepspeed": {"transport": "ssh", "sshSecret": "key"}},
    {"ray": {}},
)


@pytest.mark.parametrize("backend", NAMES)
def test_every_system_creates_what_it_mounts(backend: str, folder: Path) -> None:
    outcomes = [compile_files(folder, "train.py", backend=backend, launch=launch) for launch in LAUNCHES]
    outcome = next(each for each in outcomes if each.ok)
    manifests = [manifest.data() for job in outcome.jobs for manifest in job.manifests()]
    names = [each["metadata"]["name"] for each in manifests if "train.py" in each.get("data", {})]
    assert len(names) == 1
    assert f"'configMap': {{'name': '{names[0]}'}}" in str(manifests)


def test_the_name_changes_with_the_content_the_path_and_the_mode(folder: Path) -> None:
    names = [config_map(folder, "train.py")["metadata"]["name"]]
    assert config_map(folder, "train.py")["metadata"]["name"] == names[0]
    (folder / "train.py").write_text("changed")
    names.append(config_map(folder, "train.py")["metadata"]["name"])
    (folder / "train.py").rename(folder / "main.py")
    names.append(config_map(folder, "main.py")["metadata"]["name"])
    (folder / "main.py").chmod(0o755)
    names.append(config_map(folder, "main.py")["metadata"]["name"])
    assert len(set(names)) == len(names)
    assert volume(folder, "main.py")["defaultMode"] == 0o755


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"a\0b", b"a\r\nb", "a\u2028b".encode(), b"\x1b[0m", b"\xef\xbb\xbfa"]
)
def test_what_yaml_cannot_show_is_binary_data(content: bytes, folder: Path) -> None:
    (folder / "data").write_bytes(content)
    manifest = config_map(folder, "data")
    assert base64.b64decode(manifest["binaryData"]["data"]) == content
    assert "data" not in manifest


@pytest.mark.parametrize(
    "content", ["", "\n", "a", "a\n\n\n", "  a\n b\n", "---\n...\n", "# x\n\ty: {{ z }}\n", "ä\U0001f600"]
)
def test_texts_are_kept_as_they_are(content: str, folder: Path) -> None:
    (folder / "text").write_text(content)
    assert config_map(folder, "text")["data"]["text"] == content


def test_paths_that_are_equal_as_keys_get_different_keys(folder: Path) -> None:
    for name in ("a/b", "a b", "a_b", "ä", "x" * 250 + "/y" * 3):
        (folder / "d" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "d" / name).write_text(name)
    items = volume(folder, "d/")["items"]
    data = config_map(folder, "d/")["data"]
    assert len({item["key"] for item in items}) == len(items) == 5
    assert all(len(item["key"]) <= 253 and data[item["key"]] == item["path"].removeprefix("d/") for item in items)


REFUSED = {
    "missing": ("missing.py", "cannot read `missing.py`: no such file or directory"),
    "hidden file": (".env", "hidden files are not read"),
    "file in a hidden folder": (".git/config", "hidden files are not read"),
    "link out": ("out", "the link `out` leads out of the directory of the job file"),
    "absolute link out": ("absolute", "leads out of the directory of the job file"),
    "folder with a link out": ("links", "the link `links/out` leads out of the directory of the job file"),
    "link to a folder outside": ("parent", "leads out of the directory of the job file"),
    "path through a link": ("parent/secret", "leads out of the directory of the job file"),
    "link to a hidden file": ("env", "the link `env` leads to a hidden file"),
    "folder with a link to a folder": ("folders", "`folders/conf` is a link to a directory"),
    "pipe": ("pipe", "`pipe` is not a regular file"),
    "empty folder": ("empty", "the directory contains no files"),
    "link to itself": ("loop", "cannot read `loop`"),
}


@pytest.mark.parametrize(("name", "message"), REFUSED.values(), ids=REFUSED)
def test_other_files_are_refused(name: str, message: str, folder: Path) -> None:
    for path in ("links", "folders", "empty", ".git"):
        (folder / path).mkdir()
    for path, target in (
        ("out", "../secret"),
        ("absolute", str(folder.parent / "secret")),
        ("links/out", "../../secret"),
        ("parent", ".."),
        ("env", ".env"),
        ("folders/conf", "../conf"),
        ("loop", "loop"),
    ):
        (folder / path).symlink_to(target)
    os.mkfifo(folder / "pipe")
    (folder / ".git" / "config").write_text("token")
    (diagnostic,) = compile_files(folder, "train.py", name).diagnostics
    assert diagnostic.code is codes.UNUSABLE_FILE
    assert message in diagnostic.message
    assert "outside" not in repr(diagnostic)


def test_a_link_inside_the_directory_is_followed(folder: Path) -> None:
    (folder / "latest.py").symlink_to("train.py")
    assert config_map(folder, "latest.py")["data"] == {"latest.py": "train.py"}


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret", "conf/../../secret", "..", ""])
def test_paths_out_of_the_directory_are_invalid(name: str, folder: Path) -> None:
    (diagnostic,) = compile_files(folder, name).diagnostics
    assert diagnostic.code.id.startswith("TC2")


@pytest.mark.parametrize("name", [STDIN, "<text>"])
def test_a_job_without_a_file_has_no_directory(name: str) -> None:
    text = job_text(volumes=[{"name": "code", "mountPath": "/code", "files": ["pyproject.toml"]}])
    (diagnostic,) = run([Source(name, text)], Target()).diagnostics
    assert diagnostic.code is codes.UNUSABLE_FILE


# https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/apis/core/validation/validation.go, and tests/cluster
@pytest.mark.parametrize(
    ("size", "expected"),
    [(200_000, []), (270_000, ["TC5018"]), (1_048_576, ["TC5018"]), (1_048_577, ["TC5017"]), (3_000_000, ["TC5017"])],
)
def test_the_limits_of_a_config_map_and_of_kubectl_apply(size: int, expected: list[str], folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "a").write_bytes(b"a" * (size // 2))
    (folder / "data" / "b").write_bytes(b"a" * (size - size // 2))
    assert [each.code.id for each in compile_files(folder, "data").diagnostics] == expected
