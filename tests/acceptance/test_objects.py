"""Other objects in job files: unchanged, in their place, or left out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.support.command import JOB, silent, succeed, trainc
from tests.support.files import write
from trainc.systems.registry import NAMES

ABOVE = """\
# a comment above
apiVersion: v1
kind: ConfigMap   # and one behind
metadata: {name: 'settings'}
data:
  "on": 'yes'
  octal: "0777"
  text: |+
    a

"""
BELOW = """\
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {password: &p "hunter2", again: *p}
"""
SERVICE = "apiVersion: v1\nkind: Service\nmetadata:\n  name: between\nspec: {clusterIP: None}\n"


@pytest.mark.parametrize("backend", [name for name in NAMES if name not in ("deepspeedjob", "mpijob", "rayjob")])
def test_objects_are_written_as_they_are_in_their_place(backend: str) -> None:
    second = JOB.replace("mnist", "cifar")
    done = trainc("compile", "-", "-b", backend, stdin="---\n".join([ABOVE, JOB, SERVICE, second, BELOW]))
    parts = [trainc("compile", "-", "-b", backend, stdin=job).out for job in (JOB, second)]
    assert done.code == 0, done.err
    assert done.out == "---\n".join([ABOVE, parts[0], SERVICE, parts[1], BELOW])


def test_each_file_of_a_folder_has_the_objects_above_its_job(tmp_path: Path) -> None:
    text = "---\n".join([ABOVE, JOB, SERVICE, JOB.replace("mnist", "cifar"), BELOW])
    assert trainc("compile", "-", "-o", f"{tmp_path}/", stdin=text).code == 0
    kinds = {
        path.stem: [document["kind"] for document in yaml.safe_load_all(path.read_text())]
        for path in tmp_path.iterdir()
    }
    assert kinds == {
        "mnist": ["ConfigMap", "Service", "Service", "Job"],
        "cifar": ["Service", "Service", "Service", "Job", "Secret"],
    }


@pytest.mark.parametrize(
    "document",
    [
        "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
        "%YAML 1.1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---x: y\n",
        "---\r\napiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: a}\r\n",
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 'x\u2028y'}\n",
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |",
    ],
)
def test_no_form_of_a_document_changes_the_others(document: str) -> None:
    text = f"{document.replace('%', '...' + chr(10) + '%') if document[0] == '%' else document}"
    done = succeed("compile", "-", stdin=f"{JOB}{text}")
    documents = list(yaml.safe_load_all(done.out))
    (expected,) = yaml.safe_load_all(document)
    assert documents[-1] == expected
    assert [each["kind"] for each in documents] == ["Service", "Service", "Job", "ConfigMap"]
    assert sum(line.startswith("---") for line in done.out.splitlines()) == 3


def test_the_schema_of_the_file_is_not_written_into_an_object() -> None:
    modeline = "# yaml-language-server: $schema=trainingjob.json\n"
    done = succeed("compile", "-", stdin=f"# mine\n{modeline}{ABOVE}---\n{JOB}---\n{modeline}{BELOW}{modeline}")
    assert done.out.startswith(f"# mine\n{ABOVE}---\n")
    assert done.out.endswith(f"---\n{BELOW}{modeline}")  # below the object it is no modeline


def test_jobs_only_leaves_other_objects_and_files_out(tmp_path: Path) -> None:
    job, other = tmp_path / "job.yaml", tmp_path / "other.yaml"
    job.write_text("---\n".join([ABOVE, JOB, BELOW]))
    other.write_text(SERVICE)
    done = trainc("compile", "--jobs-only", job, other)
    assert done.out == trainc("compile", "-", stdin=JOB).out
    assert (done.code, done.err) == (0, f"skipped 1 file without a job: {other}\n")
    for command in ("compile", "check", "plan"):
        assert trainc(command, job, other).code == 1
        assert trainc(command, "--jobs-only", job, other).code == 0


def test_an_import_reports_the_objects_that_it_drops() -> None:
    done = succeed("import", "-", stdin=f"{JOB}---\n{SERVICE}")
    assert "`Service/between` is not a training job, and is not carried over" in done.err


def test_a_misspelled_job_next_to_a_job_is_an_error() -> None:
    for kind in ("trainingjob", "TrainJob", "Job"):
        assert trainc("compile", "-", stdin=f"{JOB}---\n{JOB.replace('TrainingJob', kind)}").code == 1


def test_the_plan_shows_what_the_job_mounts_and_no_other_workload() -> None:
    job = f"{JOB}  volumes: [{{name: s, mountPath: /s, configMap: {{name: settings}}}}]\n"
    prepare = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: prepare}\nspec: {template: {spec: {containers: []}}}\n"
    text = "---\n".join([ABOVE, prepare, job])
    out = silent("plan", "-", stdin=text)
    assert "ConfigMap/settings" in out
    assert "prepare" not in out
    assert trainc("compile", "--verify", "-", stdin=text).code == 0


@pytest.mark.parametrize(
    ("modes", "workers", "severity"),
    [
        ("[ReadWriteOncePod]", 2, "error"),
        ("[ReadWriteOnce]", 2, "warning"),
        ("[ReadWriteOnce]", 1, ""),
        ("[ReadWriteOnce, ReadWriteMany]", 2, ""),
        ("[ReadOnlyMany]", 2, ""),
        ("[ReadWriteOnce]\n  # on one node\n", "2\n  scheduling: {nodeSelector: {kubernetes.io/hostname: a}}", ""),
    ],
)
def test_claims_in_the_file_must_be_mountable_by_all_workers(modes: str, workers: int | str, severity: str) -> None:
    spec = f"  accessModes: {modes}\n  resources: {{requests: {{storage: 1Gi}}}}\n"
    claim = f"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data}}\nspec:\n{spec}"
    volume = "  volumes: [{name: d, mountPath: /d, persistentVolumeClaim: {claimName: data}}]\n"
    done = trainc("check", "-", stdin=f"{claim}---\n{JOB.replace('workers: 2', f'workers: {workers}')}{volume}")
    assert (f"{severity}[TC3077]: claim `data`" in done.err) if severity else done.err == ""
    assert done.code == (severity == "error")


def test_keys_in_local_files_are_reported_and_not_printed(tmp_path: Path) -> None:
    key = "AKIA" + "IOSFODNN7" + "ABCDEFG"
    (tmp_path / "train.py").write_text(f'client("{key}")\n')
    (tmp_path / "job.yaml").write_text(f"{JOB}  volumes: [{{name: code, mountPath: /code, files: [train.py]}}]\n")
    done = trainc("check", tmp_path / "job.yaml")
    assert "warning[TC3087]: file `train.py` contains " in done.err
    assert key not in done.err


def test_the_plan_shows_the_files_of_a_config_map() -> None:
    done = trainc("plan", "examples/files.yaml")
    assert "(src/conf/optimizer.json, src/start.bin, src/train.py)" in " ".join(done.out.split())


@pytest.mark.parametrize("is_above", [True, False])
def test_the_plan_of_each_job_has_the_config_map_that_it_names(is_above: bool) -> None:
    volume = "  volumes: [{name: s, mountPath: /s, configMap: {name: settings}}]\n"
    jobs = [JOB + volume, JOB.replace("mnist", "cifar") + volume, JOB.replace("mnist", "other")]
    parts = [ABOVE, *jobs] if is_above else [*jobs, ABOVE]
    done = succeed("plan", "-", stdin="---\n".join(parts))
    volumes = [line.split(maxsplit=1)[1] for line in done.out.splitlines() if line.startswith("volumes ")]
    assert volumes == ["/s: ConfigMap settings (octal, on, text)"] * 2


def test_the_difference_of_a_secret_is_not_printed(tmp_path: Path) -> None:
    assert trainc("compile", "-", "-o", tmp_path, stdin=f"{JOB}---\n{BELOW}").code == 0
    for form in ((), ("-f", "json")):
        trainc("compile", "-", "-o", tmp_path, *form, stdin=f"{JOB}---\n{BELOW}")
        done = trainc("compile", "--check", "-", "-o", tmp_path, *form, stdin=f"{JOB}---\n{BELOW.replace('r2', 'r3')}")
        assert done.code == 1
        assert "contains a Secret: the difference is not shown" in done.err
        assert "hunter" not in done.out + done.err


def test_a_manifest_that_begins_with_another_object_is_known(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "jobs" / f"{name}.yaml").write_text(
            f"{ABOVE.replace('settings', name)}---\n{JOB.replace('mnist', name)}"
        )
    assert trainc("compile", tmp_path / "jobs", "-o", f"{tmp_path}/out/").code == 0
    (tmp_path / "jobs" / "a.yaml").unlink()
    assert "a.yaml is left over" in trainc("compile", tmp_path / "jobs", "-o", f"{tmp_path}/out/", "--check").err


def test_a_value_of_a_secret_does_not_hide_the_name_of_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "hunter2.yaml", f"{JOB.replace('workers: 2', 'workers: two')}---\n{BELOW}")
    assert trainc("check", file, "--message-format", "concise").err.startswith(f"{file}:11:12: TC2004 ")
