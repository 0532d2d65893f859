"""Advice for fields of other tools that job files lack: why to remove a field, or which others to set.

A table is `advice: names`. Names match in any spelling.
"""

from __future__ import annotations

GPU_MODEL = "select the GPU model by a node label in `scheduling.nodeSelector`"
_STRATEGY = "`launch` names the launcher, and the program the strategy"
_IN_PROGRAM = "the program sets it"
_ACCOUNT = "the namespace's quota, or the queue in `scheduling.queue`, accounts for the job"
_MAIL = "a monitor of the cluster sends messages"
# Names for which a job file needs no field, by the reason.
REMOVED = {
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
REMOVED_IN = {
    "spec.resources.gpu": {GPU_MODEL: "type model product name"},
    "spec.elastic": {"the section enables it": "enabled"},
    "spec.launch.accelerate": {
        "trainc passes it to each pod": "machineRank mainProcessIp numMachines rdzvBackend sameNetwork gpuIds",
        "the section enables it": "useFsdp useDeepspeed useParallelismConfig multiGpu",
    },
    "spec.launch.mpirun": {"mpirun starts `slotsPerWorker` processes on each worker": "np n numProc numProcesses"},
}
# Reasons that stand for another edit: without it the job loses what the field says.
CHANGES = (GPU_MODEL, _STRATEGY, _IN_PROGRAM, _ACCOUNT, _MAIL, *REMOVED_IN["spec.launch.mpirun"])
# Fields whose content has no place of its own.
ADVICE = {
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
ADVICE_ON_MAPPINGS = {
    "write each as an item of `spec.volumes`, or pass a URL to the program": "fileMounts mounts",
    "write a variable for each: `env: {NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}}`": "secrets",
}
ADVICE_IN = {
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
