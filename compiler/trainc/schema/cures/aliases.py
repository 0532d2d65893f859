"""Names of Kubernetes, Kubeflow, Volcano, torchrun, DeepSpeed, SkyPilot and Slurm for the fields of a job file.

A table is `field: names`. Names match in any spelling: `max_retries` is `maxRetries`. A name of several fields means
the first that the job can have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from trainc.schema.hints import folded
from trainc.schema.paths import Path, dotted
from trainc.source.node import Mapping, Node, Scalar

NO_ARGUMENT = "only arguments that the file names are passed"
_ARGUMENT = re.compile(r"\bargument(s\.\w+)?$")
GPU_MODEL = "select the GPU model by a node label in `scheduling.nodeSelector`"
_STRATEGY = "`launch` names the launcher, and the program the strategy"
_IN_PROGRAM = "the program sets it"
_ACCOUNT = "the namespace's quota, or the queue in `scheduling.queue`, accounts for the job"
_MAIL = "a monitor of the cluster sends messages"
ANYWHERE = {
    "metadata.name": "jobName",
    "spec.image": "dockerImage containerImage imageName imageId baseImage container docker",
    "spec.imagePullPolicy": "pullPolicy",
    "spec.imagePullSecrets": "pullSecrets pullSecret imagePullSecret registrySecret",
    "spec.launch": "launcher",
    "spec.launch.torchrun.nprocPerNode": "nprocPerNode numProcPerNode procPerNode nproc processesPerNode ntasksPerNode",
    "spec.launch.basic.nprocPerNode": "nprocPerNode numProcPerNode procPerNode nproc processesPerNode ntasksPerNode",
    "spec.launch.deepspeed.slotsPerWorker": "numProcPerNode procPerNode nprocPerNode nproc ntasksPerNode slots",
    "spec.launch.torchrun.rendezvous": "rdzv",
    "spec.launch.torchrun.rendezvous.backend": "rdzvBackend",
    "spec.launch.torchrun.rendezvous.endpoint": "rdzvEndpoint",
    "spec.launch.torchrun.rendezvous.id": "rdzvId",
    "spec.launch.torchrun.rendezvous.conf": "rdzvConf",
    "spec.launch.torchrun.rendezvous.port": "masterPort rdzvPort mainProcessPort",
    "spec.launch.basic.port": "masterPort mainProcessPort",
    "spec.launch.jax.nprocPerNode": "processesPerHost",
    "spec.launch.jax.port": "coordinatorPort",
    "spec.launch.deepspeed.port": "masterPort mainProcessPort",
    "spec.run": "command args cmd script program entrypoint",
    "spec.workers": "nnodes nodes numNodes numMachines replicas numReplicas parallelism completions numWorkers numHosts"
    " workerCount",
    "spec.workingDir": "workdir workingDirectory cwd",
    "spec.resources": "resourcesPerNode resourcesPerWorker",
    "spec.resources.cpu": "cpus numCpus cpusPerTask",
    "spec.resources.memory": "mem ram memPerNode",
    "spec.resources.ephemeralStorage": "disk diskSize",
    "spec.resources.google.com/tpu": "tpu tpus",
    "spec.resources.gpu": "gpus numGpus gpuCount gpusPerNode gpusPerWorker accelerator accelerators gres",
    "spec.sharedMemory": "shm shmSize dshm sharedMemorySize",
    "spec.elastic": "elasticPolicy autoscaling",
    "spec.elastic.minReplicas": "minNodes minWorkers minNnodes",
    "spec.elastic.maxReplicas": "maxNodes maxWorkers maxNnodes",
    "spec.env": "envs environment envVars environmentVariables variables",
    "spec.envFrom": "secrets secretRefs envSecrets",
    "spec.volumes": "pvc persistentVolumeClaim mounts fileMounts",
    "spec.checkpoint.path": "checkpointPath checkpointDir checkpoints ckpt ckptPath ckptDir",
    "spec.save.path": "savePath saveDir outputDir outputPath",
    "spec.mode": "suspend suspended pause paused debug runMode",
    "spec.lifecycle": "runPolicy",
    "spec.lifecycle.activeDeadlineSeconds": "timeout timeoutSeconds deadline timeLimit time walltime maxRuntime",
    "spec.lifecycle.backoffLimit": "maxRetries maxRetry retries retry retryLimit maxFailures maxRestartsOnErrors",
    "spec.lifecycle.ttlSecondsAfterFinished": "ttl ttlSeconds ttlAfterFinished",
    "spec.lifecycle.terminationGracePeriodSeconds": "gracePeriod gracePeriodSeconds terminationGracePeriod",
    "spec.lifecycle.cleanPodPolicy": "cleanUpPolicy",
    "spec.scheduling": "schedulingPolicy",
    "spec.scheduling.queue": "localQueue localQueueName queueName partition",
    "spec.scheduling.nodeSelector": "region zone instanceType nodelist",
    "spec.scheduling.priorityClassName": "priority priorityClass qos",
    "spec.scheduling.gang": "gangScheduling gangScheduler",
    "spec.scheduling.spot": "useSpot preemptible",
    "spec.scheduling.oneWorkerPerNode": "exclusive",
    "spec.scheduling.runtime": "runtimeRef trainingRuntime",
    "spec.scheduling.topologyKey": "topology",
    "spec.network.rdma": "infiniband ib efa",
    "spec.network.interface": "ifname networkInterface socketIfname",
    "spec.podTemplate": "template",
    "spec.podTemplate.spec": "podSpec",
    "spec.podTemplate.spec.serviceAccountName": "serviceAccount",
}
# By section; a field is relative to the section unless it starts with `spec.`.
SECTIONS = {
    "metadata": {"name": "generateName jobName"},
    "spec.launch": {
        "spec.launch.torchrun": "dist.ddp ddp torch pytorch torchDistributed distributed",
        "spec.launch.ray": "rayTrain rayCluster",
        "spec.launch.mpirun": "mpi mpiexec openmpi horovod horovodrun",
        "spec.launch.basic": "none python single",
        "spec.launch.jax": "flax maxtext jaxDistributed jaxjob",
    },
    "spec.launch.torchrun.rendezvous": {
        "backend": "type",
        "endpoint": "host address server",
        "conf.join_timeout": "timeout joinTimeout",
        "conf.last_call_timeout": "lastCallTimeout",
        "conf.read_timeout": "readTimeout",
    },
    "spec.launch.accelerate": {
        "port": "mainProcessPort",
        "fsdp": "fsdpConfig",
        "spec.launch.accelerate.deepspeed": "deepspeedConfig",
        "parallelism": "parallelismConfig",
        "mixedPrecision": "precision",
        "otherArgs": "args extraArgs launcherArgs options flags",
    },
    "spec.launch.accelerate.fsdp": {"version": "fsdpVersion"},
    "spec.launch.deepspeed": {
        "slotsPerWorker": "numGpus numAccelerators",
        "otherArgs": "args extraArgs launcherArgs",
        "transport": "launcher",
        "autotune": "autotuning",
    },
    "spec.launch.ray": {
        "port": "headPort gcsPort",
        "numCpus": "cpus",
        "numGpus": "gpus gpusPerNode",
        "objectStoreMemory": "objectStore objectStoreSize",
        "dashboard": "includeDashboard",
        "startTimeout": "timeout",
        "otherArgs": "args extraArgs rayStartParams",
    },
    "spec.launch.basic": {
        "nprocPerNode": "slots slotsPerWorker numGpus",
        # Until 0.1.
        "arguments.worldSize": "worldSizeArgument",
        "arguments.rank": "rankArgument",
        "arguments.localRank": "localRankArgument",
    },
    "spec.resources": {"google.com/tpu": "tpus", "vpc.amazonaws.com/efa": "efa"},
    "spec.resources.tpu": {
        "accelerator": "type tpuType",
        "chips": "count chipsPerWorker chipsPerNode",
        "slices": "numSlices sliceCount",
    },
    "spec.resources.gpu": {"count": "number num limit", "resource": "resourceName", "memory": "mem"},
    "spec.resources.requests": {
        "nvidia.com/gpu": "gpu gpus",
        "cpu": "cpus",
        "memory": "mem ram",
        "ephemeral-storage": "storage disk ephemeralStorage",
    },
    "spec.resources.limits": {
        "nvidia.com/gpu": "gpu gpus",
        "cpu": "cpus",
        "memory": "mem ram",
        "ephemeral-storage": "storage disk ephemeralStorage",
    },
    "spec.elastic": {"spec.workers": "expectedReplicas desired"},
    "spec.elastic.metrics[].resource": {
        "target.averageUtilization": "targetAverageUtilization",
        "target.averageValue": "targetAverageValue",
    },
    "spec.imagePullSecrets[]": {"name": "secret secretName"},
    "spec.envFrom[]": {"secretRef": "secret secretName", "configMapRef": "configMap configMapName"},
    "spec.volumes[]": {
        "mountPath": "path mount target destination containerPath mountPoint",
        "persistentVolumeClaim": "pvc volumeClaim",
        "persistentVolumeClaim.claimName": "claimName pvcName existingClaim",
        "claim.size": "size storage",
        "claim.storageClass": "storageClass storageClassName",
        "hostPath": "host hostDir",
    },
    "spec.volumes[].mounts[]": {"mountPath": "path mount target destination containerPath mountPoint"},
    "spec.volumes[].persistentVolumeClaim": {"claimName": "name pvc claim"},
    "spec.volumes[].claim": {
        "size": "storage capacity",
        "storageClass": "storageClassName",
        "accessMode": "accessModes",
    },
    "spec.volumes[].secret": {"secretName": "name secret"},
    "spec.volumes[].configMap": {"name": "configMap configMapName"},
    "spec.volumes[].emptyDir": {"sizeLimit": "size limit"},
    "spec.checkpoint": {"path": "dir directory folder file", "argument": "arg args option flag", "env": "variable"},
    "spec.save": {"path": "dir directory folder file", "argument": "arg args option flag", "env": "variable"},
    "spec.shareFile": {"directory": "path dir file", "argument": "arg args option flag", "env": "variable"},
    "spec.scheduling.queue": {"name": "localQueue queue"},
    "spec.network.rdma": {"resource": "name device"},
}
# Fields that a job file needs none for.
_REMOVED = {
    "trainc writes a hostfile where one is needed": "hostfile",
    "trainc sets it from `workers`": "nodeRank machineRank worldSize masterAddr masterAddress mainProcessIp"
    " completionMode",
    _STRATEGY: "distributedType computeEnvironment useDeepspeed useFsdp",
    "a gang has all workers, or `minReplicas` of an elastic job": "minAvailable minMember",
    "`sharedMemory` is for all processes of a pod": "ipc ipcMode",
    "`kubectl logs` prints what the workers print": "output error stdout stderr logFile",
    _IN_PROGRAM: "mixedPrecision precision strategy fsdp fsdpConfig zeroStage gradientAccumulationSteps dynamoConfig",
    "failed workers are replaced, up to `lifecycle.backoffLimit`": "restart requeue jobRecovery retryPolicy",
    "the pods end with the job": "autostop autodown idleMinutes",
    _ACCOUNT: "account project costCenter",
    _MAIL: "mailUser mailType notifications email",
    GPU_MODEL: "gpuType gpuModel acceleratorType",
}
_REMOVED_IN = {
    "spec.resources.gpu": {GPU_MODEL: "type model product name"},
    "spec.elastic": {"the section enables it": "enabled"},
    "spec.launch.accelerate": {
        "trainc passes it to each pod": "machineRank mainProcessIp numMachines rdzvBackend sameNetwork gpuIds",
        "the section enables it": "useFsdp useDeepspeed useParallelismConfig multiGpu",
    },
    "spec.launch.mpirun": {"mpirun starts `slotsPerWorker` processes on each worker": "np n numProc numProcesses"},
}
# Reasons that stand for another edit: without it the job loses what the field says.
_CHANGES = (GPU_MODEL, _STRATEGY, _IN_PROGRAM, _ACCOUNT, _MAIL, *_REMOVED_IN["spec.launch.mpirun"])
# Fields whose content has no place of its own.
_ADVICE = {
    "set `image`, `run`, `workers` and `resources`": "containers pytorchReplicaSpecs replicaSpecs mpiReplicaSpecs"
    " replicatedJobs tasks roles services deploy trainer scalingConfig",
    "set `mountPath` of the volumes in `spec.volumes`": "volumeMounts",
    "build it into the image": "setup initCommand dockerfile requirements dependencies packages pip conda runtimeEnv",
    "build the code into the image, or mount files from the job file's directory:"
    " `volumes: [{name: code, mountPath: /code, files: [train.py]}]`": "code codeDir sourceDir source workspace",
    "build the code into the image, or clone it in an init container of `podTemplate` into a volume": "git gitRepo repo"
    " repository gitSync",
    "remove it, and start TensorBoard on the volume to which the program writes its logs": "tensorboard",
    "remove it, and pass its settings in `env`, keys from a Secret by `valueFrom`": "wandb mlflow comet",
    "remove it, or declare other ports than the rendezvous in `podTemplate`": "ports expose",
    "set `resources.gpu`, the GPUs of each worker": "useGpu gpusPerTask",
    "set `resources.cpu`, the CPUs of each worker": "cpusPerGpu cpuPerGpu",
    "set `resources.memory`, the memory of each worker": "memPerCpu memPerGpu",
    "set `workers`, and the processes of each in `launch` if they aren't as many as its GPUs": "ntasks numProcesses"
    " numProc",
    "name the file in the program's arguments, as by `--deepspeed_config=FILE`": "deepspeedConfig dsConfig",
    "select the nodes by a label in `scheduling.nodeSelector`": "constraint constraints features nodeType",
    "list the values in `matrix`, next to `metadata` and `spec`: `matrix: {lr: [0.1, 0.01]}`": "array sweep strategy",
    "remove it, and create the manifests at these times: `trainc compile FILE | kubectl create -f -`": "schedule cron",
    "set `lifecycle.exitCodes`": "podFailurePolicy failurePolicy",
    "write it in `podTemplate.spec.containers`": "sidecars sidecarContainers extraContainers",
    "remove it: the cluster and `scheduling` decide where the workers run": "cloud infra",
    "remove it, and select the cluster by `kubectl --context CLUSTER apply`": "cluster context kubeContext kubeconfig",
}
_MAPPING = "mapping"  # key of the table for fields whose values are mappings
_ADVICE_ON_MAPPINGS = {
    "write each as an item of `spec.volumes`, or pass a URL to the program": "fileMounts mounts",
    "write a variable for each: `env: {NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}}`": "secrets",
}
_ADVICE_IN = {
    "spec.launch": {
        "use `accelerate`": "huggingface hf",
        "use `basic`, and write TF_CONFIG in the program from MASTER_ADDR, WORLD_SIZE and RANK": "tensorflow tf",
        "use `torchrun`: pods have no Slurm": "slurm srun sbatch",
        "use `torchrun`, and let the program choose the strategy": "lightning pytorchLightning nemo megatron",
        "use `accelerate: {fsdp: {}}`, or `torchrun` if the program chooses the strategy": "fsdp",
    },
    "spec.launch.accelerate": {
        "set `workers`, and `nprocPerNode` if a worker has more or fewer processes than GPUs": "numProcesses",
    },
    "spec.launch.torchrun": {
        "write the options as fields of `torchrun`: `trainc explain spec.launch.torchrun` lists them": "args extraArgs"
        " otherArgs launcherArgs torchrunArgs options flags",
    },
    "spec.launch.deepspeed": {
        "name the file in the program's arguments, as by `--deepspeed_config=FILE`": "config configFile dsConfig",
    },
}
# Fields whose bare number means something else elsewhere, by all names or by some: MB, GB, minutes, or a rank.
_OTHER_UNITS = {
    "spec.resources.memory": "",
    "spec.resources.ephemeralStorage": "",
    "spec.sharedMemory": "",
    "spec.lifecycle.activeDeadlineSeconds": "time timelimit walltime",
    "spec.scheduling.priorityClassName": "",
}


def _by_name(table: dict[str, str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for field, words in table.items():
        for name in words.split():
            names.setdefault(folded(name), []).append(field)
    return names


@cache
def _indexes() -> tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, list[str]]]]:
    fields = {section: _by_name(table) for section, table in {"": ANYWHERE, **SECTIONS}.items()}
    return fields, {section: _by_name(table) for section, table in {"": _REMOVED, **_REMOVED_IN}.items()}


@cache
def _advice() -> dict[str, dict[str, list[str]]]:
    tables = {"": _ADVICE, **_ADVICE_IN, _MAPPING: _ADVICE_ON_MAPPINGS}
    return {section: _by_name(table) for section, table in tables.items()}


def fields_called(name: str, section: str = "") -> list[str]:
    """Return the fields that other tools call so, as in the tables: those for any section, or for one."""
    return _indexes()[0].get(section, {}).get(folded(name), [])


def reason_to_remove(name: str, value: Node, section: str, *, is_section: bool) -> str | None:
    """Return why a job file needs no field that other tools call so."""
    if isinstance(value, Scalar) and value.value is False and any(map(is_argument, fields_called(name, section))):
        return NO_ARGUMENT
    return _first(_indexes()[1], name, section, is_section=is_section)


def keeps_meaning(reason: str) -> bool:
    """Return whether the job stays the same without a field that has this reason to be removed."""
    return reason not in _CHANGES


def advice(name: str, value: Node, section: str, *, is_section: bool) -> str | None:
    """Return what to do in place of a field whose content belongs in several others."""
    if folded(name) == "template" and _has_containers(value):
        name = "containers"
    elif "spec.workingDir" in fields_called(name) and isinstance(value, Scalar) and value.text.startswith("."):
        name = "code"  # a directory beside the job file
    tables, of_mapping = _advice(), is_section and isinstance(value, Mapping)
    found = _first(tables, name, _MAPPING, is_section=False) if of_mapping else None
    return found or _first(tables, name, section, is_section=is_section)


def advice_elsewhere(name: str) -> Iterator[tuple[str, str]]:
    """Yield what to do in place of fields that other tools call so, with the section in which they may stand."""
    for tables, start in ((_indexes()[1], "remove it: "), (_advice(), "")):
        for section, names in tables.items():
            yield from (
                (section or "spec", f"{start}{text}") for text in names.get(folded(name), ())[:1] if section != _MAPPING
            )


def _has_containers(value: Node) -> bool:
    spec = value.get("spec") if isinstance(value, Mapping) else None
    return isinstance(spec, Mapping) and "containers" in spec.entries


def _first(tables: dict[str, dict[str, list[str]]], name: str, section: str, *, is_section: bool) -> str | None:
    sections = (section, "") if is_section else (section,)
    return next((text for key in sections for text in tables.get(key, {}).get(folded(name), ())), None)


def is_argument(field: str) -> bool:
    """Return whether a field is the name of an argument of the program."""
    return _ARGUMENT.search(field) is not None


def has_other_unit(name: str, target: Path, value: Node) -> bool:
    """Return whether a number without a unit may have another one than the field."""
    names = _OTHER_UNITS.get(dotted(target))
    is_number = isinstance(value, Scalar) and isinstance(value.value, int | float) and not isinstance(value.value, bool)
    return is_number and names is not None and (not names or folded(name) in names.split())
