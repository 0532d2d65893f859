"""COUNT POD RANK_VARIABLE LOCAL_RANK_VARIABLE RANK_ARGUMENT LOCAL_RANK_ARGUMENT PROGRAM...

Run the program COUNT times, each with its ranks in the variables and arguments; '' omits an argument. The first
failure terminates the other processes, and its exit code is the container's. Signals are forwarded to all.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

count, pod, rank_variable, local_variable, rank_argument, local_argument, *command = sys.argv[1:]
processes: list[subprocess.Popen[bytes]] = []
running: set[int] = set()
told: list[int] = []
code = 0


def tell(number: int, _: object = None) -> None:
    told.append(number)
    for pid in list(running):
        send(pid, number)


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def start(local: int) -> None:
    rank = int(pod) * int(count) + local
    named = ((rank_argument, rank), (local_argument, local))
    words = [word for name, value in named if name for word in (name, str(value))]
    before = len(told)
    ranks = {rank_variable: str(rank), local_variable: str(local)}
    process = subprocess.Popen([*command, *words], env={**os.environ, **ranks})
    processes.append(process)
    running.add(process.pid)
    for number in told[before:]:
        send(process.pid, number)


for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, tell)
signal.signal(signal.SIGALRM, lambda *_: tell(signal.SIGKILL))
for local in range(int(count)):
    if told:
        code = 128 + told[0]
        break
    try:
        start(local)
    except OSError as problem:
        print(f"{command[0]}: {problem.strerror}", file=sys.stderr, flush=True)
        sys.exit(127)
while running:
    ended, status = os.wait()
    if ended in running:
        running.remove(ended)
        its = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        if its and not code:
            code = its
            tell(signal.SIGTERM)
            signal.alarm(30)
sys.exit(code)
