"""The help of a mistake that people bring from other tools is followed to the letter, and the result compiles.

Expected jobs are written by hand: the left column is what people write, the right one what they mean.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.cures import follow, parse
from trainc import compile
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.text import render

BASE = "{image: 'train:1', launch: {torchrun: {}}, run: {python: [train.py]}}"
ELASTIC = "minReplicas: 1, maxReplicas: 2"
UTILIZATION = "{type: Utilization, averageUtilization: 80}"
CLAIM = "persistentVolumeClaim: {claimName: x}"

# Names of other tools for fields of the job.
NAMES = [
    ("nnodes: 2", "workers: 2"),
    ("nodes: 2", "workers: 2"),
    ("num_nodes: 2", "workers: 2"),
    ("replicas: 2", "workers: 2"),
    ("parallelism: 2", "workers: 2"),
    ("nnodes: '2'", "workers: 2"),
    ("nnodes: 2:4", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("workers: 2:4", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("workers: {min: 2, max: 4}", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("{minNodes: 2, maxNodes: 4}", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("{workers: 4, minNodes: 2}", "{workers: 4, elastic: {minReplicas: 2, maxReplicas: 4}}"),
    ("maxNodes: 4", "elastic: {minReplicas: 1, maxReplicas: 4}"),
    ("elastic: 2:4", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("elastic: 2-4", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("elastic: [2, 4]", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("elastic: {min: 2, max: 4}", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}", "elastic: {minReplicas: 2, maxReplicas: 4}"),
    ("{workers: 4, elastic: true}", "{workers: 4, elastic: {minReplicas: 1, maxReplicas: 4}}"),
    ("elastic: {replicas: 2, min: 1, max: 4}", "{workers: 2, elastic: {minReplicas: 1, maxReplicas: 4}}"),
    ("rdzv_backend: c10d", "launch: {torchrun: {rendezvous: {backend: c10d}}}"),
    ("launch: {torchrun: {rdzv_backend: c10d}}", "launch: {torchrun: {rendezvous: {backend: c10d}}}"),
    ("launch: {torchrun: {rdzv_id: a, rdzvBackend: c10d}}", "launch: {torchrun: {rendezvous: {id: a, backend: c10d}}}"),
    ("launch: {torchrun: {master_port: 29500}}", "launch: {torchrun: {rendezvous: {port: 29500}}}"),
    (
        "launch: {torchrun: {rdzv_conf: 'join_timeout=600,read_timeout=60'}}",
        "launch: {torchrun: {rendezvous: {conf: {join_timeout: '600', read_timeout: '60'}}}}",
    ),
    ("launch: {torchrun: {nproc_per_node: 2}}", "launch: {torchrun: {nprocPerNode: 2}}"),
    ("nproc_per_node: 2", "launch: {torchrun: {nprocPerNode: 2}}"),
    ("max_restarts: 3", "launch: {torchrun: {maxRestarts: 3}}"),
    ("{launch: {deepspeed: {}}, nprocPerNode: 2}", "launch: {deepspeed: {slotsPerWorker: 2}}"),
    ("launch: {deepspeed: {num_gpus: 2}}", "launch: {deepspeed: {slotsPerWorker: 2}}"),
    ("launch: {deepspeed: {master_port: 29501}}", "launch: {deepspeed: {port: 29501}}"),
    ("launch: {deepspeed: {launcher_args: [--quiet]}}", "launch: {deepspeed: {otherArgs: [--quiet]}}"),
    ("{launch: {deepspeed: {}}, hostfile: /job/hostfile}", "launch: {deepspeed: {}}"),
    ("{launch: {deepspeed: {hostfile: /job/hostfile}}}", "launch: {deepspeed: {}}"),
    ("{workers: 2, node_rank: 0}", "workers: 2"),
    ("{workers: 2, master_addr: mnist-0}", "workers: 2"),
    ("{launch: null, launcher: torchrun}", "launch: {torchrun: {}}"),
    ("launch: torchrun", "launch: {torchrun: {}}"),
    ("launch: ddp", "launch: {torchrun: {}}"),
    ("launch: {dist.ddp: {}}", "launch: {torchrun: {}}"),
    ("{launch: null, nprocPerNode: 8}", "launch: {torchrun: {nprocPerNode: 8}}"),
    ("resources: {gpu: 0.5}", "resources: {gpu: {count: 1, cores: 50}}"),
    ("{workers: 2, completionMode: Indexed}", "workers: 2"),
    ("{sharedMemory: 1Gi, ipc: host}", "sharedMemory: 1Gi"),
    ("restart: always", "{}"),
    (
        f"elastic: {{{ELASTIC}, metrics: [{{type: Resource, resource: {{name: cpu, targetAverageUtilization: 80}}}}]}}",
        f"elastic: {{{ELASTIC}, metrics: [{{type: Resource, resource: {{name: cpu, target: {UTILIZATION}}}}}]}}",
    ),
    ("scheduling: {gang: true}", "scheduling: {gang: volcano}"),
    ("launch: {type: torchrun, maxRestarts: 3}", "launch: {torchrun: {maxRestarts: 3}}"),
    ("gpus: 8", "resources: {gpu: 8}"),
    ("num_gpus: 8", "resources: {gpu: 8}"),
    ("gpus_per_node: 8", "resources: {gpu: 8}"),
    ("resources: {gpus: 8}", "resources: {gpu: 8}"),
    ("gpus: H100:8", "resources: {gpu: 8}"),
    ("resources: {gpu: 'H100:8'}", "resources: {gpu: 8}"),
    ("resources: {gpu: 8xH100}", "resources: {gpu: 8}"),
    ("resources: {gpu: A100-80GB}", "resources: {gpu: 1}"),
    ("resources: {gpu: '8'}", "resources: {gpu: 8}"),
    ("resources: {accelerators: 'H100:8'}", "resources: {gpu: 8}"),
    ("resources: {accelerators: {H100: 8}}", "resources: {gpu: 8}"),
    ("gres: gpu:8", "resources: {gpu: 8}"),
    ("gres: gpu:h100:8", "resources: {gpu: 8}"),
    ("resources: {gpu: {type: H100, count: 8}}", "resources: {gpu: {count: 8}}"),
    ("resources: {gpu: {num: 8}}", "resources: {gpu: {count: 8}}"),
    ("resources: {limits: {gpu: 8}}", "resources: {limits: {nvidia.com/gpu: 8}}"),
    ("resources: {limits: {mem: 8Gi}}", "resources: {limits: {memory: 8Gi}}"),
    ("{cpus: 8, mem: 64Gi}", "resources: {cpu: 8, memory: 64Gi}"),
    ("{resources: {gpu: 1}, cpus_per_task: 8}", "resources: {gpu: 1, cpu: 8}"),
    ("resources: {memory: 64GB}", "resources: {memory: 64Gi}"),
    ("mem: 64GB", "resources: {memory: 64Gi}"),
    ("shm: 8Gi", "sharedMemory: 8Gi"),
    ("shmSize: 8Gi", "sharedMemory: 8Gi"),
    ("shm_size: 8GB", "sharedMemory: 8Gi"),
    ("timeout: 3600", "lifecycle: {activeDeadlineSeconds: 3600}"),
    ("timeout: 24h", "lifecycle: {activeDeadlineSeconds: 86400}"),
    ("time: '1-12:00:00'", "lifecycle: {activeDeadlineSeconds: 129600}"),
    ("lifecycle: {timeout: 1h30m}", "lifecycle: {activeDeadlineSeconds: 5400}"),
    ("lifecycle: {activeDeadlineSeconds: 24h}", "lifecycle: {activeDeadlineSeconds: 86400}"),
    ("lifecycle: {activeDeadlineSeconds: 90 min}", "lifecycle: {activeDeadlineSeconds: 5400}"),
    ("lifecycle: {ttlSecondsAfterFinished: 7d}", "lifecycle: {ttlSecondsAfterFinished: 604800}"),
    ("lifecycle: {terminationGracePeriodSeconds: 2m}", "lifecycle: {terminationGracePeriodSeconds: 120}"),
    ("launch: {torchrun: {monitorInterval: 5s}}", "launch: {torchrun: {monitorInterval: 5}}"),
    ("maxRetries: 3", "lifecycle: {backoffLimit: 3}"),
    ("max_retries: 3", "lifecycle: {backoffLimit: 3}"),
    ("lifecycle: {retries: 3}", "lifecycle: {backoffLimit: 3}"),
    ("backoffLimit: 3", "lifecycle: {backoffLimit: 3}"),
    ("ttl: 300", "lifecycle: {ttlSecondsAfterFinished: 300}"),
    ("{timeout: 2h, ttl: 5m}", "lifecycle: {activeDeadlineSeconds: 7200, ttlSecondsAfterFinished: 300}"),
    ("{timeout: 2h, lifecycle: {backoffLimit: 3}}", "lifecycle: {activeDeadlineSeconds: 7200, backoffLimit: 3}"),
    ("{timeout: 2h, lifecycle: null}", "lifecycle: {activeDeadlineSeconds: 7200}"),
    ("gracePeriod: 60", "lifecycle: {terminationGracePeriodSeconds: 60}"),
    ("runPolicy: {backoffLimit: 3}", "lifecycle: {backoffLimit: 3}"),
    ("suspend: true", "mode: paused"),
    ("debug: true", "mode: debug"),
    ("mode: {paused: true}", "mode: {paused: {}}"),
    ("mode: {debug: true}", "mode: {debug: {}}"),
    ("priority: high", "scheduling: {priorityClassName: high}"),
    ("priorityClass: high", "scheduling: {priorityClassName: high}"),
    ("scheduling: {priority: high}", "scheduling: {priorityClassName: high}"),
    ("localQueue: team-a", "scheduling: {queue: team-a}"),
    ("queueName: team-a", "scheduling: {queue: team-a}"),
    ("{localQueue: team-a, priority: high}", "scheduling: {queue: team-a, priorityClassName: high}"),
    ("{localQueue: team-a, scheduling: {spot: gke}}", "scheduling: {queue: team-a, spot: gke}"),
    ("nodeSelector: {zone: a}", "scheduling: {nodeSelector: {zone: a}}"),
    ("tolerations: [{operator: Exists}]", "scheduling: {tolerations: [{operator: Exists}]}"),
    ("scheduling: {minAvailable: 2, gang: volcano}", "scheduling: {gang: volcano}"),
    ("serviceAccount: trainer", "podTemplate: {spec: {serviceAccountName: trainer}}"),
    ("serviceAccountName: trainer", "podTemplate: {spec: {serviceAccountName: trainer}}"),
    ("hostIPC: true", "podTemplate: {spec: {hostIPC: true}}"),
    ("podTemplate: {runtimeClassName: nvidia}", "podTemplate: {spec: {runtimeClassName: nvidia}}"),
    (
        "livenessProbe: {exec: {command: [ls]}}",
        "podTemplate: {spec: {containers: [{name: main, livenessProbe: {exec: {command: [ls]}}}]}}",
    ),
    ("hostNetwork: true", "network: {hostNetwork: true}"),
    ("rdma: true", "network: {rdma: {resource: rdma/hca}}"),
    ("network: {rdma: true}", "network: {rdma: {resource: rdma/hca}}"),
    ("network: {rdma: 2}", "network: {rdma: {resource: rdma/hca, count: 2}}"),
    ("network: {rdma: rdma/ib}", "network: {rdma: {resource: rdma/ib}}"),
    ("imagePullSecrets: x", "imagePullSecrets: [{name: x}]"),
    ("imagePullSecrets: [x]", "imagePullSecrets: [{name: x}]"),
    ("imagePullSecret: x", "imagePullSecrets: [{name: x}]"),
    ("pullPolicy: Always", "imagePullPolicy: Always"),
    ("image: {repository: train, tag: '1'}", "image: 'train:1'"),
    ("image: 'docker:train:1'", "image: 'train:1'"),
    ("workdir: /work", "workingDir: /work"),
    ("backend: jobset", "{}"),
    ("backend: PyTorchJob", "{}"),
    ("system: volcano", "{}"),
    ("platform: kubernetes", "{}"),
    ("kind: MPIJob", "{}"),
    ("backend: nccl", "{}"),
    ("ddp_backend: gloo", "{}"),
    ("launch: {torchrun: {backend: jobset}}", "launch: {torchrun: {}}"),
    ("launch: {torchrun: {}, backend: trainjob}", "launch: {torchrun: {}}"),
    ("launch: {torchrun: {backend: nccl}}", "launch: {torchrun: {}}"),
    ("backend: c10d", "launch: {torchrun: {rendezvous: {backend: c10d}}}"),
    ("backend: static", "launch: {torchrun: {rendezvous: {backend: static}}}"),
    ("tpu: 4", "resources: {google.com/tpu: 4}"),
    ("resources: {tpus: 4}", "resources: {google.com/tpu: 4}"),
    ("efa: true", "network: {rdma: {resource: vpc.amazonaws.com/efa}}"),
    ("network: {efa: 4}", "network: {rdma: {resource: vpc.amazonaws.com/efa, count: 4}}"),
    ("resources: {efa: 4}", "resources: {vpc.amazonaws.com/efa: 4}"),
    (
        "resources: {memory: 8Gi, hugepages-2Mi: 1Gi}",
        "resources: {memory: 8Gi, limits: {hugepages-2Mi: 1Gi}}",
    ),
    ("secrets: hf", "envFrom: [{secretRef: {name: hf}}]"),
    ("secrets: [hf, wandb]", "envFrom: [{secretRef: {name: hf}}, {secretRef: {name: wandb}}]"),
    ("mixed_precision: bf16", "{}"),
    ("region: us-east-1", "scheduling: {nodeSelector: {topology.kubernetes.io/region: us-east-1}}"),
    ("zone: a", "scheduling: {nodeSelector: {topology.kubernetes.io/zone: a}}"),
    (
        "resources: {cpu: 1, instance_type: p4d.24xlarge}",
        "{resources: {cpu: 1}, scheduling: {nodeSelector: {node.kubernetes.io/instance-type: p4d.24xlarge}}}",
    ),
    ("nodelist: node-7", "scheduling: {nodeSelector: {kubernetes.io/hostname: node-7}}"),
    ("num_machines: 2", "workers: 2"),
    ("num_replicas: 2", "workers: 2"),
    ("{workers: 2, machine_rank: 0, main_process_ip: 10.0.0.1}", "workers: 2"),
    ("main_process_port: 29501", "launch: {torchrun: {rendezvous: {port: 29501}}}"),
    ("distributed_type: MULTI_GPU", "{}"),
    ("fsdp_config: {fsdp_version: 2}", "{}"),
    ("max_failures: 3", "lifecycle: {backoffLimit: 3}"),
    ("requeue: true", "{}"),
    ("autostop: 10", "{}"),
    ("account: ml", "{}"),
    ("mail_user: a@example.com", "{}"),
    ("output: logs/%j.out", "{}"),
    ("qos: high", "scheduling: {priorityClassName: high}"),
    (
        "scheduling: {tolerations: nvidia.com/gpu}",
        "scheduling: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}",
    ),
]  # fmt: skip
# Commands, as of a pod, a SkyPilot task or a Slurm script.
PROGRAMS = [
    ("run: srun --label python train.py", "run: {python: [train.py]}"),
    ("run: train.py", "run: {python: [train.py]}"),
    ("run: python train.py --lr 1", "run: {python: [train.py, --lr, '1']}"),
    ("run: [python3, -u, train.py, --lr, 1]", "run: {python: [train.py, --lr, 1]}"),
    ("run: [python, -m, pkg.train]", "run: {module: [pkg.train]}"),
    ("run: cd /work && ./a", "run: {exec: [bash, -c, cd /work && ./a]}"),
    ("run: {python: train.py --lr 1}", "run: {python: [train.py, --lr, '1']}"),
    ("run: {python: [train.py], args: [--lr, 0.1]}", "run: {python: [train.py, --lr, 0.1]}"),
    ("run: {python: train.py, args: --lr 1}", "run: {python: [train.py, --lr, '1']}"),
    ("run: {command: [python, train.py]}", "run: {python: [train.py]}"),
    ("run: {command: [python, train.py], args: [--lr, 1]}", "run: {python: [train.py, --lr, 1]}"),
    ("run: {command: ./train --fast}", "run: {exec: [./train, --fast]}"),
    ("run: {python: [train.py, {--lr: 0.1}]}", "run: {python: [train.py, --lr=0.1]}"),
    ("run: {script: train.py}", "run: {python: [train.py]}"),
    ("run: {script: train.sh}", "run: {exec: [bash, train.sh]}"),
    ("run: {python: train.py | tee log}", "run: {exec: [bash, -c, python3 train.py | tee log]}"),
    ("run: {module: pkg.train > log}", "run: {exec: [bash, -c, python3 -m pkg.train > log]}"),
    ("run: {exec: ./a && ./b}", "run: {exec: [bash, -c, ./a && ./b]}"),
    ("run: {bash: 'cd /work && ./a'}", "run: {exec: [bash, -c, cd /work && ./a]}"),
    ("run: {command: [torchrun, --nproc_per_node=8, train.py, --lr, 1]}", "run: {python: [train.py, --lr, 1]}"),
    ("run: {command: [python, -m, torch.distributed.run, -m, pkg]}", "run: {module: [pkg]}"),
    ("run: {command: [accelerate, launch, train.py]}", "run: {python: [train.py]}"),
    ("{run: null, command: [python, train.py]}", "run: {python: [train.py]}"),
    ("{run: null, command: [python, train.py], args: [--lr, 1]}", "run: {python: [train.py, --lr, 1]}"),
    ("{run: null, script: train.py}", "run: {python: [train.py]}"),
    ("args: [--lr, 1]", "run: {python: [train.py, --lr, 1]}"),
    ("script: other.py", "{}"),  # the job has a program
]
VOLUMES = [
    ("{name: data, mountPath: /d, persistentVolumeClaim: {name: x}}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("{name: data, mountPath: /d, persistentVolumeClaim: x}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("{name: data, mountPath: /d, pvc: x}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("{name: data, mountPath: /d, pvcName: x}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("{name: data, mountPath: /d, claimName: x}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("{name: data, mountPath: /d, claim: x}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("{name: data, mountPath: /d, claim: {name: x}}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("{name: data, path: /d, pvc: x}", f"{{name: data, mountPath: /d, {CLAIM}}}"),
    ("data:/data", "{name: data, mountPath: /data, persistentVolumeClaim: {claimName: data}}"),
    ("./a/b:/data", "{name: a-b, mountPath: /data, persistentVolumeClaim: {claimName: a-b}}"),
    ("/mnt/a:/data:ro", "{name: a, mountPath: /data, hostPath: {path: /mnt/a}, readOnly: true}"),
    ("{name: data, mountPath: /d, claim: 10Gi}", "{name: data, mountPath: /d, claim: {size: 10Gi}}"),
    ("{name: data, mountPath: /d, size: 10Gi}", "{name: data, mountPath: /d, claim: {size: 10Gi}}"),
    ("{name: data, mountPath: /d, claim: {storage: 10Gi}}", "{name: data, mountPath: /d, claim: {size: 10Gi}}"),
    (
        "{name: data, mountPath: /d, claim: {size: 10Gi, storageClassName: fast, accessModes: [ReadWriteMany]}}",
        "{name: data, mountPath: /d, claim: {size: 10Gi, storageClass: fast, accessMode: ReadWriteMany}}",
    ),
    ("{name: data, mountPath: /d, secret: {name: x}}", "{name: data, mountPath: /d, secret: {secretName: x}}"),
    ("{name: data, mountPath: /d, secret: x}", "{name: data, mountPath: /d, secret: {secretName: x}}"),
    ("{name: data, mountPath: /d, configMap: x}", "{name: data, mountPath: /d, configMap: {name: x}}"),
    ("{name: data, mountPath: /d, hostPath: /mnt}", "{name: data, mountPath: /d, hostPath: {path: /mnt}}"),
    ("{name: data, mountPath: /d, nfs: 'nas:/a'}", "{name: data, mountPath: /d, nfs: {server: nas, path: /a}}"),
    ("{name: data, mountPath: /d, emptyDir: 10Gi}", "{name: data, mountPath: /d, emptyDir: {sizeLimit: 10Gi}}"),
    ("{name: data, mountPath: /d, emptyDir: true}", "{name: data, mountPath: /d, emptyDir: {}}"),
    ("{name: data, mountPath: /d, emptyDir: null}", "{name: data, mountPath: /d, emptyDir: {}}"),
    ("{name: Data_1, mountPath: /d, emptyDir: {}}", "{name: data-1, mountPath: /d, emptyDir: {}}"),
    ("{name: data, mounts: [/a], emptyDir: {}}", "{name: data, mounts: [{mountPath: /a}], emptyDir: {}}"),
    ("{name: data, mounts: [{path: /a}], emptyDir: {}}", "{name: data, mounts: [{mountPath: /a}], emptyDir: {}}"),
]
DATA = "{name: data, mountPath: /data, persistentVolumeClaim: {claimName: data}}"
STORAGE = [
    (f"volumes: {DATA}", f"volumes: [{DATA}]"),
    ("volumes: 'data:/data'", f"volumes: [{DATA}]"),
    ("volumes: {data: /data}", f"volumes: [{DATA}]"),
    ("pvc: data", f"volumes: [{DATA}]"),
    ("pvc: {name: data, path: /data}", f"volumes: [{DATA}]"),
    (
        f"{{volumes: [{DATA}], checkpoint: /data/last.pt}}",
        f"{{volumes: [{DATA}], checkpoint: {{path: /data/last.pt}}}}",
    ),
    (f"{{volumes: [{DATA}], checkpoint: true}}", f"{{volumes: [{DATA}], checkpoint: {{}}}}"),
    (f"{{volumes: [{DATA}], checkpoint: {{dir: /data/a}}}}", f"{{volumes: [{DATA}], checkpoint: {{path: /data/a}}}}"),
    (f"{{volumes: [{DATA}], ckpt_path: /data/a}}", f"{{volumes: [{DATA}], checkpoint: {{path: /data/a}}}}"),
    (f"{{volumes: [{DATA}], save: /data/model}}", f"{{volumes: [{DATA}], save: {{path: /data/model}}}}"),
    (f"{{volumes: [{DATA}], output_dir: /data/model}}", f"{{volumes: [{DATA}], save: {{path: /data/model}}}}"),
]
SECRET = "secretKeyRef: {name: s, key: k}"
ENVIRONMENTS = [
    ("env: [{A: b}]", "env: [{name: A, value: b}]"),
    ("env: [{A: 1}, {B: c}]", "env: [{name: A, value: '1'}, {name: B, value: c}]"),
    ("env: [{A: b, C: d}, {E: f}]", "env: {A: b, C: d, E: f}"),
    ("env: [A=b]", "env: [{name: A, value: b}]"),
    ("env: A=b", "env: {A: b}"),
    (f"env: [{{A: {{{SECRET}}}}}]", f"env: [{{name: A, valueFrom: {{{SECRET}}}}}]"),
    (f"env: {{A: {{{SECRET}}}}}", f"env: {{A: {{valueFrom: {{{SECRET}}}}}}}"),
    (f"env: [{{name: A, {SECRET}}}]", f"env: [{{name: A, valueFrom: {{{SECRET}}}}}]"),
    ("env: {A: {secret: {name: s, key: k}}}", f"env: {{A: {{valueFrom: {{{SECRET}}}}}}}"),
    ("env: {A: {secret: s, key: k}}", f"env: {{A: {{valueFrom: {{{SECRET}}}}}}}"),
    ("env: {A: {secretName: s, key: k}}", f"env: {{A: {{valueFrom: {{{SECRET}}}}}}}"),
    ("env: {A: {from: {secret: s, key: k}}}", f"env: {{A: {{valueFrom: {{{SECRET}}}}}}}"),
    (f"env: {{A: {{from: {{{SECRET}}}}}}}", f"env: {{A: {{valueFrom: {{{SECRET}}}}}}}"),
    ("env: {A: {secret: s}}", "env: {A: {valueFrom: {secretKeyRef: {name: s, key: A}}}}"),
    ("env: {A: {from: s}}", "env: {A: {valueFrom: {secretKeyRef: {name: s, key: A}}}}"),
    ("env: [{name: A, secret: s}]", "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: A}}}]"),
    ("env: {A: {configMap: m, key: k}}", "env: {A: {valueFrom: {configMapKeyRef: {name: m, key: k}}}}"),
    ("env: {A: {fieldRef: metadata.name}}", "env: {A: {valueFrom: {fieldRef: {fieldPath: metadata.name}}}}"),
    ("env: {A: {value: b}}", "env: {A: b}"),
    ("env: {A: null}", "env: {A: ''}"),
    ("environment: {A: b}", "env: {A: b}"),
    ("envs: {A: b}", "env: {A: b}"),
    ("envFrom: [{secret: {name: s}}]", "envFrom: [{secretRef: {name: s}}]"),
    ("envFrom: [s]", "envFrom: [{secretRef: {name: s}}]"),
    ("envFrom: [{secretRef: s}]", "envFrom: [{secretRef: {name: s}}]"),
]


def job(spec: str) -> dict[str, Any]:
    """Return a job with fields of `spec` in place of those of BASE; one that is null in both is left out."""
    base, fields = parse(BASE), parse(spec)
    merged = {**base, **fields}
    for name in ("launch", "run"):
        if merged[name] is None:
            del merged[name]
    return {
        "apiVersion": "trainc.dev/v1alpha1",
        "kind": "TrainingJob",
        "metadata": {"name": "mnist"},
        "spec": merged,
    }


def volume_job(volume: str) -> str:
    return json.dumps({"volumes": [parse(volume)]})


def diagnose(document: dict[str, Any]) -> list[Diagnostic]:
    return [item for item in compile(json.dumps(document)).diagnostics if item.severity == "error"]


CASES = [
    *(pytest.param(*case, id=case[0]) for case in (*NAMES, *PROGRAMS, *STORAGE, *ENVIRONMENTS)),
    *(pytest.param(volume_job(wrong), volume_job(right), id=wrong) for wrong, right in VOLUMES),
]


@pytest.mark.sample(60)
@pytest.mark.parametrize(("wrong", "right"), CASES)
def test_the_help_followed_to_the_letter_makes_the_job_valid(wrong: str, right: str) -> None:
    document = job(wrong)
    diagnostics = diagnose(document)
    assert diagnostics
    for diagnostic in diagnostics:
        follow(document, diagnostic)
    assert document == job(right), render(diagnostics)
    assert not diagnose(document), render(diagnostics)


MOUNT = (
    "build the code into the image, or mount files from the job file's directory:"
    " `volumes: [{name: code, mountPath: /code, files: [train.py]}]`"
)
# Only the field is known, not its value.
FIELDS = [
    ("memory: 64", "did you mean `spec.resources.memory`?"),
    ("mem: 64", "use `spec.resources.memory`"),
    ("time: 60", "use `spec.lifecycle.activeDeadlineSeconds`"),
    ("timeout: soon", "use `spec.lifecycle.activeDeadlineSeconds`"),
    ("elasticPolicy: {minReplicas: 1, maxReplicas: 2, rdzvBackend: c10d}", "use `elastic`"),
    ("priority: 50", "use `spec.scheduling.priorityClassName`"),
    ("volumeMounts: [{name: data, mountPath: /data}]", "set `mountPath` of the volumes in `spec.volumes`"),
    ("template: {spec: {containers: [{name: a}]}}", "set `image`, `run`, `workers` and `resources`"),
    ("pytorchReplicaSpecs: {}", "set `image`, `run`, `workers` and `resources`"),
    ("setup: pip install a", "build it into the image"),
    ("ports: [29500]", "remove it, or declare other ports than the rendezvous in `podTemplate`"),
    ("sidecars: []", "write it in `podTemplate.spec.containers`"),
    ("launch: {rayTrain: {}}", "use `ray`"),
    (
        "launch: {deepspeed: {config: ds.json}}",
        "name the file in the program's arguments, as by `--deepspeed_config=FILE`",
    ),
    ("launch: {huggingface: {}}", "use `accelerate`"),
    (
        "launch: {tensorflow: {}}",
        "use `basic`, and write TF_CONFIG in the program from MASTER_ADDR, WORLD_SIZE and RANK",
    ),
    ("launch: {slurm: {}}", "use `torchrun`: pods have no Slurm"),
    (
        "launch: {torchrun: {args: [--max-restarts=3]}}",
        "write the options as fields of `torchrun`: `trainc explain spec.launch.torchrun` lists them",
    ),
    ("code: .", MOUNT),
    (
        "git: {repo: https://example.com/a}",
        "build the code into the image, or clone it in an init container of `podTemplate` into a volume",
    ),
    (
        "secrets: {HF_TOKEN: hf}",
        "write a variable for each: `env: {NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}}`",
    ),
    ("tensorboard: true", "remove it, and start TensorBoard on the volume to which the program writes its logs"),
    ("workdir: .", MOUNT),
    ("{scheduling: {nodeSelector: {a: b}}, zone: a}", "merge it into `spec.scheduling.nodeSelector`"),
    ("file_mounts: {/data: 's3://a/b'}", "write each as an item of `spec.volumes`, or pass a URL to the program"),
    ("scaling_config: {num_workers: 4}", "set `image`, `run`, `workers` and `resources`"),
    ("trainer: {numNodes: 2}", "set `image`, `run`, `workers` and `resources`"),
    ("use_gpu: true", "set `resources.gpu`, the GPUs of each worker"),
    ("mem_per_cpu: 4G", "set `resources.memory`, the memory of each worker"),
    ("ntasks: 8", "set `workers`, and the processes of each in `launch` if they aren't as many as its GPUs"),
    ("constraint: a100", "select the nodes by a label in `scheduling.nodeSelector`"),
    ("array: 0-3", "list the values in `matrix`, next to `metadata` and `spec`: `matrix: {lr: [0.1, 0.01]}`"),
    (
        "schedule: '0 0 * * *'",
        "remove it, and create the manifests at these times: `trainc compile FILE | kubectl create -f -`",
    ),
    ("podFailurePolicy: {rules: []}", "set `lifecycle.exitCodes`"),
    ("cluster: prod", "add it to `clusters` of trainc.yaml"),
    ("{resources: {cpu: 1}, resourcesPerNode: {memory: 1Gi}}", "merge it into `spec.resources`"),
    ("volumes: ['s3://a:b']", None),
    ("nprocs: 8", None),
    (
        "checkpoint: s3://a/b",
        'remove it, and pass the URL to the program: `env: {CHECKPOINT_PATH: "s3://a/b"}`;'
        " or mount a volume, and write its path",
    ),
    (
        "save: {path: gs://a/b}",
        'remove it, and pass the URL to the program: `env: {SAVE_PATH: "gs://a/b"}`;'
        " or mount a volume, and write its path",
    ),
    (
        "volumes: ['az://a/b:/data']",
        "write `{name: data, mountPath: /data, persistentVolumeClaim: {claimName: CLAIM}}`,"
        " with a claim of the store's CSI driver, or pass the URL to the program",
    ),
    ("path: /data", None),
    ("type: a", None),
    ("volumes: [{name: data, mountPath: /d, persistentVolumeClaim: {claimName: a, size: 1Gi}}]", None),
    ("resources: {gpu: {count: 1, shape: a}}", None),
]


@pytest.mark.parametrize(("wrong", "help_"), FIELDS)
def test_a_help_names_at_most_the_field_if_its_value_is_unknown(wrong: str, help_: str | None) -> None:
    (diagnostic,) = diagnose(job(wrong))
    assert diagnostic.help == help_


CLONE = """
volumes: [{name: code, mountPath: /code, emptyDir: {}}]
podTemplate:
  spec:
    initContainers:
    - {name: clone, image: 'git:1', args: [clone, 'https://example.com/a', /code],
       volumeMounts: [{name: code, mountPath: /code}]}
