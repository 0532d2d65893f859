"""Names lead where the cluster's DNS would lead, and links can be cut."""

from __future__ import annotations

from tests.rehearsal.run import Run, job, run_job, service
from tests.rehearsal.test_job import RUNS
from trainc.rehearse.session import Session

ASK = "for n in {0}; do getent ahostsv4 $n | cut -d' ' -f1 | sort -u | tr '\\n' ' '; echo \"< $n\"; done"


def test_a_headless_service_resolves_to_all_pods_and_a_hostname_to_one() -> None:
    script = (
        "until [ $(getent ahostsv4 demo | cut -d' ' -f1 | sort -u | wc -l) = 2 ]; do sleep 0.1; done;"
        "[ $JOB_COMPLETION_INDEX = 1 ] || sleep 0.5; "
    ) + ASK.format(
        "demo demo-0.demo demo-0.demo.default.svc demo-0.demo.default.svc.cluster.local demo-0 nosuch.demo x.org"
    )
    with Session(job(script + "; sleep 1", pods=2)) as session:
        run = Run(session)
        session.start()
        run.line("x.org", "demo-1")
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
    with Session([*job(RUNS, pods=2, spec={"backoffLimit": 6}), service("other")]) as session:
        run = Run(session)
        session.start()
        run.line("up")
        run.line("up")
        gone = run.pod(0).ip
        session.kill_pod(0, grace=0)
        run.kind("pod-deleted")
        assert gone not in [pod.ip for pod in session.pods]


def test_dns_records_can_appear_late() -> None:
    script = "until getent hosts demo-0.demo; do sleep 0.1; done; until getent hosts other; do sleep 0.1; done"
    with Session([*job(script), service("other")]) as session:
        run = Run(session)
        session.start(dns_delays={0: 0.5, "other": 1.5})
        run.kind("job-complete")
        answers = {event.data["name"]: event for event in run.all("dns") if event.data["answer"]}
    assert answers["other.default.svc.cluster.local"].at >= 1.5


def test_a_pod_can_start_late_or_be_unschedulable() -> None:
    with Session(job("echo up", pods=3)) as session:
        run = Run(session)
        session.start(delays={1: 0.7, 2: float("inf")})
        assert run.line("up", "demo-1").at >= 0.7
        assert run.pod(2).phase == "Pending"
        assert run.pod(2).ip == ""
        session.schedule(2)
        run.line("up", "demo-2")


def test_disconnect_drops_packets_until_reconnect() -> None:
    serve = "import socket; s = socket.create_server(('', 5000))\nwhile True: s.accept()[0].sendall(b'x')"
    ask = (
        "import socket, time\nlast = None\nwhile True:\n"
        " try: c = socket.create_connection(('demo-0.demo', 5000), 0.5); now = c.recv(1) == b'x'\n"
        " except OSError: now = False\n"
        " if now != last: print('hears' if now else 'hears nothing', flush=True); last = now\n"
        " time.sleep(0.1)"
    )
    words = ["python3", "-c", "import os, sys; exec(sys.argv[1 + int(os.environ['JOB_COMPLETION_INDEX'])])", serve, ask]
    with Session(job(main={"command": words}, pods=2)) as session:
        run = Run(session)
        session.start()
        run.line("hears", "demo-1")
        while run.lines("demo-1")[-1] != "hears":
            run.line("hears", "demo-1")
        session.disconnect(0)
        run.line("hears nothing", "demo-1")
        session.reconnect(0)
        run.line("hears", "demo-1")
        assert not run.all("container-exited")


def test_a_process_is_killed_by_command_line_or_rank() -> None:
    script = "RANK=7 WORLD_SIZE=8 sleep 1000 & echo up; wait $!; echo $?; sleep 1001 & echo again; wait $!; echo $?"
    with Session(job(script)) as session:
        run = Run(session)
        session.start()
        run.line("up")
        session.kill_process(0, 7)
        run.line("again")
        session.kill_process(0, "^sleep 1001")
        run.kind("job-complete")
    assert run.lines(stream="stdout") == ["up", "137", "again", "137"]


def test_the_interface_has_the_name_that_the_program_selects() -> None:
    env = [{"name": "GLOO_SOCKET_IFNAME", "value": "bond0"}]
    run = run_job(job("ls /sys/class/net; ip -o -4 addr show bond0 | tr -s ' ' | cut -d ' ' -f 4", main={"env": env}))
    assert run.lines() == ["bond0", "lo", f"{run.pod(0).ip}/16"]
