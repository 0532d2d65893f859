"""Options of the launchers without a package.

accelerate, torch.distributed.launch, torchelastic, and the launcher that `deepspeed` starts on each node.
"""

from __future__ import annotations

from trainc.commandline.argparse import Table, table
from trainc.launchers import option, registry
from trainc.launchers.option import Option
from trainc.launchers.torchrun.options import OPTIONS, TORCHELASTIC_OPTIONS

# https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py, without the options of TPUs,
# FSDP, Megatron and fp8, which don't change the world size.
_ACCELERATE_SWITCHES = (
    "-h|--help -q|--quiet --cpu --multi_gpu --tpu --enable_cpu_affinity --dynamo_use_fullgraph"
    " --dynamo_use_dynamic --dynamo_use_regional_compilation --use_deepspeed --use_fsdp --use_parallelism_config"
    " --use_megatron_lm --same_network -m|--module --no_python --debug --downcast_bf16"
)
_ACCELERATE_VALUES = (
    "--config_file --mixed_precision --num_processes --num_machines --num_cpu_threads_per_process"
    " --dynamo_backend --dynamo_mode --gpu_ids --machine_rank --main_process_ip --main_process_port -t|--tee"
    " --log_dir --role --rdzv_backend --rdzv_conf --max_restarts --monitor_interval --main_training_function"
    " --deepspeed_config_file --zero_stage --offload_optimizer_device --offload_param_device"
    " --offload_optimizer_nvme_path --offload_param_nvme_path --gradient_accumulation_steps --gradient_clipping"
    " --zero3_init_flag --zero3_save_16bit_model --deepspeed_hostfile --deepspeed_exclusion_filter"
    " --deepspeed_inclusion_filter --deepspeed_multinode_launcher --deepspeed_moe_layer_cls_names"
)


def _accelerate() -> Table:
    options = table(_ACCELERATE_SWITCHES, _ACCELERATE_VALUES, abbreviates=False, dashes=True)
    return options.replace(complete=False)


def _torch_distributed_launch() -> Table:
    """https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/launch.py"""
    return option.grammar((*OPTIONS, Option(name="use_env", kind="switch")), dashes=True)


def _torchelastic() -> Table:
    return option.grammar(row for row in OPTIONS if row.name in TORCHELASTIC_OPTIONS)


def _deepspeed_node() -> Table:
    grammar: Table = registry.part("deepspeed", "options").node_grammar()
    return grammar


GRAMMARS = {
    "accelerate": _accelerate,
    "torch.distributed.launch": _torch_distributed_launch,
    "torchelastic": _torchelastic,
    "deepspeed.launcher.launch": _deepspeed_node,
}
