"""First process of every pod of a Ray job: worker 0 starts the cluster and runs the program, the others join.

    RANK ADDRESS NNODES SECONDS PORT OPTION... --head OPTION... --address=HOST:PORT OPTION... -- WORD...

ADDRESS is the pod's own. The first options of `ray start` are those of all nodes. The program starts once NNODES nodes
have joined, the first number of `2:4`. The others keep a connection to PORT of worker 0, which sends the program's exit
code, with which they end, too. A connection that closes without a code means that worker 0 is lost.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

rank, own_address, nnodes, seconds, port, *command = sys.argv[1:]
nodes = nnodes.partition(":")[0]
# Exits with 0 once enough nodes have joined, with 3 at the timeout.
WAIT = """\
import sys, time, ray
address, nodes, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
end, shown = time.monotonic() + seconds, time.monotonic()
ray.init(address=address, log_to_driver=False, logging_level="ERROR")
while len(joined := [node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]]) < nodes:
    is_late = time.monotonic() > end
    if is_late or time.monotonic() > shown + 30:
        shown = time.monotonic()
        print("trainc:", len(joined), "of", nodes, "nodes joined:", *sorted(joined), file=sys.stderr, flush=True)
    if is_late:
        sys.exit(3)
    time.sleep(0.5)
"""
# Seconds between SIGTERM and SIGKILL: of a program, and of `ray start`, which drains its node. Without worker 0 it
# drains in vain.
PATIENCE, PATIENCE_WITHOUT_HEAD = 20, 2
KEEPALIVE = ((socket.TCP_KEEPIDLE, 15), (socket.TCP_KEEPINTVL, 15), (socket.TCP_KEEPCNT, 4))
Process = subprocess.Popen[bytes]
stopped = threading.Event()
to_stop: list[Process] = []


def main() -> int:
    if shutil.which("ray") is None:
        say("the image has no `ray` command: install Ray")
        return 127
    head, worker, end = command.index("--head"), position("--address="), command.index("--")
    start = ["ray", "start", *command[:head], "--block", "--disable-usage-stats"]
    start += ["--node-ip-address=" + own_address]
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if rank == "0":
        own = f"[{own_address}]" if ":" in own_address else own_address
        gcs = own + ":" + command[worker].rpartition(":")[2]
        return lead([*start, *command[head:worker]], gcs, command[end + 1 :])
    host = command[worker].partition("=")[2].rpartition(":")[0]
    return follow([*start, *command[worker:end]], host)


def position(option: str) -> int:
    return next(at for at, word in enumerate(command) if word.startswith(option))


def stop(number: int, _: object) -> None:
    """Forward a signal to the program. Workers end with worker 0, so that the program can save its state first."""
    stopped.set()
    for process in to_stop:
        process.send_signal(number)


def lead(start: list[str], gcs: str, program: list[str]) -> int:
    """Start the cluster, wait for its nodes, run the program, and return its exit code after the others have it."""
    server = socket.create_server((own_address, int(port)), family=family(own_address), backlog=1024)
    workers: dict[socket.socket, str] = {}
    ray = launch(start)
    threading.Thread(target=accept, args=(server, workers), daemon=True).start()
    code = wait_for_nodes(ray, gcs, workers) or run(ray, gcs, program)
    server.close()
    announce(list(workers), code)
    end(ray)
    return code


def wait_for_nodes(ray: Process, gcs: str, workers: dict[socket.socket, str]) -> int:
    """Return 0 once enough nodes have joined, else an exit code after a message."""
    until = time.monotonic() + float(seconds)
    while not answers(gcs):
        if stopped.is_set():
            return 143
        if ray.poll() is not None or time.monotonic() > until:
            lasts = f"opened no port at {gcs} within {seconds} s"
            return failed(f"ray start --head {lasts if ray.poll() is None else f'exited with {status(ray)}'}")
        time.sleep(0.2)
    left = str(max(1, until - time.monotonic()))
    waiter = launch([sys.executable, "-c", WAIT, gcs, nodes, left])
    while waiter.poll() is None:
        if stopped.is_set() or ray.poll() is not None:
            waiter.kill()
            return 143 if stopped.is_set() else failed(f"ray start --head exited with {status(ray)}")
        time.sleep(0.1)
    if waiter.returncode == 3:
        missing = sorted({*map(str, range(1, int(nodes)))} - {*workers.values()}, key=int)
        text = f"the program needs {nodes} nodes, which did not join within {seconds} s"
        return failed(f"{text}; no contact from workers: {' '.join(missing)}" if missing else text)
    return failed(f"waiting for the nodes exited with {status(waiter)}") if waiter.returncode else 0


def run(ray: Process, gcs: str, program: list[str]) -> int:
    """Run the program with the cluster's address until it ends or the cluster does."""
    try:
        process = launch(program, RAY_ADDRESS=gcs)
    except OSError as problem:
        say(f"{program[0]}: {problem.strerror}")
        return 127
    to_stop.append(process)
    if stopped.is_set():
        process.terminate()
    while process.poll() is None:
        if ray.poll() is not None:
            end(process)
            return failed(f"Ray's processes on worker 0 exited with {status(ray)}")
        time.sleep(0.1)
    return status(process)


