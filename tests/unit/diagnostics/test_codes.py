"""Codes: one meaning each, for ever. A user searches the web for a code, and CI configurations name them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code

COMPILER = Path(codes.__file__).resolve().parents[1]
# Every code that a published trainc has had, gone ones too. Add to it; change and remove nothing.
EVER = {
    "TC1001": "unreadable-file",
    "TC1002": "not-text",
    "TC1003": "yaml-syntax",
    "TC1004": "duplicate-key",
    "TC1005": "bad-alias",
    "TC1006": "bad-key",
    "TC1007": "too-deep",
    "TC1008": "too-large",
    "TC1009": "unknown-tag",
    "TC1010": "empty-input",
    "TC1011": "bad-override",
    "TC1012": "wrong-ignore-comment",
    "TC2001": "not-a-training-job",
    "TC2002": "unknown-field",
    "TC2003": "missing-field",
    "TC2004": "wrong-type",
    "TC2005": "wrong-value",
    "TC2006": "not-exactly-one",
    "TC2007": "wrong-quantity",
    "TC3001": "name-too-long",
    "TC3002": "duplicate-object",
    "TC3003": "elastic-bounds",
    "TC3004": "launcher-not-elastic",
    "TC3005": "standalone-with-peers",
    "TC3006": "etcd-without-endpoint",
    "TC3007": "env-owned-by-launcher",
    "TC3008": "duplicate-env",
    "TC3009": "duplicate-volume",
    "TC3010": "duplicate-mount",
    "TC3011": "unknown-volume",
    "TC3012": "shared-memory-over-limit",
    "TC3013": "deepspeed-flag-not-direct",
    "TC3014": "pod-template-conflict",
    "TC3015": "request-over-limit",
    "TC3016": "world-info-too-long",
    "TC3017": "gpu-given-twice",
    "TC3018": "flag-reaches-nobody",
    "TC3019": "reserved-label",
    "TC3020": "exit-code-not-seen",
    "TC3021": "needs-newer-torch",
    "TC3022": "grace-period-too-short",
    "TC3023": "share-file-used-again",
    "TC3024": "host-network-without-dns",
    "TC3025": "impossible-quantity",
    "TC3026": "two-ports",
    "TC3027": "pod-template-unseen",
    "TC3028": "endless-sidecar",
    "TC3030": "needs-newer-deepspeed",
    "TC3031": "deepspeed-flag-not-ssh",
    "TC3032": "ssh-without-keys",
    "TC3033": "only-with-ssh",
    "TC3034": "port-taken-twice",
    "TC3035": "changed-by-remote-shell",
    "TC3036": "autotune-cannot",
    "TC3037": "autotune-hides-failure",
    "TC3040": "queue-given-twice",
    "TC3041": "selector-against-spot",
    "TC3042": "topology-conflict",
    "TC3043": "rdma-given-twice",
    "TC3044": "host-network-rendezvous",
    "TC3045": "first-worker-would-differ",
    "TC3046": "random-pod-name",
    "TC3050": "managed-etcd-not-used",
    "TC3051": "per-index-without-replacement",
    "TC3052": "sigterm-not-heard",
    "TC3053": "grace-period-not-used",
    "TC3054": "share-file-not-shared",
    "TC3055": "kept-and-cleaned-up",
    "TC3058": "path-not-known",
    "TC3060": "launcher-in-launcher",
    "TC3061": "fixed-nodes-against-workers",
    "TC3062": "fixed-nodes-against-elastic",
    "TC3063": "fixed-processes-against-field",
    "TC3064": "fixed-meeting-point",
    "TC3065": "program-is-no-file",
    "TC3066": "variable-not-read",
    "TC3067": "variable-not-readable",
    "TC3068": "launcher-has-no-option",
    "TC3069": "processes-against-gpus",
    "TC3070": "shared-memory-off",
    "TC3071": "shared-memory-of-the-node",
    "TC3072": "shared-memory-on-disk",
    "TC3073": "shared-memory-unbounded",
    "TC3074": "share-of-another-gpu",
    "TC3075": "unknown-device",
    "TC3076": "odd-quantity",
    "TC3077": "claim-not-shared",
    "TC3078": "no-checkpoint",
    "TC3079": "path-lost-with-pod",
    "TC3080": "path-read-only",
    "TC3081": "too-many-threads",
    "TC3082": "deadline-too-short",
    "TC3085": "backoff-limit-below-workers",
    "TC3086": "restart-leads-to-nothing",
    "TC3087": "secret-in-plain-text",
    "TC3088": "image-not-pinned",
    "TC3089": "rdma-without-memory-lock",
    "TC3090": "rdma-turned-off",
    "TC3091": "interface-reaches-nobody",
    "TC3092": "etcd-too-new",
    "TC3093": "rendezvous-option-unread",
    "TC3094": "endpoint-without-host",
    "TC3095": "sshd-blocked",
    "TC3096": "arguments-behind-separator",
    "TC3097": "pull-secret-given-twice",
    "TC3098": "port-of-the-node",
    "TC3099": "resource-named-like-a-quota",
    "TC4001": "unsupported-by-backend",
    "TC4002": "program-runs-again",
    "TC4003": "autoscaler-without-request",
    "TC4004": "needs-newer-kubernetes",
    "TC4005": "domain-without-namespace",
    "TC4006": "job-cannot-be-changed",
    "TC4008": "restarts-below-scale-downs",
    "TC4009": "rendezvous-id-used-again",
    "TC4010": "autoscaler-of-no-container",
    "TC4011": "autoscaler-without-metric",
    "TC4012": "behavior-without-autoscaler",
    "TC4015": "mesh-sidecar-never-ends",
    "TC4016": "mark-on-wrong-object",
    "TC4017": "deprecated-by-kubernetes",
    "TC4018": "gitops-and-jobs",
    "TC4020": "operator-sets-variable",
    "TC4021": "operators-container-name",
    "TC4022": "not-in-custom-resource",
    "TC4023": "operators-port-without-name",
    "TC4024": "operator-gives-arguments",
    "TC4025": "operator-waits-for-failed",
    "TC4026": "operator-can-not-pause",
    "TC4030": "operator-has-no-such-launcher",
    "TC4031": "operators-mount",
    "TC4032": "variable-of-first-worker",
    "TC4033": "keys-only-root-can-read",
    "TC4034": "command-in-place-of-sshd",
    "TC4035": "variable-not-expanded",
    "TC4040": "queue-not-elastic",
    "TC4041": "spot-pod-not-replaced",
    "TC5001": "not-carried-over",
    "TC5002": "said-in-another-way",
    "TC5003": "wrong-in-its-own-system",
    "TC5004": "template-not-filled-in",
    "TC5005": "roles-run-different-programs",
    "TC5010": "slip-in-its-own-language",
    "TC5011": "custom-launch-command",
    "TC5015": "another-system-of-that-name",
    "TC9001": "internal-error",
    "TC9002": "cannot-write",
}
CODES = {name: code for name, code in vars(codes).items() if isinstance(code, Code)}
FAMILIES = set(re.findall(r"TC(\d)xxx", codes.__doc__ or ""))


def test_ids_and_names_are_given_once() -> None:
    found = [code.id for code in CODES.values()]
    assert len(set(found)) == len(found)
    names = [code.name for code in CODES.values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("code", CODES.values(), ids=repr)
def test_a_code_has_the_name_that_it_always_had(code: Code) -> None:
    assert EVER.get(code.id) == code.name, "a new code is added to EVER; an old one is never given another meaning"


@pytest.mark.parametrize("code", CODES.values(), ids=repr)
def test_a_code_is_of_a_family_and_its_name_is_words(code: Code) -> None:
    assert re.fullmatch(r"TC[1-9]\d{3}", code.id)
    assert code.id[2] in FAMILIES
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", code.name)


def test_the_file_lists_the_codes_in_their_order() -> None:
    found = [code.id for code in CODES.values()]
    assert found == sorted(found)


def test_every_code_is_used_outside_of_its_file() -> None:
    texts = "\n".join(
        file.read_text("utf-8")
        for file in COMPILER.rglob("*.py")
        if file.name != "codes.py" and "templates" not in file.parent.name
    )
    unused = {name for name, code in CODES.items() if f"codes.{name}" not in texts and f'"{code.id}"' not in texts}
    assert unused == set()


def test_no_text_names_a_code_that_there_is_not() -> None:
    root = COMPILER.parents[1]
    files = [root / "README.md", *(root / "docs").rglob("*.md"), *COMPILER.rglob("*.py")]
    named = {found for file in files for found in re.findall(r"TC\d{4}", file.read_text("utf-8"))}
    assert named <= {code.id for code in CODES.values()}
