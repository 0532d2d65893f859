"""The guides docs/adding-*.md, followed in a copy of the checkout: a field, an option, a check and a launcher."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import JOB
from tests.support.files import write

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("compiler", "schemas", "templates", "tools", "docs", "tests/plugins")
CACHES = shutil.ignore_patterns("__pycache__", "compiled_*", "*.egg-info")
POD = {
    "restartPolicy": "Never",
    "containers": [
        {
            "name": "pytorch",
            "image": "train:1",
            "command": ["torchrun", "train.py"],
            "terminationMessagePath": "/dev/end",
        }
    ],
}
NATIVE = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": POD}}}
OPERATED = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "a"},
    "spec": {"pytorchReplicaSpecs": {"Worker": {"template": {"spec": POD}}}},
}


class Checkout:
    """Copy of the checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in COPIED:
            shutil.copytree(ROOT / name, root / name, ignore=CACHES)

    def insert(self, path: str, anchor: str, text: str) -> None:
        """Insert a text before the first occurrence of another."""
        file = self.root / path
        content = file.read_text("utf-8")
        assert anchor in content, f"{path} lacks {anchor}"
        file.write_text(content.replace(anchor, text + anchor, 1), "utf-8")

    def write(self, path: str, text: str) -> None:
        """Write a new file."""
        write(self.root / path, text)

    def python(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run Python with the copy's modules."""
        environment = {**os.environ, "PYTHONPATH": f"{self.root / 'compiler'}:{self.root}"}
        command = [sys.executable, "-P", *arguments]
        return subprocess.run(
            command, cwd=self.root, env=environment, input=stdin, capture_output=True, text=True, check=False
        )

    def trainc(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run the copy's trainc."""
        return self.python("-m", "trainc", *arguments, stdin=stdin)

    def codes(self, job: str, *arguments: str) -> list[str]:
        """Return the codes of the diagnostics of a job."""
        done = self.trainc("check", "-", "--message-format", "json", *arguments, stdin=job)
        return [each["code"] for each in json.loads(done.stdout)]

    def container(self, job: str, *arguments: str) -> dict[str, Any]:
        """Return the training container of a compiled job."""
        done = self.trainc("compile", "-", *arguments, stdin=job)
        assert done.returncode == 0, done.stderr
        (workers,) = (each for each in yaml.safe_load_all(done.stdout) if each["kind"] == "Job")
        (container,) = workers["spec"]["template"]["spec"]["containers"]
        assert isinstance(container, dict)
        return container


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.slow
def test_a_field(checkout: Checkout) -> None:
    checkout.insert(
        "schemas/trainingjob.json",
        '        "workingDir": {',
        """\
        "terminationMessagePath": {
          "type": "string",
          "description": "File of the container's last message, which Kubernetes adds to the status of the pod.",
          "examples": ["/dev/end"]
        },
""",
    )
    checkout.insert(
        "compiler/trainc/spec/job.py", "    working_dir: str | None", "    termination_message_path: str | None\n"
    )
    checkout.insert(
        "compiler/trainc/ir/pod.py", "    working_dir: str | None", "    termination_message_path: str | None\n"
    )
    checkout.insert(
        "compiler/trainc/lower/job.py",
        "        working_dir=job.working_dir,",
        "        termination_message_path=job.termination_message_path,\n",
    )
    checkout.insert(
        "compiler/trainc/systems/shared/objects/pod.py",
        '                "workingDir": plan.working_dir,',
        '                "terminationMessagePath": plan.termination_message_path,\n',
    )
    checkout.insert(
        "compiler/trainc/systems/shared/reader/pod.py",
        '        "workingDir": main.consume("workingDir"),',
        '        "terminationMessagePath": main.consume("terminationMessagePath"),\n',
    )
    checkout.insert("compiler/trainc/foreign/field_names.py", '"workingDir", ', '"terminationMessagePath", ')
    job = JOB.replace("  workers:", "  terminationMessagePath: /dev/end\n  workers:")
    assert checkout.container(job)["terminationMessagePath"] == "/dev/end"
    for foreign in (NATIVE, OPERATED):
        imported = checkout.trainc("import", "-", stdin=json.dumps(foreign))
        assert yaml.safe_load(imported.stdout)["spec"]["terminationMessagePath"] == "/dev/end", imported.stderr
    # A runtime of the cluster decides its containers' fields: the new one doesn't vanish without a word.
    on_a_runtime = job.replace("  workers:", "  scheduling: {runtime: torch-distributed}\n  workers:")
    assert "TC4001" in checkout.codes(on_a_runtime, "--backend", "trainjob")
    assert "/dev/end" in checkout.trainc("explain", "spec.terminationMessagePath").stdout


@pytest.mark.slow
def test_an_option(checkout: Checkout) -> None:
    checkout.insert(
        "compiler/trainc/launchers/torchrun/options.py",
        '    _own("log_dir"',
        '    _own("heartbeat", "count", since="2.9", examples=(5,)),\n',
    )
    checkout.insert(
        "compiler/trainc/launchers/torchrun/options.py",
        '    "logDir":',
        '    "heartbeat": "Seconds between two heartbeats.",\n',
    )
    generated = checkout.python("-m", "tools.launcher_schema")
    assert generated.returncode == 0, generated.stderr
    job = JOB.replace("torchrun: {}", "torchrun: {heartbeat: 5}")
    assert {"name": "PET_HEARTBEAT", "value": "5"} in checkout.container(job)["env"]
    assert "TC3021" not in checkout.codes(job)
    assert "TC3021" in checkout.codes(job.replace("train:1", "pytorch/pytorch:2.8.0-cuda12.9-cudnn9-runtime"))
    imported = checkout.trainc(
        "import", "command", "--set", "spec.image=train:1", "--", "torchrun", "--heartbeat=5", "train.py"
    )
    assert yaml.safe_load(imported.stdout)["spec"]["launch"] == {"torchrun": {"heartbeat": 5}}, imported.stderr
    assert "2.9 or newer" in checkout.trainc("explain", "spec.launch.torchrun.heartbeat").stdout


def test_a_check(checkout: Checkout) -> None:
    checkout.insert(
        "compiler/trainc/diagnostics/codes.py", "TORCHRUN_MISSING", 'TOO_WIDE = Code("TC3149", "too-wide")\n'
    )
    checkout.write("compiler/trainc/checks/scheduling/too_wide.py", RULE)
    checkout.write("docs/errors/TC3149.md", PAGE)
    job = JOB.replace("workers: 2", "workers: 4096")
    assert "TC3149" not in checkout.codes(JOB)
    assert "TC3149" in checkout.codes(job)
    assert "TC3149" not in checkout.codes(job, "--ignore", "too-wide")
    assert "one switch" in checkout.trainc("explain", "TC3149").stdout


RULE = """\
from trainc.checks.rule import Diagnostics, RuleContext, codes, warning

TRIGGERS = ("workers",)


def check(context: RuleContext) -> Diagnostics:
    if context.job.replicas.maximum > 1024:
        yield warning(codes.TOO_WIDE, "more workers than ports", context.spec.where("workers"), help="use 1024")
"""
PAGE = """\
# TC3149 too-wide: more workers than ports

The workers don't fit on one switch.

## Wrong

```yaml
workers: 4096
```

## Right

```yaml
workers: 1024
```

## Source

- arithmetic
"""


@pytest.mark.slow
def test_a_launcher(checkout: Checkout) -> None:
    source = checkout.root / "tests" / "plugins" / "toylauncher"
    package = checkout.root / "compiler" / "trainc" / "launchers" / "toyrun"
    shutil.copytree(source, package)
    for module in package.glob("*.py"):
        module.write_text(module.read_text("utf-8").replace("tests.plugins.toylauncher", "trainc.launchers.toyrun"))
    registry = "compiler/trainc/launchers/registry.py"
    checkout.insert(registry, '"ray")\n# Launchers that trainc starts with', '"toyrun", ')
    checkout.insert(registry, '    "mpirun": "mpirun",', '    "toyrun": "toyrun",\n')
    checkout.insert(registry, '"mpiexec", "orterun")', '"toyrun", ')
    checkout.insert(
        "schemas/trainingjob.json", '"mpirun": {"$ref"', '"toyrun": {"$ref": "#/definitions/Toyrun"},\n        '
    )
    checkout.insert("schemas/trainingjob.json", '    "Torchrun": {', '    "Toyrun": {},\n')
    generated = checkout.python("-m", "tools.launcher_schema")
    assert generated.returncode == 0, generated.stderr
    job = JOB.replace("torchrun: {}", "toyrun: {slots: 2}")
    assert checkout.container(job)["command"] == ["toyrun"]
    imported = checkout.trainc(
        "import", "command", "--set", "spec.image=train:1", "--", "toyrun", "--slots=2", "train.py"
    )
    assert yaml.safe_load(imported.stdout)["spec"]["launch"] == {"toyrun": {"slots": 2}}, imported.stderr
    plan = checkout.trainc("plan", "-", "--format", "json", stdin=job)
    assert '"launcher": "toyrun"' in plan.stdout, plan.stderr
    assert "slots" in checkout.trainc("explain", "spec.launch.toyrun").stdout
