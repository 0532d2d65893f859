"""The repository of a company: two teams, three clusters with different fabrics, 300 job files, one of them a sweep.

| directory | jobs | cluster | fabric | back end |
|---|---|---|---|---|
| jobs/vision | v-0 to v-99 | east | EFA | jobset |
| jobs/speech | s-0 to s-99 | north | InfiniBand | jobset |
| jobs/lab | l-0 to l-98, sweep | lab | Ethernet | job |

Job number n has 1 + n % 4 workers; in the laboratory, 1 + n % 2. All have 8 GPUs per worker, in the laboratory 4.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.files import write_all
from tests.support.git import create_repository

HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: {}\n"
PROJECT = (
    HEAD.format("Project")
    + """\
jobs: [jobs/]
manifests: manifests/
backend: jobset
clusters:
  east: {file: clusters/east.yaml, jobs: [jobs/vision/]}
  north: {file: clusters/north.yaml, jobs: [jobs/speech/]}
  lab: {file: clusters/lab.yaml, jobs: [jobs/lab/]}
defaults:
  metadata: {namespace: training}
policy:
  requiredLabels: [team]
  labelValues: {team: [vision, speech]}
  allowedRegistries: [registry.example.com]
  maxGPUs: 64
  forbidden: [hostPath]
"""
)
JOB = (
    HEAD.format("TrainingJob")
    + """\
metadata: {{name: {name}, labels: {{team: {team}}}}}
spec:
  image: {image}
  launch: {{torchrun: {{}}}}
  run: {{python: [train.py]}}
  workers: {workers}
  resources: {{cpu: 16, memory: 128Gi, gpu: {gpus}}}
  checkpoint: {{path: /checkpoints/{name}}}
"""
)
VOLUME = """\
  volumes:
  - {{name: checkpoints, mountPath: /checkpoints, persistentVolumeClaim: {{claimName: checkpoints}}}}
"""
SWEEP = JOB.replace("train.py]", 'train.py, --lr, "${{{{ matrix.lr }}}}"]').replace(
    "spec:\n", "matrix: {{lr: [0.1, 0.2, 0.3, 0.4, 0.5], maxParallel: 2}}\nspec:\n"
)
INFINIBAND = "rdma/rdma_shared_device_a"
JOBSET_CRD = {"group": "jobset.x-k8s.io", "kind": "JobSet", "versions": ["v1alpha2"]}


def node(
    name: str, gpus: int, labels: dict[str, str] | None = None, devices: dict[str, int | str] | None = None
) -> dict[str, Any]:
    """Return four nodes of an entry, with the devices of a fabric."""
    allocatable = {"cpu": "96", "memory": "1000Gi", "pods": 110, "nvidia.com/gpu": gpus, **(devices or {})}
    return {"name": name, "count": 4, "allocatable": allocatable, **({"labels": labels} if labels else {})}


def entry(name: str, **spec: Any) -> str:
    """Return the text of the entry of a cluster."""
    document = {"apiVersion": "trainc.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": name}, "spec": spec}
    return json.dumps(document, indent=2)


def east(gpu_quota: int = 32) -> str:
    """Return the entry of the cluster with EFA, whose namespace has a quota of GPUs."""
    machine = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    efa: dict[str, int | str] = {"vpc.amazonaws.com/efa": 32, "hugepages-2Mi": "6Gi"}
    nodes = [node("p5", 8, machine, efa)]
    quota = {"requests.nvidia.com/gpu": gpu_quota}
    return entry(
        "east", kubernetes="1.33", nodes=nodes, namespaces=[{"name": "training", "quota": quota}],
        customResources=[JOBSET_CRD],
    )  # fmt: skip


def job(name: str, team: str, workers: int, gpus: int = 8, tag: str = "1.4", network: str = "") -> str:
    """Return the text of a job file; `network` are lines below `spec`."""
    image = f"registry.example.com/{team}/train:{tag}"
    return JOB.format(name=name, team=team, image=image, workers=workers, gpus=gpus) + VOLUME.format() + network


EFA = """\
  network: {fabric: efa}
  scheduling: {nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}}
"""
IB = "  network: {fabric: infiniband}\n"
NO_FABRIC = "  network: {fabric: none}\n"


def files() -> dict[str, str]:
    """Return the files of the repository by path."""
    north = entry("north", kubernetes="1.33", nodes=[node("dgx", 8, {}, {INFINIBAND: 8})], customResources=[JOBSET_CRD])
    lab = entry("lab", kubernetes="1.34", backend="job", nodes=[node("box", 4)])
    sweep = SWEEP.format(name="sweep", team="speech", image="registry.example.com/speech/train:1.4", workers=1, gpus=4)
    return {
        "trainc.yaml": PROJECT,
        "clusters/east.yaml": east(),
        "clusters/north.yaml": north,
        "clusters/lab.yaml": lab,
        **{f"jobs/vision/v-{n}.yaml": job(f"v-{n}", "vision", 1 + n % 4, network=EFA) for n in range(100)},
        **{f"jobs/speech/s-{n}.yaml": job(f"s-{n}", "speech", 1 + n % 4, network=IB) for n in range(100)},
        **{f"jobs/lab/l-{n}.yaml": job(f"l-{n}", "vision", 1 + n % 2, gpus=4, network=NO_FABRIC) for n in range(99)},
        "jobs/lab/sweep.yaml": sweep + VOLUME.format() + NO_FABRIC,
    }


def found(folder: Path) -> None:
    """Write the repository, and commit it."""
    write_all(folder, files())
    create_repository(folder)
