"""Starter files of `trainc init`: a commented job file, and a project file."""

from __future__ import annotations

from trainc.emit.scalar import scalar
from trainc.systems.registry import DEFAULT, launcher_pod_backend

_PYTORCH = ("PyTorch", "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime")
_IMAGE = {
    "deepspeed": ("PyTorch, DeepSpeed", "deepspeed/deepspeed:v072_torch112_cu117"),
    "accelerate": ("PyTorch, Accelerate", "registry.example/train-with-accelerate:1.0"),
    "jax": ("JAX", "nvcr.io/nvidia/jax:25.10-py3"),
    "mpirun": ("PyTorch, Open MPI, openssh-server", "registry.example/train-with-mpi:1.0"),
    "ray": ("PyTorch, Ray", "registry.example/train-with-ray:1.0"),
}
_LAUNCH = {
    "torchrun": """\
  # torchrun in every pod, with one process per GPU; set nprocPerNode for another number.
  launch:
    torchrun: {}
""",
    "deepspeed": """\
  # DeepSpeed's launcher in every pod, without ssh, with one process per GPU.
  launch:
    deepspeed: {}
""",
    "accelerate": """\
  # `accelerate launch` in every pod, with one process per GPU. fsdp, deepspeed and configFile are fields of it.
  launch:
    accelerate: {}
""",
    "basic": """\
  # One process per pod, with variables WORLD_SIZE, RANK, MASTER_ADDR, MASTER_PORT.
  # `arguments: {worldSize: --world_size, rank: --rank}` also passes arguments.
  launch:
    basic: {}
""",
    "jax": """\
  # A program that calls jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
  # process_id=int(os.environ["JAX_PROCESS_ID"])). One process per pod uses all its GPUs.
  launch:
    jax: {}
""",
    "mpirun": """\
  # mpirun in a pod of its own, which starts one process per GPU in every worker over ssh.
  launch:
    mpirun: {}
""",
    "ray": """\
  # A Ray cluster of all workers. The program runs on worker 0, and finds the cluster by RAY_ADDRESS.
  launch:
    ray: {}
""",
}
_ELASTIC = " `elastic: {minReplicas: 1, maxReplicas: 4}` lets their number change while the job runs."
# Without a yaml-language-server line: editors resolve its path from the folder of the file, so it breaks when the file
# moves, and a missing schema is an error that also disables the schema of the editor's settings.
_JOB = """\
# Compile:     trainc compile FILEBACKEND | kubectl apply -f -
# All fields:  trainc explain spec
# In editors:  trainc schema prints the schema for `yaml.schemas`
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata:
  name: NAME
spec:
CLUSTER  # An image with Python, LIBRARIES and your code.
  image: IMAGE
LAUNCH  # Exactly one of python (a script), module (as for python -m) and exec (a command), with arguments.
  run:
    python: [train.py, --epochs, "3"]
  # Number of pods.ELASTIC
  workers: WORKERS
  # Requests and limits of each worker.
  resources:
    cpu: 8
    memory: 64Gi
GPUNETWORK  # env: {NCCL_DEBUG: INFO}
  # volumes:
  # - name: data
  #   mountPath: /data
  #   persistentVolumeClaim: {claimName: my-claim}
  # - name: code
  #   mountPath: /code
  #   files: [train.py]  # next to this file, in a ConfigMap
"""

# File of --project.
PROJECT = """\
# What all jobs of this repository have in common. trainc finds this file above each job file.
# All fields: trainc schema project
apiVersion: trainc.dev/v1alpha1
kind: Project
# Other versions of trainc stop with an error.
# requiresTrainc: ">=0.1,<0.2"

# Files of `trainc check` and `trainc compile` without arguments, and where the manifests are.
jobs: [jobs/]
manifests: manifests/

# System that runs the jobs, and exceptions by launcher or path; the first that matches applies.
backend: job
# backends:
# - {launcher: mpirun, backend: mpijob}
# - {paths: ["jobs/queued/**"], backend: jobset}
# versions: {kubernetes: "1.33"}

# Values of all jobs. A job file overrides them: mappings are merged, lists replace the default, and null removes it.
defaults:
  metadata:
    # namespace: training
    labels: {}
  spec:
    {}
    # imagePullSecrets: [{name: registry}]
    # scheduling: {queue: {name: training}}
    # podTemplate: {spec: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}}

# Warnings that are accepted, until a day if they should end.
# ignores:
# - {codes: [TC3088], paths: ["jobs/legacy/**"], until: 2027-01-31, owner: team-vision, reason: moved in January}
"""


def default_backend(launch: str) -> str:
    """Return the back end for a launcher if none is chosen."""
    return launcher_pod_backend() if launch == "mpirun" else DEFAULT


def starter_job(
    name: str,
    launch: str,
    workers: int = 2,
    gpus: int = 1,
    backend: str | None = None,
    fabric: str = "",
    cluster: str = "",
) -> str:
    """Return a job file.

    Its first comment names the back end if the command needs the option: by default that of the launcher, if it isn't
    trainc's; none for an empty text.
    """
    if backend is None:
        backend = default_backend(launch) if default_backend(launch) != DEFAULT else ""
    libraries, image = _IMAGE.get(launch, _PYTORCH)
    text = _JOB.replace("LIBRARIES", libraries, 1).replace("IMAGE", image, 1)
    text = text.replace("ELASTIC", _ELASTIC if launch in ("torchrun", "accelerate") else "", 1)
    text = text.replace("WORKERS", str(workers), 1).replace("GPU", f"    gpu: {gpus}\n" if gpus else "", 1)
    text = text.replace("NETWORK", f"  network:\n    fabric: {fabric}\n" if fabric else "", 1)
    text = text.replace("BACKEND", f" --backend {backend}" if backend else "", 1)
    text = text.replace("LAUNCH", _LAUNCH[launch], 1).replace("NAME", scalar(name), 1)
    return text.replace("CLUSTER", f"  cluster: {scalar(cluster)}\n" if cluster else "", 1)
