"""Script for pyodide.mjs: compile all goldens, check the faulty jobs, write a file; return JSON."""

import io
import json
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.path.insert(0, "/site")

ROOT = Path("/repository")
start = time.perf_counter()
import trainc  # noqa: E402  # after the path is set
from trainc.cli.guard import guarded  # noqa: E402

texts = {}
seconds = []
for golden in sorted(ROOT.glob("golden/*/*.yaml")):
    file = ROOT / "examples" / f"{golden.parent.name}.yaml"
    result = trainc.compile(file.read_bytes(), backend=golden.stem, filename=str(file))
    texts[f"{golden.parent.name}/{golden.stem}"] = result.to_yaml()
    seconds.append(time.perf_counter() - start)


def run(*arguments: str) -> tuple[int, str, str]:
    """Run a command line and return its exit code and output."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = guarded(list(arguments))
        out.flush()
        err.flush()
    return code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()


example = str(ROOT / "examples" / "torchrun.yaml")
faulty = {
    file.name: run("check", "--message-format", "json", str(file))[1:]
    for file in sorted(ROOT.glob("tests/acceptance/bad/*.yaml"))
}
written = [run("compile", example, "-o", "/tmp/job.yaml"), Path("/tmp/job.yaml").read_text("utf-8")]
commands = {name: run(name, example) for name in ("check", "plan", "rehearse")}
json.dumps({"texts": texts, "seconds": seconds, "faulty": faulty, "written": written, "commands": commands})
