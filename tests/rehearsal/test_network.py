"""DNS names resolve as in a cluster, and pods can be disconnected."""

from __future__ import annotations

from tests.rehearsal.run import RUN_UNTIL_SIGTERM, Run, job, run_job, service
from trainc.rehearse.session import Session

RESOLVE = "for n in {0}; do getent ahostsv4 $n | cut -d' ' -f1 | sort -u | tr '\\n' ' '; echo \"< $n\"; done"


def test_a_headless_service_resolves_to_all_pods_and_a_hostname_to_one() -> None:
    script = (
        "until [ $(getent ahostsv4 demo | cut -d' ' -f1 | sort -u | wc -l) = 2 ]; do sleep 0.1; done;"
        "[ $JOB_COMPLETION_INDEX = 1 ] || sleep 0.5; "
    ) + RESOLVE.format(
        "demo demo-0.demo demo-0.demo.default.svc demo-0.demo.default.svc.cluster.local demo-0 nosuch.demo x.org"
    )
    with Session(job(script + "; sleep 1", pods=2)) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("x.org", "demo-1")
        first, second = run.pod(0).ip, run.pod(1).ip
    assert run.lines("demo-1") == [
        f"{first} {second} < demo",
        f"{first} < demo-0.demo",
        f"{first} < demo-0.demo.default.svc",
        f"{first} < demo-0.demo.default.svc.cluster.local",
        "< demo-0",
        "< nosuch.demo",
        "< x.org",
    ]


def test_addresses_resolve_to_names() -> None:
    script = "sleep 0.3; getent hosts $(hostname -i) | tr -s ' '; python3 -c 'import socket; print(socket.getfqdn())'"
    run = run_job(job(script))
    assert run.lines()[-1] == "demo-0.demo.default.svc.cluster.local"


def test_a_deleted_pod_loses_its_dns_records() -> None:
    with Session([*job(RUN_UNTIL_SIGTERM, pods=2, spec={"backoffLimit": 6}), service("other")]) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up")
        run.wait_for_line("up")
        address = run.pod(0).ip
        session.kill_pod(0, grace=0)
        run.wait_for("pod-deleted")
        assert address not in [pod.ip for pod in session.pods]


def test_dns_records_can_appear_late() -> None:
    script = "until getent hosts demo-0.demo; do sleep 0.1; done; until getent hosts other; do sleep 0.1; done"
    with Session([*job(script), service("other")]) as session:
        run = Run(session)
        session.start(dns_delays={0: 0.5, "other": 1.5})
        run.wait_for("job-complete")
        answers = {event.data["name"]: event for event in run.events_of("dns") if event.data["answer"]}
    assert answers["other.default.svc.cluster.local"].at >= 1.5


def test_a_pod_can_start_late_or_be_unschedulable() -> None:
    with Session(job("echo up", pods=3)) as session:
        run = Run(session)
        session.start(delays={1: 0.7, 2: float("inf")})
        assert run.wait_for_line("up", "demo-1").at >= 0.7
        assert run.pod(2).phase == "Pending"
        assert run.pod(2).ip == ""
        session.schedule(2)
        run.wait_for_line("up", "demo-2")


def test_disconnect_drops_packets_until_reconnect() -> None:
    serve = "import socket; s = socket.create_server(('', 5000))\nwhile True: s.accept()[0].sendall(b'x')"
    connect = (
        "import socket, time\nlast = None\nwhile True:\n"
        " try: c = socket.create_connection(('demo-0.demo', 5000), 0.5); now = c.recv(1) == b'x'\n"
        " except OSError: now = False\n"
        " if now != last: print('connected' if now else 'disconnected', flush=True); last = now\n"
        " time.sleep(0.1)"
    )
    run_by_index = "import os, sys; exec(sys.argv[1 + int(os.environ['JOB_COMPLETION_INDEX'])])"
    with Session(job(main={"command": ["python3", "-c", run_by_index, serve, connect]}, pods=2)) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("connected", "demo-1")
        while run.lines("demo-1")[-1] != "connected":
            run.wait_for_line("connected", "demo-1")
        session.disconnect(0)
        run.wait_for_line("disconnected", "demo-1")
        session.reconnect(0)
        run.wait_for_line("connected", "demo-1")
        assert not run.events_of("container-exited")


def test_a_process_is_killed_by_command_line_or_rank() -> None:
    script = "RANK=7 WORLD_SIZE=8 sleep 1000 & echo up; wait $!; echo $?; sleep 1001 & echo again; wait $!; echo $?"
    with Session(job(script)) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up")
        session.kill_process(0, 7)
        run.wait_for_line("again")
        session.kill_process(0, "^sleep 1001")
        run.wait_for("job-complete")
    assert run.lines(stream="stdout") == ["up", "137", "again", "137"]


def test_the_interface_has_the_name_that_the_program_selects() -> None:
    env = [{"name": "GLOO_SOCKET_IFNAME", "value": "bond0"}]
    run = run_job(job("ls /sys/class/net; ip -o -4 addr show bond0 | tr -s ' ' | cut -d ' ' -f 4", main={"env": env}))
    assert run.lines() == ["bond0", "lo", f"{run.pod(0).ip}/16"]
