"""Options of `accelerate launch`, with the fields that set them.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py. Versions were read in the
packages of 1.0.1 to 1.15.0. Every underscore may be a dash.
"""

from __future__ import annotations

from trainc.launchers import option
from trainc.launchers.accelerate.further_options import SWITCHES, VALUES
from trainc.launchers.option import MOST_PROCESSES, Field, Kind, Option, camel_case, text_schema
from trainc.launchers.ports import MASTER_PORT
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

NAME = "accelerate"
# The file that a job carries.
FOLDER = "/etc/trainc/accelerate"
CONFIG_FILE = f"{FOLDER}/config.yaml"
PRODUCT = "accelerate"  # whose version `since` means
_LAUNCH = "launch.accelerate"
FSDP, DEEPSPEED, PARALLELISM = (f"{_LAUNCH}.{name}" for name in ("fsdp", "deepspeed", "parallelism"))
_PREFIXES = {FSDP: "fsdp_", DEEPSPEED: "", PARALLELISM: "parallelism_config_"}


class AccelerateOption(Option):
    """Option of `accelerate launch`. `fsdp` is the version of FSDP that has it, empty if both do. An `is_flag` option
    has the value true or false."""

    fsdp: str = ""
    is_flag: bool = False


def _option(name: str, kind: Kind = "text", key: str = "", section: str = _LAUNCH, **row: Any) -> AccelerateOption:
    field = f"{section}.{key or camel_case(name)}"
    return AccelerateOption(name=f"{_PREFIXES.get(section, '')}{name}", kind=kind, field=field, **row)


def _flag(name: str, description: str, section: str = FSDP, **row: Any) -> AccelerateOption:
    schema = {"type": "boolean"}
    return _option(name, "other", section=section, description=description, schema=schema, is_flag=True, **row)


def _fsdp(name: str, description: str, kind: Kind = "text", **row: Any) -> AccelerateOption:
    return _option(name, kind, section=FSDP, description=description, **row)


def _deepspeed(name: str, description: str, kind: Kind = "text", key: str = "", **row: Any) -> AccelerateOption:
    return _option(name, kind, key, DEEPSPEED, description=description, **row)


def _size(name: str, description: str, **row: Any) -> AccelerateOption:
    return _option(
        name,
        "count",
        section=PARALLELISM,
        description=description,
        since="1.10",
        default=1,
        examples=(2,),
        schema={"minimum": 1, "maximum": 65536},
        **row,
    )


def _field(key: str, kind: Kind, description: str = "", **row: Any) -> Field:
    return Field(field=f"{_LAUNCH}.{key}", kind=kind, description=description, **row)


def _choice(*words: str) -> dict[str, Any]:
    return {"enum": list(words)}


_FILE = text_schema("^\\S+$", "a path without spaces")

