"""Codes never change their meaning: users search for them, and CI configurations refer to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code

COMPILER = Path(codes.__file__).resolve().parents[1]
# Every code of a published trainc, including removed ones. Only append.
PUBLISHED = {
    "TC1001": "unreadable-file",
    "TC1002": "invalid-characters",
    "TC1003": "yaml-syntax",
    "TC1004": "duplicate-key",
    "TC1005": "invalid-alias",
    "TC1006": "non-string-key",
    "TC1007": "nesting-too-deep",
    "TC1008": "file-too-large",
    "TC1009": "unsupported-tag",
    "TC1010": "empty-input",
    "TC1011": "invalid-override",
    "TC1012": "invalid-ignore-comment",
    "TC1013": "too-many-diagnostics",
    "TC1014": "no-launch-command",
    "TC1015": "unspecified-by-command",
    "TC2001": "not-a-training-job",
    "TC2002": "unknown-field",
    "TC2003": "missing-field",
    "TC2004": "wrong-type",
    "TC2005": "invalid-value",
    "TC2006": "not-exactly-one",
    "TC2007": "invalid-quantity",
    "TC3001": "name-too-long",
    "TC3002": "duplicate-object",
    "TC3003": "elastic-bounds",
    "TC3004": "launcher-not-elastic",
    "TC3005": "standalone-conflict",
    "TC3006": "etcd-without-endpoint",
    "TC3007": "reserved-env",
    "TC3008": "duplicate-env",
    "TC3009": "duplicate-volume",
    "TC3010": "duplicate-mount",
    "TC3011": "unknown-volume",
    "TC3012": "shared-memory-over-limit",
    "TC3013": "deepspeed-direct-flag",
    "TC3014": "pod-template-conflict",
    "TC3015": "request-over-limit",
    "TC3016": "world-info-too-long",
    "TC3017": "duplicate-gpu",
    "TC3018": "option-not-passed",
    "TC3019": "reserved-label",
    "TC3020": "hidden-exit-code",
    "TC3021": "torch-too-old",
    "TC3022": "grace-period-too-short",
    "TC3023": "share-file-reused",
    "TC3024": "host-network-without-dns",
    "TC3025": "impossible-quantity",
    "TC3026": "duplicate-port",
    "TC3027": "pod-template-override",
    "TC3028": "endless-sidecar",
    "TC3030": "deepspeed-too-old",
    "TC3031": "deepspeed-ssh-flag",
    "TC3032": "ssh-without-keys",
    "TC3033": "requires-ssh",
    "TC3034": "port-conflict",
    "TC3035": "unsafe-in-remote-shell",
    "TC3036": "autotune-unsupported",
    "TC3037": "autotune-hides-failure",
    "TC3040": "duplicate-queue",
    "TC3041": "spot-selector-conflict",
    "TC3042": "topology-conflict",
    "TC3043": "duplicate-rdma",
    "TC3044": "host-network-rendezvous",
    "TC3045": "role-pods-differ",
    "TC3046": "random-pod-name",
    "TC3050": "unused-managed-etcd",
    "TC3051": "backoff-per-index-conflict",
    "TC3052": "sigterm-ignored",
    "TC3053": "unused-grace-period",
    "TC3054": "share-file-not-shared",
    "TC3055": "clean-pod-policy-conflict",
    "TC3058": "unknown-path",
    "TC3060": "nested-launcher",
    "TC3061": "node-count-mismatch",
    "TC3062": "elastic-node-count-mismatch",
    "TC3063": "process-count-mismatch",
    "TC3064": "rendezvous-mismatch",
    "TC3065": "invalid-program",
    "TC3066": "unknown-torchrun-variable",
    "TC3067": "invalid-torchrun-variable",
    "TC3068": "invalid-launcher-option",
    "TC3069": "gpu-count-mismatch",
    "TC3070": "shared-memory-disabled",
    "TC3071": "shared-memory-host-path",
    "TC3072": "shared-memory-on-disk",
    "TC3073": "shared-memory-unbounded",
    "TC3074": "gpu-share-mismatch",
    "TC3075": "unknown-device",
    "TC3076": "implausible-cpu",
    "TC3077": "claim-not-shared",
    "TC3078": "no-checkpoint",
    "TC3079": "ephemeral-path",
    "TC3080": "read-only-path",
    "TC3081": "too-many-threads",
    "TC3082": "deadline-too-short",
    "TC3085": "backoff-limit-below-workers",
    "TC3086": "futile-restart",
    "TC3087": "plain-text-secret",
    "TC3088": "mutable-image-tag",
    "TC3089": "rdma-without-ipc-lock",
    "TC3090": "rdma-disabled",
    "TC3091": "unusable-interface",
    "TC3092": "etcd-too-new",
    "TC3093": "invalid-rendezvous-option",
    "TC3094": "unhosted-endpoint",
    "TC3095": "sshd-blocked",
    "TC3096": "arguments-after-separator",
    "TC3097": "duplicate-pull-secret",
    "TC3098": "host-port-conflict",
    "TC3099": "quota-resource-name",
    "TC3100": "invalid-pod-path",
    "TC3101": "invalid-pod-name",
    "TC3107": "workers-with-autoscaler",
    "TC3108": "never-grows",
    "TC3110": "index-not-in-name",
    "TC3111": "unused-process-variable",
    "TC3112": "literal-rank",
    "TC3113": "unset-launcher-variable",
    "TC3114": "port-out-of-range",
    "TC3115": "local-fallback",
    "TC3120": "pod-security-violation",
    "TC3121": "root-image",
    "TC3130": "shell-variable",
    "TC3131": "unfilled-placeholder",
    "TC3150": "torchrun-missing",
    "TC3151": "unsupported-process-count",
    "TC3152": "unknown-rendezvous-backend",
    "TC3153": "torchelastic-lacks-option",
    "TC3160": "mpirun-option",
    "TC3161": "mpi-env-from",
    "TC3162": "mpi-pod-variable",
    "TC3163": "mpi-implementation",
    "TC3164": "hostfile-of-other-mpi",
    "TC3165": "ssh-keys-of-root",
    "TC3166": "mpi-policy",
    "TC3167": "image-without-python",
    "TC3168": "install-per-process",
    "TC3171": "visible-devices",
    "TC3172": "world-size-mismatch",
    "TC3173": "mpi-process-count",
    "TC3174": "mpi-as-root",
    "TC3175": "mpi-hostfile",
    "TC3176": "mpi-fabric",
    "TC3177": "launcher-devices",
    "TC3178": "workers-keep-running",
    "TC3179": "launcher-waits-for-gang",
    "TC3183": "gpus-unspecified",
    "TC3184": "relative-working-dir",
    "TC3185": "parallel-sizes",
    "TC3186": "accelerate-option",
    "TC3187": "accelerate-too-old",
    "TC3188": "accelerate-conflict",
    "TC3189": "accelerate-config",
    "TC3214": "unknown-wrapper",
    "TC3215": "srun-in-pod",
    "TC3216": "trainer-size",
    "TC3190": "ray-option",
    "TC3191": "ray-object-store",
    "TC3192": "ray-in-program",
    "TC3193": "ray-cluster-size",
    "TC3200": "undefined-reference",
    "TC3201": "bare-initialize",
    "TC3202": "tpu-workers",
    "TC3203": "tpu-topology",
    "TC3204": "jax-on-tpus",
    "TC3205": "jax-world",
    "TC4001": "unsupported-by-backend",
    "TC4002": "restarts-after-completion",
    "TC4003": "autoscaler-without-request",
    "TC4004": "kubernetes-too-old",
    "TC4005": "cluster-domain-without-namespace",
    "TC4006": "immutable-job",
    "TC4008": "max-restarts-below-scale-downs",
    "TC4009": "rendezvous-id-reused",
    "TC4010": "autoscaler-unknown-container",
    "TC4011": "autoscaler-unserved-metric",
    "TC4012": "behavior-without-autoscaler",
    "TC4015": "endless-mesh-sidecar",
    "TC4016": "misplaced-label",
    "TC4017": "deprecated-in-kubernetes",
    "TC4018": "gitops-conflict",
    "TC4020": "operator-overrides-variable",
    "TC4021": "reserved-container-name",
    "TC4022": "not-in-crd",
    "TC4023": "unnamed-port",
    "TC4024": "operator-adds-arguments",
    "TC4025": "operator-ignores-failure",
    "TC4026": "pause-unsupported",
    "TC4030": "launcher-unsupported",
    "TC4031": "reserved-mount",
    "TC4032": "variable-from-first-worker",
    "TC4033": "ssh-keys-need-root",
    "TC4034": "command-replaces-sshd",
    "TC4035": "variable-not-expanded",
    "TC4040": "queue-not-elastic",
    "TC4041": "spot-pod-not-replaced",
    "TC4050": "rejected-by-operator",
    "TC4051": "ignored-by-operator",
    "TC4052": "unknown-kind",
    "TC4053": "no-common-world",
    "TC4061": "deadline-restarts",
    "TC4064": "policy-needs-trainer",
    "TC4065": "master-has-another-name",
    "TC4066": "processes-by-cpus",
    "TC4067": "claims-lost",
    "TC4068": "workers-restart-alone",
    "TC4069": "launcher-pod",
    "TC4070": "gang-of-other-scheduler",
    "TC4081": "gang-waits-for-leader",
    "TC4082": "not-exclusive",
    "TC4083": "image-of-launcher-only",
    "TC4086": "pod-never-starts",
    "TC4087": "value-read-otherwise",
    "TC4090": "rejected-by-api-server",
    "TC4091": "hostfile-not-read",
    "TC4092": "operator-not-elastic",
    "TC4098": "tpu-unsupported",
    "TC5001": "import-dropped-field",
    "TC5002": "import-changed-field",
    "TC5003": "import-invalid",
    "TC5004": "unrendered-template",
    "TC5005": "role-programs-differ",
    "TC5010": "import-corrected",
    "TC5011": "custom-launch-command",
    "TC5015": "import-unsupported-system",
    "TC5016": "unusable-file",
    "TC5017": "files-too-large",
    "TC5018": "needs-server-side-apply",
    "TC5019": "missing-key",
    "TC5020": "other-namespace",
    "TC9001": "internal-error",
    "TC9002": "write-failed",
    "TC5040": "job-recreated",
    "TC5041": "training-restarts",
    "TC5042": "old-pods-kept",
    "TC5043": "world-resized",
    "TC5044": "object-left",
    "TC5045": "changed-in-cluster",
    "TC5050": "not-checked-further",
}
CODES = {name: code for name, code in vars(codes).items() if isinstance(code, Code)}
FAMILIES = set(re.findall(r"TC(\d)xxx", codes.__doc__ or ""))


def test_ids_and_names_are_unique() -> None:
    ids = [code.id for code in CODES.values()]
    assert len(set(ids)) == len(ids)
    names = [code.name for code in CODES.values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("code", CODES.values(), ids=repr)
def test_codes_keep_their_names(code: Code) -> None:
    assert PUBLISHED.get(code.id) == code.name, "add new codes to PUBLISHED; never change the meaning of an old one"


@pytest.mark.parametrize("code", CODES.values(), ids=repr)
def test_ids_belong_to_a_family_and_names_are_hyphenated(code: Code) -> None:
    assert re.fullmatch(r"TC[1-9]\d{3}", code.id)
    assert code.id[2] in FAMILIES
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", code.name)


def test_codes_are_sorted() -> None:
    ids = [code.id for code in CODES.values()]
    assert ids == sorted(ids)


def test_every_code_is_used() -> None:
    texts = "\n".join(
        file.read_text("utf-8")
        for file in COMPILER.rglob("*.py")
        if file.name != "codes.py" and "templates" not in file.parent.name
    )
    unused = {name for name, code in CODES.items() if f"codes.{name}" not in texts and f'"{code.id}"' not in texts}
    assert unused == set()


def test_texts_refer_to_existing_codes() -> None:
    root = COMPILER.parents[1]
    files = [root / "README.md", *(root / "docs").rglob("*.md"), *COMPILER.rglob("*.py")]
    references = {code for file in files for code in re.findall(r"TC\d{4}", file.read_text("utf-8"))}
    assert references <= {code.id for code in CODES.values()}
