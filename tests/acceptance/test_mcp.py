"""`trainc mcp` with the client of the protocol's own SDK: tools, their outputs and their limits."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the package mcp is not installed: pip install 'trainc[mcp]'")

from mcp import Client, StdioServerParameters

from tests.support.files import write, write_project
from tests.support.own_checks import add_check_that_writes
from trainc.mcp.calls import MAX_INPUT, MAX_OUTPUT

ROOT = Path(__file__).parents[2]
JOB = (ROOT / "examples/torchrun.yaml").read_text()
BAD = JOB.replace("nprocPerNode: 8", "nprocPerNode: 9")  # of 8 GPUs
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"  # a GitHub token's form


def in_session(steps: Callable[[Client], Awaitable[Any]], *arguments: str, cwd: Path | None = None) -> Any:
    """Run steps with a server that is a process of its own, as an agent starts it."""

    async def run() -> Any:
        python = [sys.executable, "-m", "trainc", "mcp", *arguments]
        environment = {"PYTHONPATH": str(ROOT / "compiler"), "PATH": os.environ["PATH"]}
        parameters = StdioServerParameters(command=python[0], args=python[1:], env=environment, cwd=cwd)
        async with Client(parameters, read_timeout_seconds=60) as client:
            return await steps(client)

    return asyncio.run(run())


def call(tool: str, *arguments: str, cwd: Path | None = None, **values: Any) -> dict[str, Any]:
    """Return the result of one tool."""

    async def steps(client: Client) -> dict[str, Any]:
        result = await client.call_tool(tool, values)
        if result.is_error:
            return {"error": str(result.content)}
        return dict(result.structured_content or {})

    return dict(in_session(steps, *arguments, cwd=cwd))


def command_line(*arguments: str, stdin: str) -> str:
    python = [sys.executable, "-m", "trainc", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    return subprocess.run(python, input=stdin, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_the_tools_are_listed_as_reading_only() -> None:
    async def steps(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = in_session(steps)
    assert {tool.name for tool in tools} == {"check", "compile", "plan", "diff", "import", "explain"}
    assert all(tool.annotations.read_only_hint and not tool.annotations.open_world_hint for tool in tools)
    assert all(tool.description for tool in tools)


@pytest.mark.slow
def test_compile_gives_the_bytes_of_the_command_line() -> None:
    result = call("compile", job=JOB, backend="jobset", sets=["spec.workers=2"])
    assert result["output"] == command_line("compile", "-", "-b", "jobset", "--set", "spec.workers=2", stdin=JOB)
    assert result["exit_code"] == 0


@pytest.mark.slow
def test_check_names_the_code_and_explain_has_its_page() -> None:
    result = call("check", job=BAD)
    assert result["exit_code"] == 1
    assert "job.yaml:" in result["messages"]
    code = result["messages"].split("[")[1].split("]")[0]
    assert code.startswith("TC")
    assert call("explain", subject=code)["output"].startswith(code)


@pytest.mark.slow
def test_plan_diff_and_import() -> None:
    assert "world size 32" in " ".join(call("plan", job=JOB)["output"].split())
    assert "re-create  Job/mnist" in call("diff", old=JOB, new=JOB.replace("workers: 4", "workers: 2"))["output"]
    script = "torchrun --nnodes=2 --nproc_per_node=8 train.py"
    assert "workers: 2" in call("import", script=script, sets=["spec.image=train:1.0"])["output"]


@pytest.mark.slow
def test_files_are_read_below_the_roots_only(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside.yaml"
    root.mkdir()
    (root / "job.yaml").write_text(JOB)
    outside.write_text(JOB)
    (root / "link.yaml").symlink_to(outside)
    assert call("check", "--root", str(root), paths=["job.yaml"])["exit_code"] == 0
    assert call("check", "--root", "root", paths=["root/job.yaml"], cwd=tmp_path)["exit_code"] == 0
    assert "no file" in call("check", "--root", "root", paths=["outside.yaml"], cwd=tmp_path)["error"]
    for path in (str(outside), "../outside.yaml", "link.yaml", "/etc/passwd", "missing.yaml", "\0"):
        assert "no file" in call("check", "--root", str(root), paths=[path])["error"]
    assert "--root" in call("check", paths=[str(outside)])["error"]
    assert "link.yaml is not a file below" in call("check", "--root", str(root), paths=["."])["error"]
    (root / "link.yaml").unlink()
    assert call("check", "--root", str(root), paths=["."])["exit_code"] == 0
    os.mkfifo(root / "pipe.yaml")
    assert "pipe.yaml is not a file below" in call("check", "--root", str(root), paths=["."])["error"]


@pytest.mark.slow
def test_a_server_with_roots_takes_texts_too(tmp_path: Path) -> None:
    write_project("backend: jobset\n", tmp_path)
    assert "kind: JobSet" not in call("compile", "--root", str(tmp_path), job=JOB, cwd=tmp_path)["output"]
    assert call("diff", "--root", str(tmp_path), old=JOB, new=JOB)["exit_code"] == 0


@pytest.mark.slow
def test_a_project_file_counts_below_the_roots_only(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root / "jobs" / "job.yaml", JOB)
    write_project("backend: jobset\n", tmp_path)
    assert "kind: JobSet" not in call("compile", "--root", str(root), paths=["jobs/job.yaml"])["output"]
    write_project("backend: jobset\n", root)
    assert "kind: JobSet" in call("compile", "--root", str(root), paths=["jobs/job.yaml"])["output"]


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["check", "compile", "plan"])
def test_no_code_of_a_project_runs(tmp_path: Path, tool: str) -> None:
    mark = add_check_that_writes(tmp_path)
    (tmp_path / "job.yaml").write_text(JOB)
    assert call(tool, "--root", str(tmp_path), paths=["job.yaml"], cwd=tmp_path)["exit_code"] == 0
    assert not mark.exists()


@pytest.mark.slow
def test_a_text_refers_to_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("content of a file")
    volumes = f"  volumes: [{{name: f, mountPath: /f, files: [secret.txt, {tmp_path}/secret.txt, ../secret.txt]}}]\n"
    result = call("compile", job=JOB + volumes)
    assert result["exit_code"] == 1
    assert "content of a file" not in str(result)


@pytest.mark.slow
def test_secrets_are_masked_and_sizes_are_bounded() -> None:
    result = call("compile", job=JOB + f"  env: {{NOTE: {SECRET}}}\n")
    assert SECRET not in str(result)
    assert result["masked"]
    assert "at most" in call("check", job="#" * (MAX_INPUT + 1))["error"]
    many = call("compile", job=JOB, backend="pods", sets=["spec.workers=400"])
    assert many["truncated"]
    assert len(many["output"]) == MAX_OUTPUT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "values"),
    [
        ("check", {}),
        ("check", {"job": JOB, "paths": ["a"]}),
        ("explain", {"subject": "--manifest=/etc/passwd:1"}),
        ("import", {}),
    ],
)
def test_a_call_that_means_nothing_is_refused(tool: str, values: dict[str, Any]) -> None:
    assert call(tool, **values)["error"]


@pytest.mark.slow
def test_a_value_is_no_other_option(tmp_path: Path) -> None:
    target = tmp_path / "written.yaml"
    for values in (
        {"backend": f"job --output={target}"},
        {"backend": f"--output={target}"},
        {"sets": [f"-o={target}"]},
    ):
        assert call("compile", job=JOB, **values)["exit_code"] in (1, 2)
    assert not target.exists()


def test_without_the_package_the_message_says_how_to_install_it() -> None:
    code = "import sys; sys.modules['mcp'] = None; from trainc.__main__ import main; sys.argv[1:] = ['mcp']; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    message = "error: trainc mcp requires the package mcp: pip install 'trainc[mcp]'\n"
    assert (done.returncode, done.stderr) == (2, message)
