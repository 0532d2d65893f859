"""runMode of T9k's jobs: https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md"""

from __future__ import annotations

import pytest

from tests.support.translation import translate
from tests.unit.systems.deepspeedjob.test_reader import job as deepspeed
from tests.unit.systems.pytorchtrainingjob.test_reader import job as pytorch


def mode(text: str) -> str:
    return f"  runMode: {text}\n"


def test_a_deepspeedjob_is_idle_with_sshd_and_a_pytorchtrainingjob_with_sleep() -> None:
    debug = mode("{debug: {enabled: true}}")
    spec, messages = translate(deepspeed(more=debug))
    assert (spec["mode"], messages) == ({"debug": {"command": ["/usr/sbin/sshd", "-D"]}}, [])
    spec, messages = translate(pytorch(more=debug))
    assert (spec["mode"], messages) == ("debug", [])


def test_the_debug_mode_has_a_command_and_skips_init_containers() -> None:
    text = mode("{debug: {enabled: true, replicaSpecs: [{type: worker, skipInitContainer: true, command: [sleep]}]}}")
    spec, messages = translate(deepspeed(more=text))
    assert (spec["mode"], messages) == ({"debug": {"command": ["sleep"], "skipInitContainers": True}}, [])
    spec, messages = translate(deepspeed(more=text.replace("type: worker", "type: master")))
    assert spec["mode"] == {"debug": {"command": ["/usr/sbin/sshd", "-D"]}}
    reason = "the job has only pods of type `worker`"
    assert messages == [f"TC5001 7: `spec.runMode.debug.replicaSpecs[0]` is not carried over: {reason}"]


def test_a_disabled_mode_is_left_out() -> None:
    text = mode("{debug: {enabled: false, replicaSpecs: [{type: worker}]}, pause: {enabled: false}}")
    spec, messages = translate(deepspeed(more=text))
    assert "mode" not in spec
    assert messages == ["TC5001 7: `spec.runMode.debug.replicaSpecs` is not carried over: the mode is not enabled"]


def test_a_resumed_program_is_a_change_of_the_paused_job() -> None:
    specs = "[{type: worker, skipInitContainer: true, command: [python], args: [x.py, --resume]}]"
    spec, messages = translate(pytorch(more=mode(f"{{pause: {{enabled: true, resumeSpecs: {specs}}}}}")))
    assert spec["mode"] == {"paused": {"run": {"python": ["x.py", "--resume"]}, "skipInitContainers": True}}
    assert messages == []


def test_the_sshd_of_a_resumed_deepspeedjob_is_its_command() -> None:
    specs = "[{type: worker, command: [/usr/bin/sshd], args: [-D]}]"
    spec, messages = translate(deepspeed(more=mode(f"{{pause: {{enabled: true, resumeSpecs: {specs}}}}}")))
    assert (spec["mode"], messages) == ({"paused": {"command": ["/usr/bin/sshd", "-D"]}}, [])


def test_changes_of_a_job_that_is_not_paused_wait_for_its_next_pause() -> None:
    specs = "[{skipInitContainer: true}]"
    spec, messages = translate(deepspeed(more=mode(f"{{pause: {{enabled: false, resumeSpecs: {specs}}}}}")))
    assert (spec["mode"], messages) == ({"run": {"skipInitContainers": True}}, [])


def test_pause_overrides_debug() -> None:
    spec, messages = translate(deepspeed(more=mode("{debug: {enabled: true}, pause: {enabled: true}}")))
    assert spec["mode"] == "paused"
    assert messages == ["TC5001 7: `spec.runMode.debug` is not carried over: the job is paused"]


@pytest.mark.parametrize(
    ("config", "prefix"),
    [("{}", ""), ("{run: {python: []}}", ""), ("{slotsPerWorker: 1}", "`spec.config` is left out: ")],
)
def test_an_idle_job_needs_no_program(config: str, prefix: str) -> None:
    spec, messages = translate(deepspeed(config, mode("{debug: {enabled: true}}")))
    assert spec["launch"] == {"basic": {}}
    assert spec["run"] == {"entrypoint": []}
    consequence = "and its pods are idle until launch and run are set"
    line = 5 if prefix else 7
    assert messages == [f"TC5002 {line}: {prefix}the job has no program, {consequence}"]
