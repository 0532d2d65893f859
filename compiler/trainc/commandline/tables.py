"""The launchers' options, by the names of what they set."""

from __future__ import annotations

from trainc.commandline.argparse import Table, table

# torchrun's options with the torch that brought them, read in torch/distributed/run.py of torch 1.9 to 2.15:
# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py. Each reads PET_ and its name in capitals,
# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/argparse_util.py, but for WITHOUT_VARIABLE.
SINCE = {
    **dict.fromkeys(("nnodes", "nproc_per_node", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf"), "1.9"),
    **dict.fromkeys(("standalone", "max_restarts", "monitor_interval", "start_method", "role", "module"), "1.9"),
    **dict.fromkeys(("no_python", "run_path", "log_dir", "redirects", "tee", "node_rank"), "1.9"),
    **dict.fromkeys(("master_addr", "master_port"), "1.9"),
    "local_addr": "2.0",
    **dict.fromkeys(("local_ranks_filter", "logs_specs"), "2.3"),
    "event_log_handler": "2.8",
    "numa_binding": "2.9",
    **dict.fromkeys(("duplicate_stdout_filters", "duplicate_stderr_filters", "signals_to_handle"), "2.10"),
    "virtual_local_rank": "2.10",
    "shutdown_timeout": "2.12",
    **dict.fromkeys(("log_line_prefix_template", "print_completion"), "2.14"),
}
WITHOUT_VARIABLE = frozenset(("logs_specs", "numa_binding", "print_completion"))
# Read as bool(int(value)), int(value) and float(value): anything else ends torchrun before it has started.
SWITCHES = frozenset(("standalone", "module", "no_python", "run_path", "virtual_local_rank"))
COUNTS = frozenset(("max_restarts", "node_rank", "master_port", "shutdown_timeout"))
DECIMALS = frozenset(("monitor_interval",))

_SHORT = {"module": "-m|", "redirects": "-r|", "tee": "-t|"}
_SWITCHES = "-h|--help " + " ".join(f"{_SHORT.get(name, '')}--{name}" for name in SINCE if name in SWITCHES)
_VALUES = " ".join(f"{_SHORT.get(name, '')}--{name}" for name in SINCE if name not in SWITCHES)


def torchrun() -> Table:
    """torchrun, which is python -m torch.distributed.run."""
    return table(_SWITCHES, _VALUES, dashes=True)


def launch() -> Table:
    """python -m torch.distributed.launch: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/launch.py"""
    return table(f"{_SWITCHES} --use_env", _VALUES, dashes=True)


def deepspeed() -> Table:
    """https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py; before 0.19.8 there were the
    three of elastic training, too."""
    return table(
        "-h|--help --module --no_python --no_local_rank --no_ssh --no_ssh_check --force_multi --save_pid"
        " --bind_cores_to_rank -q|--quiet --elastic_training",
        "-H|--hostfile -i|--include -e|--exclude --num_nodes --master_port --master_addr --node_rank --launcher"
        " --launcher_args --enable_each_rank_log --autotuning --bind_core_list --ssh_port --venv_script --log_level"
        " --min_elastic_nodes --max_elastic_nodes",
    ).with_names(num_gpus=("--num_gpus", "--num_accelerators"))


def accelerate() -> Table:
    """accelerate launch: https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py

    Less those of TPUs, FSDP, Megatron and fp8, which say nothing about the size of the world.
    """
    return table(
        "-h|--help -q|--quiet --cpu --multi_gpu --tpu --enable_cpu_affinity --dynamo_use_fullgraph"
        " --dynamo_use_dynamic --dynamo_use_regional_compilation --use_deepspeed --use_fsdp --use_parallelism_config"
        " --use_megatron_lm --same_network -m|--module --no_python --debug --downcast_bf16",
        "--config_file --mixed_precision --num_processes --num_machines --num_cpu_threads_per_process"
        " --dynamo_backend --dynamo_mode --gpu_ids --machine_rank --main_process_ip --main_process_port -t|--tee"
        " --log_dir --role --rdzv_backend --rdzv_conf --max_restarts --monitor_interval --main_training_function"
        " --deepspeed_config_file --zero_stage --offload_optimizer_device --offload_param_device"
        " --offload_optimizer_nvme_path --offload_param_nvme_path --gradient_accumulation_steps --gradient_clipping"
        " --zero3_init_flag --zero3_save_16bit_model --deepspeed_hostfile --deepspeed_exclusion_filter"
        " --deepspeed_inclusion_filter --deepspeed_multinode_launcher --deepspeed_moe_layer_cls_names",
        abbreviates=False,
        dashes=True,
    )


def mpirun() -> Table:
    """Open MPI's, whose long options take one dash or two: https://docs.open-mpi.org/en/v4.1.x/man-openmpi/"""
    flags = "allow-run-as-root bind-to-core bycore bynode byslot display-map nolocal oversubscribe pernode quiet"
    flags += " report-bindings tag-output timestamp-output use-hwthread-cpus verbose"
    values = "host hostfile machinefile npernode bind-to map-by rank-by wdir output-filename prefix path cpu-set"
    long = table(
        " ".join(f"-{name}|--{name}" for name in flags.split()),
        " ".join(f"-{name}|--{name}" for name in values.split()),
    ).with_names(np=("-np", "--np", "-n", "--n", "-c"), host=("-H",), x=("-x",))
    pairs = dict.fromkeys(("-mca", "--mca", "-gmca", "--gmca"), ("mca", 2))
    return Table(options={**long.options, **pairs}, abbreviates=False, attached=False)
