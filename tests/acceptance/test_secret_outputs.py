"""Only manifests contain the secrets of a job: every command in every format."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command import succeed, trainc

# Each secret contains SECRET, followed by the number that identifies it in a failure.
JOB = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: leak}
spec:
  image: train:1
  launch: {basic: {}}
  run:
    exec:
    - sh
    - -c
    - |
      export HF_TOKEN=SECRET01 && curl -H 'Authorization: Bearer SECRET02' https://me:SECRET03@example.com
      mysql -p SECRET04; echo '{"password": "SECRET05"}'
      python train.py --password SECRET06 -p SECRET07 --header='Authorization: token SECRET08'
  workers: 2
  env:
    PGPASSWORD: SECRET11
    MY_PASS: SECRET12
    OPENAI_KEY: SECRET13
    GITHUB_PAT: SECRET14
    SSH_KEY: SECRET15
    TOKEN: SECRET16
    URL: https://me:SECRET17@example.com
    CONF: '{"api_key": "SECRET18"}'
    DB_PASSWORD: &password SECRET19
    COPY: *password
    REFERENCE: user:$(DB_PASSWORD)
    TLS_PASSPHRASE: SECRET31 with "quotes" and 'more' SECRET32
    DEPLOY_KEY: |
      SECRET33 of several lines
      SECRET34
  podTemplate:
    spec:
      initContainers:
      - name: fetch
        image: alpine:3
        command: [sh, -c, wget --password=SECRET21 x]
        env: [{name: DB_PASSWORD, value: SECRET22}]
      containers:
      - name: side
        image: alpine:3
        args: [--api-key, SECRET23]
        env: [{name: A_TOKEN, value: SECRET24}]
        livenessProbe: {exec: {command: [sh, -c, curl -u me:SECRET25 localhost]}}
"""
NUMBER = 26
MESSAGE_FORMATS = ("full", "concise", "json", "sarif", "github", "junit")


def secrets_of(text: str) -> set[str]:
    return set(re.findall(r"SECRET\d\d", text))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the job, a job that the schema rejects, manifests of two systems, and some that are out of date."""
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "rejected.yaml").write_text(JOB.replace("workers: 2", "workers: two"))
    (tmp_path / "no-yaml.yaml").write_text(JOB + "[")
    for backend in ("job", "pytorchjob"):
        manifests = trainc("compile", tmp_path / "job.yaml", "--backend", backend).out
        assert len(secrets_of(manifests)) == NUMBER  # the manifests need them
        (tmp_path / f"manifests-{backend}.yaml").write_text(manifests)
    manifests = (tmp_path / "manifests-job.yaml").read_text()
    (tmp_path / "stale.yaml").write_text(manifests.replace("SECRET11", "SECRET99").replace("SECRET01", "SECRET98"))
    return tmp_path


@pytest.mark.parametrize("form", MESSAGE_FORMATS)
@pytest.mark.parametrize("file", ["job.yaml", "rejected.yaml", "no-yaml.yaml", "manifests-pytorchjob.yaml"])
def test_diagnostics_contain_no_secret(folder: Path, file: str, form: str) -> None:
    done = trainc("check", folder / file, "--message-format", form)
    assert secrets_of(done.out + done.err) == set()


@pytest.mark.parametrize("form", ["text", "json", "markdown", "mermaid"])
@pytest.mark.parametrize("file", ["job.yaml", "manifests-job.yaml", "manifests-pytorchjob.yaml"])
def test_plans_contain_no_secret(folder: Path, file: str, form: str) -> None:
    option = ["--manifests"] if "manifests" in file else []
    done = succeed("plan", *option, folder / file, "--format", form)
    assert "leak" in done.out
    assert secrets_of(done.out + done.err) == set()


@pytest.mark.parametrize("name", ["plan.html", "plan.svg"])
def test_plan_files_contain_no_secret(folder: Path, name: str) -> None:
    done = succeed("plan", folder / "job.yaml", "-o", folder / name)
    assert secrets_of((folder / name).read_text() + done.err) == set()


@pytest.mark.parametrize(
    "options",
    [
        ("--verify", "-o", "/dev/null"),
        ("--summary", "-o", "/dev/null"),
        ("--set", "spec.env.MY_PASS=SECRET41", "--set", "spec.workers=two"),
        ("--check", "-o", "stale.yaml"),
        ("--check", "-o", "missing.yaml"),
    ],
)
def test_messages_of_compile_contain_no_secret(
    folder: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = trainc("compile", "job.yaml", *options)
    assert secrets_of(done.out + done.err) == set()
    if "stale.yaml" in options:
        assert len(re.findall("^[+-] .*‹hidden›", done.out, flags=re.MULTILINE)) == 4


def test_messages_of_import_contain_no_secret(folder: Path) -> None:
    done = succeed("import", folder / "manifests-pytorchjob.yaml", "-o", folder / "imported.yaml")
    assert secrets_of(done.out + done.err) == set()
    assert secrets_of((folder / "imported.yaml").read_text())
