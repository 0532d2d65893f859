"""One training process: the job's program with exactly the job's arguments.

DeepSpeed starts this script through a remote shell, which would split and expand arguments with spaces, quotes or
dollar signs. The arguments therefore come from pod.json, where start.py has stored the container's.
"""

from __future__ import annotations

import json
import os
import sys

STATE = "/run/trainc/ssh"


def main() -> None:
    with open(STATE + "/pod.json") as file:
        pod = json.load(file)
    (first, *rest), given = pod["words"], sys.argv[1:]  # --local_rank=N, unless disabled
    start: list[str] = {"python": [sys.executable, "-u"], "module": [sys.executable, "-u", "-m"], "exec": []}[
        pod["kind"]
    ]
    command = [*start, first, *given, *rest]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