# The fields in the order in which lowering writes their options.
FIELDS: tuple[Field, ...] = (
    _field(
        "nprocPerNode",
        "count",
        "Processes in each pod. Default: the number of GPUs, or 1.",
        examples=(8,),
        schema={"minimum": 1, "maximum": MOST_PROCESSES},
    ),
    _option(
        "main_process_port",
        "port",
        "port",
        description="Port on worker 0. Default: 29500; 29400 if the job is elastic or has maxRestarts.",
        examples=(MASTER_PORT,),
    ),
    _option(
        "mixed_precision",
        "choice",
        description="Precision of the training. no: that of the model. fp16, bf16: mixed with 16 bits. fp8: with 8"
        " bits, by an engine like TransformerEngine in the image. Default: no, or the configFile's.",
        examples=("bf16",),
        schema=_choice("no", "fp16", "bf16", "fp8"),
    ),
    _option(
        "dynamo_backend",
        "other",
        description="Backend of torch.compile, by which accelerate compiles the model. Default: no, or the"
        " configFile's.",
        examples=("inductor",),
        schema=text_schema("^[a-z][a-z0-9_]*$", "the name of a backend"),
    ),
    _option(
        "max_restarts",
        "count",
        description="How often accelerate restarts the processes before the pod fails, each pod for itself. The"
        " rendezvous is c10d then, which ranks the workers by their names. Default: 0; 10 for an elastic job, and 288"
        " where a controller scales it.",
        examples=(3,),
    ),
    _field("fsdp", "other", schema={"$ref": "#/definitions/AccelerateFsdp"}),
    _fsdp(
        "version",
        "Version of FSDP. 1: FullyShardedDataParallel. 2: fully_shard, which accelerate recommends.",
        "other",
        since="1.6",
        default=1,
        examples=(2,),
        schema={"enum": [1, 2]},
    ),
    _fsdp(
        "sharding_strategy",
        "Parts that are sharded (version 1). FULL_SHARD: parameters, gradients and the optimizer's state."
        " SHARD_GRAD_OP: the last two. NO_SHARD: nothing. HYBRID_SHARD, HYBRID_SHARD_ZERO2: the first two within a"
        " node, with copies on the nodes.",
        "choice",
        default="FULL_SHARD",
        fsdp="1",
        schema=_choice("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2"),
    ),
    _flag(
        "reshard_after_forward",
        "Whether parameters are sharded again after the forward pass, as FULL_SHARD does (version 2).",
        default=True,
        since="1.6",
        fsdp="2",
    ),
    _flag("offload_params", "Whether parameters and gradients are kept in the memory of the CPUs.", default=False),
    _fsdp(
        "auto_wrap_policy",
        "How the model is split into units. TRANSFORMER_BASED_WRAP: by the classes of layers. SIZE_BASED_WRAP: by the"
        " number of parameters. NO_WRAP: one unit. Default: NO_WRAP, or the policy of the program.",
        "choice",
        examples=("TRANSFORMER_BASED_WRAP",),
        schema=_choice("TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP", "NO_WRAP"),
    ),
    _fsdp(
        "transformer_layer_cls_to_wrap",
        "Classes of the layers that TRANSFORMER_BASED_WRAP makes units. Default: those that the model names.",
        "names",
        examples=(["LlamaDecoderLayer"],),
        schema={"items": text_schema("^[A-Za-z_][A-Za-z0-9_]*$", "the name of a class")},
    ),
    _fsdp(
        "min_num_params",
        "Parameters from which SIZE_BASED_WRAP makes a module a unit.",
        "count",
        default=100_000_000,
        examples=(20_000,),
    ),
    _fsdp(
        "backward_prefetch",
        "When the backward pass fetches the next parameters (version 1). BACKWARD_PRE: before it computes the current"
        " gradients. BACKWARD_POST: after them. NO_PREFETCH: when it needs them, the default.",
        "choice",
        fsdp="1",
        examples=("BACKWARD_PRE",),
        schema=_choice("BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"),
    ),
    _flag("forward_prefetch", "Whether the forward pass fetches them ahead (version 1).", default=False, fsdp="1"),
    _fsdp(
        "state_dict_type",
        "Form of checkpoints. FULL_STATE_DICT: whole, on rank 0. SHARDED_STATE_DICT: a part on each rank."
        " LOCAL_STATE_DICT: the flat parameters of each rank (version 1). Default: FULL_STATE_DICT, with version 2"
        " SHARDED_STATE_DICT.",
        "choice",
        examples=("SHARDED_STATE_DICT",),
        schema=_choice("FULL_STATE_DICT", "LOCAL_STATE_DICT", "SHARDED_STATE_DICT"),
    ),
    _flag("use_orig_params", "Whether the optimizer sees the original parameters (version 1).", default=True, fsdp="1"),
    _flag("cpu_ram_efficient_loading", "Whether only the first process loads a pretrained model.", default=True),
    _flag("sync_module_states", "Whether rank 0 broadcasts its parameters (version 1).", default=True, fsdp="1"),
    _flag("activation_checkpointing", "Whether activations are computed again in the backward pass.", default=False),
    _field("deepspeed", "other", schema={"$ref": "#/definitions/AccelerateDeepspeed"}),
    _deepspeed(
        "zero_stage",
        "Stage of ZeRO. Default: 2, or the configFile's.",
        "count",
        examples=(3,),
        schema={"minimum": 0, "maximum": 3},
    ),
    _deepspeed(
        "offload_optimizer_device",
        "Where the optimizer's state is kept: cpu or nvme. none: on the GPU, the default.",
        "choice",
        examples=("cpu",),
        schema=_choice("none", "cpu", "nvme"),
    ),
    _deepspeed(
        "offload_param_device",
        "Where the parameters are kept (stage 3): cpu or nvme. none: on the GPU, the default.",
        "choice",
        examples=("cpu",),
        schema=_choice("none", "cpu", "nvme"),
    ),
    _deepspeed(
        "offload_optimizer_nvme_path", "Directory of offloadOptimizerDevice: nvme.", examples=("/nvme",), schema=_FILE
    ),
    _deepspeed("offload_param_nvme_path", "Directory of offloadParamDevice: nvme.", examples=("/nvme",), schema=_FILE),
    _deepspeed(
        "gradient_accumulation_steps",
        "Steps whose gradients are added before an update. Default: the program's.",
        "count",
        examples=(4,),
        schema={"minimum": 1},
    ),
    _deepspeed("gradient_clipping", "Largest norm of the gradients. Default: none.", "decimal", examples=(1.0,)),
    _flag("zero3_init_flag", "Whether models are sharded as they are made (stage 3).", DEEPSPEED, examples=(True,)),
    _flag(
        "zero3_save_16bit_model",
        "Whether a checkpoint has 16-bit weights of the whole model (stage 3).",
        DEEPSPEED,
        examples=(True,),
    ),
    _deepspeed(
        "deepspeed_config_file",
        "DeepSpeed's own JSON file, which says all that these fields do.",
        key="configFile",
        examples=("/config/zero3.json",),
        schema=_FILE,
    ),
    _field("parallelism", "other", schema={"$ref": "#/definitions/AccelerateParallelism"}),
    _size("dp_replicate_size", "Copies of the model, each of which is sharded."),
    _size("dp_shard_size", "Processes over which FSDP shards a copy."),
    _size("tp_size", "Processes of tensor parallelism."),
    _size("cp_size", "Processes of context parallelism, which split the sequence."),
    _option(
        "cp_comm_strategy",
        "choice",
        section=PARALLELISM,
        description="How context parallelism exchanges keys and values: allgather or alltoall.",
        since="1.10",
        default="allgather",
        schema=_choice("allgather", "alltoall"),
    ),
    _field(
        "configFile",
        "other",
        "A configuration file of accelerate: its content, which a ConfigMap of the job carries, or its path in the"
        " pods. trainc's options override it: machines, rank, endpoint, processes, and the fields that are set. Without"
        " it no configuration file is read in a job with fsdp, deepspeed or one process.",
        examples=({"distributed_type": "FSDP", "fsdp_config": {"fsdp_version": 2}}, "/config/accelerate.yaml"),
        schema={"anyOf": [{"type": "object"}, _FILE]},
    ),
    _field(
        "accelerateVersion",
        "other",
        "Version of accelerate in the image. With it trainc rejects options that this version lacks.",
        examples=("1.10",),
        schema=text_schema("^[0-9]+\\.[0-9]{1,2}(\\.[0-9]+)?([+.-][a-z0-9.]+)?$", "a version like 1.15.0, in quotes"),
    ),
    _field(
        "otherArgs",
        "other",
        "More options for `accelerate launch`.",
        examples=(["--fp8_backend=te", "--enable_cpu_affinity"],),
        schema={"type": "array", "items": {"$ref": "#/definitions/Word"}},
    ),
)