"""


@pytest.mark.parametrize(
    "spec",
    [
        "launch: {basic: {}}",
        "volumes: [{name: code, mountPath: /code, files: [train.py]}]",
        CLONE,
        "env: {HF_TOKEN: {valueFrom: {secretKeyRef: {name: hf, key: token}}}}",
    ],
)
def test_what_the_advice_above_says_compiles(spec: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    result = compile(json.dumps(job(spec)), filename=str(tmp_path / "job.yaml"))
    assert not [each for each in result.diagnostics if each.severity == "error"], render(result.diagnostics)
    assert result.manifests


def test_huge_pages_need_memory_as_the_next_help_says() -> None:
    """`HugePages require cpu or memory`: ValidateResourceRequirements of Kubernetes."""
    document = job("resources: {hugepages-2Mi: 1Gi}")
    (unknown,) = diagnose(document)
    follow(document, unknown)
    (diagnostic,) = diagnose(document)
    assert diagnostic.help == "request memory, too"
    document["spec"]["resources"]["memory"] = "8Gi"
    assert not diagnose(document)


@pytest.mark.parametrize("field", ["fsdp_config: {}", "account: ml", "resources: {gpu: {type: H100, count: 8}}"])
def test_a_fix_that_loses_what_a_field_says_is_unsafe(field: str) -> None:
    (diagnostic,) = diagnose(job(field))
    assert diagnostic.fix is not None
    assert not diagnostic.fix.is_safe


@pytest.mark.parametrize("place", ["backend", "system"])
def test_a_fix_for_a_back_end_in_the_file_loses_the_choice_and_is_unsafe(place: str) -> None:
    (diagnostic,) = diagnose(job(f"{place}: jobset"))
    assert diagnostic.help == "remove it: `trainc compile --backend jobset` selects the system"
    assert diagnostic.fix is not None
    assert not diagnostic.fix.is_safe


@pytest.mark.parametrize(
    ("backend", "options"),
    [
        ("jobset", "`--backend jobset`"),
        ("volcano", "`--backend vcjob`"),
        ("kubernetes", "one of the back ends pods, job, statefulset"),
    ],
)
def test_a_system_as_rendezvous_is_a_warning(backend: str, options: str) -> None:
    document = job(f"{{launch: {{torchrun: {{rendezvous: {{backend: {backend}}}}}}}, workers: 2}}")
    (diagnostic,) = compile(json.dumps(document)).diagnostics
    assert (diagnostic.code.id, diagnostic.severity) == ("TC3152", "warning")
    assert diagnostic.help == f"remove it, and select the system by {options}"


@pytest.mark.parametrize("variable", ["{secret: My_Token1}", "{secret: s, zone: k}", "{from: [s]}", "{secret: {}}"])
def test_a_variable_that_no_secret_can_be_is_not_read(variable: str) -> None:
    assert all("secretKeyRef" not in (each.help or "") for each in diagnose(job(f"env: {{A: {variable}}}")))


FULL = """
metadata: {name: MNIST_v1}
image: train:1
launch:
  torchrun: {nproc_per_node: 8, rdzv_backend: c10d}
