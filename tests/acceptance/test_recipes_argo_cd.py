"""docs/recipes/argo-cd.md as it stands: its plug-in, run as Argo CD's cmp server runs it, and its patch by kubectl.

https://github.com/argoproj/argo-cd/blob/v3.1.0/cmpserver/plugin/plugin.go
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import recipes
from tests.support.command import INVALID_JOB, JOB, trainc
from tests.support.files import write

FILES = recipes.blocks("argo-cd")
PLUGIN = yaml.safe_load(FILES["plugin.yaml"])
PAGE_JOB = FILES["jobs/mnist.yaml"]


def run_command(command: dict[str, Any], folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command as `runCommand`: no shell, the application's directory, without the last line break."""
    done = recipes.run([*command["command"], *command.get("args", [])], folder, **env)
    done.stdout = done.stdout.removesuffix("\n")
    return done


def environ(parameters: list[dict[str, Any]]) -> dict[str, str]:
    """Return the variables of parameters, as `ApplicationSourcePluginParameters.Environ`, and of the application."""
    variables = {"ARGOCD_APP_NAME": "training", "ARGOCD_APP_NAMESPACE": "research", "ARGOCD_APP_PARAMETERS": "[]"}
    for parameter in parameters:
        name = "PARAM_" + re.sub("[^A-Z0-9_]", "_", parameter["name"].upper())
        variables |= {name: parameter["string"]} if "string" in parameter else {}
        variables |= {f"{name}_{index}": value for index, value in enumerate(parameter.get("array", []))}
    return variables


@pytest.fixture
def application(tmp_path: Path) -> Path:
    write(tmp_path / "jobs" / "mnist.yaml", PAGE_JOB)
    (tmp_path / "values.yaml").write_text("a: 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "is_supported"),
    [
        (JOB, True),
        (JOB.replace("\n", "\r\n"), True),
        ("apiVersion: v1\nkind: ConfigMap\n", False),
        (JOB.replace("trainc.dev/v1alpha1", "sagemaker.services.k8s.aws/v1alpha1"), False),
        (JOB.replace("kind: TrainingJob", "kind: TrainingJobTransformer"), False),
    ],
)
def test_discover_finds_applications_with_jobs(text: str, is_supported: bool, tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "a file.yaml").write_text(text, newline="")
    done = run_command(PLUGIN["spec"]["discover"]["find"], tmp_path, environ([]))
    assert (done.returncode, done.stdout != "", done.stderr) == (0, is_supported, "")


def test_generate_prints_the_manifests(application: Path) -> None:
    parameters: list[dict[str, Any]]
    for parameters in ([], yaml.safe_load(FILES["application.yaml"])["spec"]["source"]["plugin"]["parameters"]):
        done = run_command(PLUGIN["spec"]["generate"], application, environ(parameters))
        options = ["--backend", "jobset", "--set", "spec.workers=8"] if parameters else []
        expected = trainc("compile", application / "jobs", *options).out
        assert (done.returncode, [*yaml.safe_load_all(done.stdout)]) == (0, [*yaml.safe_load_all(expected)])


def test_parameters_are_no_shell(application: Path) -> None:
    values = ["spec.env.A='b; touch x $(touch y)'", 'spec.env.B="`touch z` *"']
    done = run_command(PLUGIN["spec"]["generate"], application, environ([{"name": "set", "array": values}]))
    assert done.returncode == 0, done.stderr
    job = recipes.objects(done.stdout)["Job", "mnist"]
    variables = job["spec"]["template"]["spec"]["containers"][0]["env"]
    assert {"name": "A", "value": "b; touch x $(touch y)"} in variables
    assert {"name": "B", "value": "`touch z` *"} in variables
    assert sorted(each.name for each in application.iterdir()) == ["jobs", "values.yaml"]


def test_errors_end_generate(application: Path) -> None:
    """Argo CD prunes all objects of an application whose plug-in prints nothing and succeeds."""
    (application / "jobs" / "mnist.yaml").write_text(INVALID_JOB)
    done = run_command(PLUGIN["spec"]["generate"], application, environ([]))
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[TC2004]" in done.stderr
    (application / "jobs" / "mnist.yaml").unlink()
    done = run_command(PLUGIN["spec"]["generate"], application, environ([]))
    assert (done.returncode, done.stdout) == (1, "")


def test_the_job_is_checked_for_argo_cd() -> None:
    assert trainc("check", "-", stdin=PAGE_JOB) == (0, "", "")
    done = trainc("check", "-", stdin=f"{PAGE_JOB}  lifecycle: {{ttlSecondsAfterFinished: 60}}\n")
    assert "warning[TC4018]: Argo CD reports the deleted Job as OutOfSync" in done.err


def test_kubectl_applies_the_patch(tmp_path: Path) -> None:
    recipes.write("argo-cd", tmp_path)
    container = {"name": "argocd-repo-server", "image": "argocd:1", "volumeMounts": []}
    volumes: list[dict[str, Any]] = [{"name": name, "emptyDir": {}} for name in ("var-files", "plugins")]
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container], "volumes": volumes}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "argocd-repo-server"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": pod},
    }
    (tmp_path / "deployment.yaml").write_text(yaml.safe_dump(deployment))
    options = "--local -f deployment.yaml --patch-file repo-server.yaml -o yaml"
    done = recipes.run(f"kubectl patch {options}", tmp_path, recipes.kubectl())
    assert done.returncode == 0, done.stderr
    spec = yaml.safe_load(done.stdout)["spec"]["template"]["spec"]
    assert sorted(each["name"] for each in spec["containers"]) == ["argocd-repo-server", "trainc"]
    mounted = {each["name"] for container in spec["containers"] for each in container.get("volumeMounts", [])}
    assert mounted <= {each["name"] for each in spec["volumes"]}
