"""One process of the training: the job's program with exactly the job's words.

DeepSpeed starts this by a remote shell, which would read words with blanks, quotes or dollars in its own way; this
has none. The words are the container's arguments, which start.py has left in pod.json.
"""

from __future__ import annotations

import json
import os
import sys

STATE = "/run/trainc/ssh"


def main() -> None:
    with open(STATE + "/pod.json") as file:
        pod = json.load(file)
    (first, *rest), given = pod["words"], sys.argv[1:]  # --local_rank=N, unless it is turned off
    start: list[str] = {"python": [sys.executable, "-u"], "module": [sys.executable, "-u", "-m"], "exec": []}[
        pod["kind"]
    ]
    command = [*start, first, *given, *rest]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