run:
  python: train.py
  args: [--lr, 0.1]
nnodes: 2:4
gpus: H100:8
timeout: 24h
ttl: 1h
priority: high
localQueue: team-a
serviceAccount: trainer
imagePullSecrets: registry
shmSize: 16GB
env:
- NCCL_DEBUG: INFO
- HF_TOKEN: {secretKeyRef: {name: hf, key: token}}
volumes:
- data:/data
- {name: out, path: /out, pvc: results}
- {name: token, mountPath: /token, secret: {name: token}}
checkpoint: /out/last.pt
network: {rdma: true}
hostfile: /job/hostfile
"""


def test_all_mistakes_of_a_file_are_cured_at_once() -> None:
    fields = parse(FULL)
    document = {**job("{}"), "metadata": fields.pop("metadata"), "spec": fields}
    for diagnostic in diagnose(document):
        follow(document, diagnostic)
    assert not diagnose(document), render(diagnose(document))
    assert document["metadata"] == {"name": "mnist-v1"}
    assert document["spec"]["lifecycle"] == {"activeDeadlineSeconds": 86400, "ttlSecondsAfterFinished": 3600}
    assert document["spec"]["scheduling"] == {"priorityClassName": "high", "queue": "team-a"}


def test_fields_without_their_section_are_cured_together() -> None:
    document: dict[str, Any] = {**job("{}"), **job("{}")["spec"]}
    del document["spec"]
    (diagnostic,) = diagnose(document)
    assert diagnostic.message == "unknown fields `image`, `launch` and `run` in the job"
    follow(document, diagnostic)
    assert document == job("{}")


TOKEN = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"


@pytest.mark.parametrize(
    "spec",
    [
        f"env: [HF_TOKEN={TOKEN}]",
        f"env: [{{HF_TOKEN: {TOKEN}}}]",
        f"environment: {{HF_TOKEN: {TOKEN}}}",
        "environment: {DB_PASSWORD: 4a8f1c09be}",
        "env: [DB_PASSWORD=4a8f1c09be]",
        f"run: wandb login && ./a --token {TOKEN}",
        f"command: [./a, --token, {TOKEN}]",
        f"{TOKEN}: 1",
        "env: [{name: DB_PASSWORD, value: 4508109736}]",
    ],
)
def test_messages_and_helps_repeat_no_secret(spec: str) -> None:
    diagnostics = diagnose(job(spec))
    assert diagnostics
    texts = [text for item in diagnostics for text in (item.message, item.help or "", item.expected or "")]
    assert not any(secret in text for text in texts for secret in (TOKEN, "4a8f1c09be", "4508109736")), texts