def _own(name: str, instead: str, kind: Kind = "text", **row: Any) -> AccelerateOption:
    """Return an option that trainc sets."""
    return AccelerateOption(name=name, kind=kind, instead=instead, **row)


_PROCESSES = f"workers and {_LAUNCH}.nprocPerNode"
_WORKER_0 = "nothing: worker 0 is the main process"
OPTIONS: tuple[AccelerateOption, ...] = (
    *(field for field in FIELDS if isinstance(field, AccelerateOption)),
    _own("num_machines", "workers", "count", field="workers"),
    _own("num_processes", _PROCESSES, "count"),
    _own("machine_rank", "nothing: it is the worker's number", "count"),
    _own("main_process_ip", _WORKER_0),
    _own("same_network", _WORKER_0, "switch"),
    _own("rdzv_backend", f"{_LAUNCH}.maxRestarts, which makes it c10d"),
    _own("gpu_ids", "resources.gpu: a pod sees its own GPUs only"),
    _own("multi_gpu", _PROCESSES, "switch"),
    _own("cpu", "resources.gpu: 0", "switch"),
    _own("use_fsdp", FSDP, "switch"),
    _own("use_deepspeed", DEEPSPEED, "switch"),
    _own("use_parallelism_config", PARALLELISM, "switch", since="1.10"),
    _own("deepspeed_multinode_launcher", "nothing: each pod starts its own processes, without ssh"),
    _own("deepspeed_hostfile", "nothing: each pod starts its own processes, without ssh"),
    _own("config_file", f"{_LAUNCH}.configFile"),
    _own("module", "run.module", "switch", field="run.module", aliases=("-m",)),
    _own("no_python", "run.exec", "switch", field="run.exec"),
    *(AccelerateOption(name=name, kind="switch", **row) for name, row in SWITCHES.items()),
    *(AccelerateOption(name=name, **row) for name, row in VALUES.items()),
)
# Two options set this one, and none has its name.
_NO_SPELLINGS = ("--tpu_use_cluster", "--tpu-use-cluster")
BY_NAME = {row.name: row for row in OPTIONS}
DEFINITIONS = {
    "Accelerate": (
        _LAUNCH,
        "`accelerate launch` in every pod, with the machines, ranks and endpoint as options. An elastic job has"
        " torchrun's PET_* variables, which accelerate passes on.",
    ),
    "AccelerateFsdp": (FSDP, "Fully sharded data parallelism: the options --fsdp_*, without the prefix."),
    "AccelerateDeepspeed": (DEEPSPEED, "DeepSpeed through accelerate. The image needs the package deepspeed."),
    "AccelerateParallelism": (
        PARALLELISM,
        "Sizes of the dimensions of parallelism, whose product is the number of all processes: the options"
        " --parallelism_config_*. Requires `fsdp: {version: 2}`.",
    ),
}


def grammar() -> Table:
    """Return the options for the argv parser."""
    known = option.grammar(OPTIONS, dashes=True)
    spellings = {flag: row for flag, row in known.options.items() if flag not in _NO_SPELLINGS}
    return known.replace(options=spellings, abbreviates=False, reads_on=True)
