"""Run the attacks and the jobs whose paths lead out of their pods, as the user of this process.

    python3 -P -m tests.rehearsal.escapes.rehearse CANARY PROGRAMS ARTIFACTS HOST_PID PORT

Prints JSON: the result of each attack, and the output of each job.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

from tests.rehearsal.escapes.manifests import CASES
from tests.rehearsal.run import Run, job
from trainc.plan.fields import Object
from trainc.rehearse import session
from trainc.rehearse.events import Program, RehearsalError

_ATTACKS = Path(__file__).with_name("attacks.py")
_STATUS = "cat /proc/self/status > /v/status"


def main() -> None:
    """Run all of them."""
    canary, programs, artifacts, *arguments = sys.argv[1:]
    attacks = Program(file=Path(programs) / "attacks.py")
    # Pods with invalid paths are accepted here: the isolation must not depend on this check.
    with patch("trainc.rehearse.session.refuse_invalid_pods"), ThreadPoolExecutor(2) as pool:
        jobs = {name: pool.submit(_run, name, make(canary), Path(artifacts), programs) for name, make in CASES.items()}
        lines = _lines(_attacker(canary, *arguments), program=attacks)
        probe = _lines(_prober())
    results = dict(json.loads(line) for line in lines if line.startswith("["))
    outputs = {name: output.result() for name, output in jobs.items()}
    print(json.dumps({"attacks": results, "unparsed": lines, "jobs": outputs, "probe": probe}))


def _attacker(*arguments: str) -> list[Object]:
    mounts = [{"name": "v", "mountPath": "/v"}]
    main = {"command": ["python3", "-u", "train.py", *arguments], "volumeMounts": mounts}
    return job(main=main, pod={"volumes": [{"name": "v", "emptyDir": {}}]})


def _prober() -> list[Object]:
    """Return a job whose readiness probe reports its own privileges."""
    mounts = [{"name": "v", "mountPath": "/v"}]
    probe = {"exec": {"command": ["sh", "-c", _STATUS]}, "periodSeconds": 1}
    script = "until [ -s /v/status ]; do sleep 0.1; done; sleep 0.1; cat /v/status"
    return job(
        script, main={"volumeMounts": mounts, "readinessProbe": probe}, pod={"volumes": [{"name": "v", "emptyDir": {}}]}
    )


def _run(name: str, objects: list[Object], artifacts: Path, programs: str) -> list[str]:
    program = Program(file=Path(programs) / "linked.py") if name.startswith("program") else None
    return _lines(objects, artifacts=artifacts, program=program)


def _lines(objects: list[Object], program: Program | None = None, artifacts: Path | None = None) -> list[str]:
    try:
        with session.Session(objects, program=program, artifacts=artifacts) as running:
            run = Run(running)
            running.start()
            run.wait_until(lambda event: event.kind in ("job-complete", "job-failed"))
            run.events += running.events(0.1)
    except RehearsalError as problem:
        return [f"refused: {problem}"]
    return [event.text for event in run.events if event.kind in ("line", "note")]


if __name__ == "__main__":
    main()