def accept(server: socket.socket, workers: dict[socket.socket, str]) -> None:
    """Accept the connections of the workers, which send their numbers."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        workers[connection] = ""
        threading.Thread(target=read_rank, args=(connection, workers), daemon=True).start()


def read_rank(connection: socket.socket, workers: dict[socket.socket, str]) -> None:
    try:
        workers[connection] = connection.recv(16).decode("ascii", "replace").strip()
    except OSError:
        workers.pop(connection, None)


def announce(workers: list[socket.socket], code: int) -> None:
    """Send the exit code to all workers, and wait up to 5 s until they have read it and closed their connections."""
    for connection in workers:
        with contextlib.suppress(OSError):
            connection.settimeout(1)
            connection.sendall(f"{code}\n".encode())
    until = time.monotonic() + 5
    for connection in workers:
        with contextlib.suppress(OSError):
            connection.settimeout(max(0.01, until - time.monotonic()))
            while connection.recv(16):
                pass


def follow(start: list[str], host: str) -> int:
    """Join the cluster, and return the exit code that worker 0 sends."""
    connection = connect(host)
    if connection is None:
        return 143 if stopped.is_set() else failed(f"worker 0 did not answer at {host}:{port} within {seconds} s")
    return read_code(connection, launch(start))


def connect(host: str) -> socket.socket | None:
    """Connect to worker 0 as soon as its name is known and its cluster runs; None at the timeout."""
    until, shown = time.monotonic() + float(seconds), time.monotonic()
    while not stopped.is_set() and time.monotonic() < until:
        try:
            connection = socket.create_connection((host, int(port)), timeout=5)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in KEEPALIVE:
                connection.setsockopt(socket.IPPROTO_TCP, option, value)
            connection.sendall(f"{rank}\n".encode())
            return connection
        except OSError as problem:
            if time.monotonic() - shown > 30:
                shown = time.monotonic()
                say(f"waiting for worker 0 at {host}:{port}: {problem}")
        time.sleep(0.5)
    return None


def read_code(connection: socket.socket, ray: Process) -> int:
    """Wait for the exit code of the program, or for the end of Ray on this worker."""
    connection.settimeout(0.5)
    while ray.poll() is None:
        try:
            text = connection.recv(16).decode("ascii", "replace").strip()
        except TimeoutError:
            continue
        except OSError as problem:
            text = str(problem)
        connection.close()
        if text.isdecimal():
            end(ray)
            return int(text)
        end(ray, PATIENCE_WITHOUT_HEAD)
        return failed(f"worker 0 is lost: {text or 'it ended without an exit code'}")
    return failed(f"Ray's processes on this worker exited with {status(ray)}")


def family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def answers(address: str) -> bool:
    host, _, number = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(number)), timeout=5).close()
    except OSError:
        return False
    return True


def launch(words: list[str], **variables: str) -> Process:
    return subprocess.Popen(words, env={**os.environ, **variables})


def end(process: Process, patience: float = PATIENCE) -> None:
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()


def status(process: Process) -> int:
    code = process.returncode
    return 128 - code if code < 0 else code


def failed(text: str) -> int:
    say(text)
    return 1


def say(text: str) -> None:
    print("trainc: " + text, file=sys.stderr, flush=True)


sys.exit(main())
