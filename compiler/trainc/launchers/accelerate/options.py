"""Options of `accelerate launch`, without those of TPUs, FSDP, Megatron and fp8, which don't change the world size.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py
"""

from __future__ import annotations

from trainc.commandline.argparse import Table, table

_SWITCHES = (
    "-h|--help -q|--quiet --cpu --multi_gpu --tpu --enable_cpu_affinity --dynamo_use_fullgraph"
    " --dynamo_use_dynamic --dynamo_use_regional_compilation --use_deepspeed --use_fsdp --use_parallelism_config"
    " --use_megatron_lm --same_network -m|--module --no_python --debug --downcast_bf16"
)
_VALUES = (
    "--config_file --mixed_precision --num_processes --num_machines --num_cpu_threads_per_process"
    " --dynamo_backend --dynamo_mode --gpu_ids --machine_rank --main_process_ip --main_process_port -t|--tee"
    " --log_dir --role --rdzv_backend --rdzv_conf --max_restarts --monitor_interval --main_training_function"
    " --deepspeed_config_file --zero_stage --offload_optimizer_device --offload_param_device"
    " --offload_optimizer_nvme_path --offload_param_nvme_path --gradient_accumulation_steps --gradient_clipping"
    " --zero3_init_flag --zero3_save_16bit_model --deepspeed_hostfile --deepspeed_exclusion_filter"
    " --deepspeed_inclusion_filter --deepspeed_multinode_launcher --deepspeed_moe_layer_cls_names"
)


def grammar() -> Table:
    """Return the options; accelerate accepts no abbreviations."""
    return table(_SWITCHES, _VALUES, abbreviates=False, dashes=True).replace(complete=False)
