"""Behavior of launch.jax, which starts the program itself: no launcher exists for JAX.

Variables are those of jax.distributed, of jax 0.10: https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/distributed.py
JAX itself reads the address and the devices. The number of processes and the process id have the names that Kubeflow
Trainer uses, too; the program passes them on: https://github.com/jax-ml/jax/issues/12415
"""

from __future__ import annotations

from trainc.launchers.traits import Traits

ADDRESS, PROCESSES, PROCESS_ID = "JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"
LOCAL_DEVICES = "JAX_LOCAL_DEVICE_IDS"
# Variables that differ between the processes of a pod.
EACH = (PROCESS_ID, LOCAL_DEVICES)
ARGUMENTS = f'num_processes=int(os.environ["{PROCESSES}"]), process_id=int(os.environ["{PROCESS_ID}"])'
# The port if JAX finds the coordinator itself, and its default on TPUs: jax/_src/clusters/cloud_tpu_cluster.py
DETECTED_PORT, TPU_PORT = "JAX_COORDINATOR_PORT", 8482
# Defaults of initialize: seconds that a process waits for the others, after which a silent one is lost, and that one
# waits for the others at its exit.
INITIALIZATION_TIMEOUT, HEARTBEAT_TIMEOUT, SHUTDOWN_TIMEOUT = 300, 100, 300
ABORTED = 134  # exit code after SIGABRT, with which processes end that have lost a peer

TRAITS = Traits(
    name="jax",
    has_processes=False,
    follows_gpus=False,
    framework="jax",
    joins_slices=True,
    cpu_env={"JAX_PLATFORMS": "cpu"},
)
