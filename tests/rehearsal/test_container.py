"""Environment, files and processes of a container, as from a kubelet and a runtime."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.rehearsal.run import Run, config_map, container, job, run_job
from trainc.plan.fields import Object
from trainc.rehearse.events import Program


def variables(run: Run) -> dict[str, str]:
    return dict(line.split("=", 1) for line in run.lines())


def test_the_users_environment_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    run = run_job(job("env", main={"env": [{"name": "FROM_MANIFEST", "value": "1"}]}))
    names = {name for name in variables(run) if not name.startswith("KUBERNETES_")}
    assert names == {"FROM_MANIFEST", "HOME", "HOSTNAME", "PATH", "PWD", "JOB_COMPLETION_INDEX"}


def test_variables_match_the_kubelets() -> None:
    field = {"IP": "status.podIP", "NAME": "metadata.name", "UID_OF_POD": "metadata.uid", "SPACE": "metadata.namespace"}
    env: list[Object] = [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in field.items()]
    env += [
        {"name": "URL", "value": "tcp://$(IP):$(PORT)/$$(IP)/$(LATER)"},
        {"name": "LATER", "value": "x"},
        {"name": "FROM_MAP", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "LEVEL"}}},
        {"name": "FROM_SECRET", "valueFrom": {"secretKeyRef": {"name": "token", "key": "value"}}},
        {"name": "LIMIT", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
    ]
    main = {
        "env": env,
        "envFrom": [{"prefix": "P_", "configMapRef": {"name": "settings"}}],
        "resources": {"limits": {"memory": "1Gi"}},
    }
    run = run_job(job("env", main=main, objects=[config_map("settings", {"LEVEL": "three", "PORT": "1"})]))
    values, created = variables(run), run.events_of("pod-created")[0]
    assert values["NAME"] == created.pod
    assert values["SPACE"] == "default"
    assert values["IP"].startswith("10.244.")
    assert values["URL"] == f"tcp://{values['IP']}:$(PORT)/$(IP)/$(LATER)"
    assert (values["FROM_MAP"], values["P_LEVEL"], values["P_PORT"]) == ("three", "three", "1")
    assert values["FROM_SECRET"] == "placeholder for value"
    assert values["LIMIT"] == "1024"
    assert len(values["UID_OF_POD"]) == 36
    assert any("Secret/token isn't in the manifests" in event.text for event in run.events_of("note"))


def test_arguments_are_passed_unchanged_and_expanded() -> None:
    command = ["python3", "-c", "import sys; print(sys.argv[1:])", "a b", "$(NAME)", "$$(NAME)", "", "*", "'\"\n"]
    main = {"command": command, "env": [{"name": "NAME", "value": "x y"}]}
    assert run_job(job(main=main)).lines() == [str(["a b", "x y", "$(NAME)", "", "*", "'\"\n"])]


def test_hosts_hostname_and_resolv_conf_match_the_kubelets() -> None:
    run = run_job(job("cat /etc/hosts /etc/resolv.conf; hostname; hostname -f; cat /etc/hostname"))
    ip = run.pod(0).ip
    assert f"{ip}\tdemo-0.demo.default.svc.cluster.local\tdemo-0" in run.lines()
    assert run.lines()[-6:] == [
        "search default.svc.cluster.local svc.cluster.local cluster.local",
        "nameserver 10.96.0.10",
        "options ndots:5",
        "demo-0",
        "demo-0.demo.default.svc.cluster.local",
        "demo-0",
    ]


SIZE = "import os; s = os.statvfs('/dev/shm'); print(s.f_frsize * s.f_blocks)"


def test_shared_memory_is_64_mib_by_default() -> None:
    assert run_job(job(main={"command": ["python3", "-c", SIZE]})).lines() == [str(64 * 2**20)]


def test_shared_memory_has_its_volumes_size_up_to_the_pods_memory() -> None:
    volumes = {"volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}]}
    main: Object = {"command": ["python3", "-c", SIZE], "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}]}
    assert run_job(job(main=main, pod=volumes)).lines() == [str(8 * 2**30)]
    main["resources"] = {"limits": {"memory": "256Mi"}}
    assert run_job(job(main=main, pod=volumes)).lines() == [str(256 * 2**20)]


def test_volumes_contain_the_data_of_their_sources() -> None:
    volumes: list[Object] = [
        {"name": "conf", "configMap": {"name": "settings", "items": [{"key": "a", "path": "deep/a.txt"}]}},
        {"name": "all", "configMap": {"name": "settings", "defaultMode": 0o755}},
        {"name": "pod", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
        {"name": "key", "secret": {"secretName": "s", "items": [{"key": "password", "path": "p"}]}},
    ]
    mounts = [
        {"name": "conf", "mountPath": "/etc/app/conf"},
        {"name": "all", "mountPath": "/usr/lib/app", "readOnly": True},
        {"name": "all", "mountPath": "/etc/one.txt", "subPath": "b"},
        {"name": "pod", "mountPath": "/pod"},
        {"name": "key", "mountPath": "/key"},
    ]
    script = (
        "cat /etc/app/conf/deep/a.txt; ls -l /usr/lib/app/b | cut -c1-10; cat /etc/one.txt; grep app= /pod/labels; "
        "cat /key/p; echo; echo x > /usr/lib/app/b || echo refused; ls /usr/lib | wc -l"
    )
    objects = [config_map("settings", {"a": "first\n", "b": "second\n"})]
    run = run_job(job(script, main={"volumeMounts": mounts}, pod={"volumes": volumes}, objects=objects))
    count = str(len(os.listdir("/usr/lib")) + 1)
    expected = ["first", "-rwxr-xr-x", "second", 'app="demo"', "placeholder for password", "refused", count]
    assert run.lines(stream="stdout") == expected


def test_pods_share_a_claim_but_not_an_empty_dir() -> None:
    volumes: list[Object] = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "scratch", "emptyDir": {}},
    ]
    mounts = [{"name": "data", "mountPath": "/data", "subPath": "run"}, {"name": "scratch", "mountPath": "/scratch"}]
    script = (
        "touch /data/$HOSTNAME /scratch/$HOSTNAME; while [ $(ls /data | wc -l) -lt 2 ]; do sleep 0.1; done;"
        "echo $(ls /scratch)"
    )
    run = run_job(job(script, pods=2, main={"volumeMounts": mounts}, pod={"volumes": volumes}))
    assert sorted(run.lines()) == ["demo-0", "demo-1"]


def test_the_containers_of_a_pod_share_its_volumes_and_its_network() -> None:
    volumes: list[Object] = [{"name": "v", "emptyDir": {"medium": "Memory"}}]
    mounts = [{"name": "v", "mountPath": "/v"}]
    first = container("hostname > /v/name; ip -o -4 addr show eth0 > /v/ip", name="first", volumeMounts=mounts)
    script = "[ $(hostname) = $(cat /v/name) ] && ip -o -4 addr show eth0 | cmp - /v/ip && echo same"
    pod = {"initContainers": [first], "volumes": volumes}
    assert run_job(job(script, main={"volumeMounts": mounts}, pod=pod)).lines() == ["same"]


def test_writes_of_a_container_are_discarded() -> None:
    script = "ls /root /home /tmp; echo changed > /etc/passwd; touch /root/x /tmp/x /var/lib/x /new; touch /usr/bin/x"
    run = run_job(job(script, pod={"initContainers": [container("touch /tmp/before /root/before", name="i")]}))
    assert not [line for line in run.lines() if "before" in line]
    assert any("Read-only file system" in line for line in run.lines(stream="stderr"))
    assert "changed" not in Path("/etc/passwd").read_text()
    assert not os.path.exists("/new")
    assert not os.path.exists("/var/lib/x")


def test_the_working_directory_is_created() -> None:
    assert run_job(job("pwd", main={"workingDir": "/app/deep"})).lines() == ["/app/deep"]
    assert run_job(job("pwd")).lines() == ["/workspace"]


def test_a_missing_command_is_reported() -> None:
    run = run_job(job(main={"command": ["nosuchcommand"]}))
    assert run.events_of("container-exited")[0].data["exit_code"] == 128
    assert run.lines() == [
        'trainc rehearse: can\'t start the container: exec: "nosuchcommand": executable file not found in $PATH'
    ]


def test_a_container_sees_its_own_processes_only() -> None:
    run = run_job(job("echo $$$$; ls /proc | grep -c '^[0-9]'"))
    assert run.lines()[0] == "1"
    assert int(run.lines()[1]) < 5


@pytest.mark.parametrize(("user", "group"), [(4321, 4322), (1_000_680_000, 0)])
def test_a_container_runs_as_its_user(user: int, group: int) -> None:
    script = "id -u; id -g; echo $HOME; touch /v/mine && echo wrote > /dev/stdout; echo error > /dev/stderr"
    run = run_job(job(script, **as_user(user, group)))
    assert run.lines(stream="stdout") == [str(user), str(group), "/", "wrote"]
    assert run.lines(stream="stderr") == ["error"]


def as_user(user: int, group: int) -> Object:
    security = {"securityContext": {"runAsUser": user, "runAsGroup": group}}
    pod = {**security, "volumes": [{"name": "v", "emptyDir": {}}]}
    return {"pod": pod, "main": {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}}


def test_an_image_directory_replaces_the_machines_files(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "data.txt").write_text("image data\n")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "release").write_text("image release\n")
    script = "cat /app/data.txt /etc/release; ls /etc/passwd; cd /app && pwd"
    assert run_job(job(script), image=tmp_path).lines() == ["image data", "image release", "/etc/passwd", "/app"]


def test_a_program_replaces_the_jobs_program(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import sys, helper; print(__file__, sys.argv[1:], helper.__name__)")
    (tmp_path / "helper.py").touch()
    (tmp_path / ".secret").write_text("x")
    program = Program(file=tmp_path / "mine.py")
    main = {"command": ["python3", "-u", "train.py", "--epochs", "3"], "workingDir": "/app"}
    assert run_job(job(main=main), program=program).lines() == ["/app/train.py ['--epochs', '3'] helper"]
    main = {"command": ["python3", "-m", "pkg.train"], "workingDir": "/app"}
    (tmp_path / "mine.py").write_text("import os; print(__name__, __file__, os.listdir('/app/pkg'))")
    lines = run_job(job(main=main), program=program).lines()
    assert lines[0].startswith("__main__ /app/pkg/train.py")
    assert ".secret" not in lines[0]
    (tmp_path / "mine.py").write_text("import sys; print(sys.argv[1:])")
    assert run_job(job(main={"command": ["./start", "a b"]}), program=program).lines() == ["['a b']"]


def test_a_program_replaces_one_in_a_read_only_volume(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import os\nprint(__file__)\ntry:\n    open('/code/x', 'w')\nexcept OSError as problem:\n    print(problem)\n"
        "open('/code/out/y', 'w')\nprint('wrote')\n"
    )
    volumes: list[Object] = [{"name": "code", "configMap": {"name": "elsewhere"}}, {"name": "out", "emptyDir": {}}]
    mounts = [{"name": "code", "mountPath": "/code", "readOnly": True}, {"name": "out", "mountPath": "/code/out"}]
    main = {"command": ["python3", "/code/train.py"], "volumeMounts": mounts}
    run = run_job(job(main=main, pod={"volumes": volumes}), program=Program(file=tmp_path / "mine.py"))
    assert run.lines() == ["/code/train.py", "[Errno 30] Read-only file system: '/code/x'", "wrote"]


def test_artifacts_are_written(tmp_path: Path) -> None:
    run = run_job(job("echo hello"), artifacts=tmp_path / "artifacts")
    folder = tmp_path / "artifacts" / run.pod(0).name
    assert (folder / "main.log").read_text() == "hello\n"
    assert f"{run.pod(0).ip}\tdemo-0.demo.default.svc.cluster.local\tdemo-0" in (folder / "hosts").read_text()
    assert '"JOB_COMPLETION_INDEX": "0"' in (folder / "pod.json").read_text()
    assert (tmp_path / "artifacts" / "events.jsonl").exists()
