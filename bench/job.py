"""Job of 63 lines for the benchmarks."""

from __future__ import annotations

import sys
from pathlib import Path

TRAINC = Path(sys.executable).with_name("trainc")

JOB = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata:
  name: mnist
  namespace: research
  labels:
    team: vision
    app.kubernetes.io/part-of: digits
spec:
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
  imagePullPolicy: IfNotPresent
  launch:
    torchrun:
      nprocPerNode: 8
      maxRestarts: 3
      rendezvous:
        backend: c10d
        conf:
          join_timeout: 600
          last_call_timeout: 30
  run:
    python:
    - train.py
    - --epochs
    - "3"
    - --data
    - /data/mnist
    - --lr=0.1
    - --amp
  workers: 4
  workingDir: /workspace
  resources:
    cpu: 32
    memory: 256Gi
    gpu: 8
    vpc.amazonaws.com/efa: 1
  env:
  - name: NCCL_DEBUG
    value: INFO
  - name: OMP_NUM_THREADS
    value: "4"
  - name: WANDB_API_KEY
    valueFrom:
      secretKeyRef:
        name: wandb
        key: api-key
  volumes:
  - name: data
    mountPath: /data
    readOnly: true
    persistentVolumeClaim:
      claimName: mnist
  - name: models
    mountPath: /models
    persistentVolumeClaim:
      claimName: models
  checkpoint: {path: /models/mnist/last.pt}
  lifecycle:
    activeDeadlineSeconds: 86400
    ttlSecondsAfterFinished: 3600
  scheduling:
    nodeSelector:
      gpu: h100
"""


def write_jobs(folder: Path, count: int) -> Path:
    """Write so many job files into a new directory, and return its path."""
    jobs = folder / "jobs"
    jobs.mkdir()
    for number in range(count):
        (jobs / f"{number}.yaml").write_text(JOB.replace("name: mnist", f"name: mnist-{number}", 1))
    return jobs
