"""Options of `accelerate launch` without a field: `otherArgs` may have them, except for those with `instead`."""

from __future__ import annotations

from trainc.typenames import Any

Rows = dict[str, dict[str, Any]]

_NO_TPU = "nothing: trainc starts no TPU job"
_NO_MPI = "launch.mpirun"
_SWITCHES = "enable_cpu_affinity dynamo_use_fullgraph dynamo_use_dynamic debug fp8_use_autocast_during_eval"
SWITCHES: Rows = {
    "help": {"aliases": ("-h",), "in_pod": False, "instead": "nothing: it starts no job"},
    "quiet": {"aliases": ("-q",)},
    **{name: {} for name in _SWITCHES.split()},
    "dynamo_use_regional_compilation": {"since": "1.7"},
    "use_megatron_lm": {},
    "downcast_bf16": {},
    "tpu": {"instead": _NO_TPU},
    "tpu_use_cluster": {"aliases": ("--tpu_cluster", "--no_tpu_cluster"), "instead": _NO_TPU, "in_pod": False},
    "tpu_use_sudo": {"instead": _NO_TPU},
}
_VALUES = (
    "num_cpu_threads_per_process dynamo_mode log_dir role rdzv_conf monitor_interval main_training_function"
    " deepspeed_exclusion_filter deepspeed_inclusion_filter deepspeed_moe_layer_cls_names"
)
# By the prefix of their names.
_GROUPS = {
    "megatron_lm": (
        "tp_degree pp_degree num_micro_batches sequence_parallelism recompute_activations use_distributed_optimizer"
        " gradient_clipping"
    ),
    "fp8": "backend margin interval format amax_history_len amax_compute_algo override_linear_precision opt_level",
}
_SINCE = {
    "1.12": {
        "parallelism_config": (
            "cp_backend sp_size sp_backend sp_seq_length sp_seq_length_is_variable sp_attn_implementation"
        )
    },
    "1.13": {
        "megatron_lm": (
            "use_custom_fsdp no_load_optim eod_mask_loss overlap_cpu_optimizer_d2h_h2d no_save_optim"
            " optimizer_cpu_offload use_precision_aware_optimizer decoder_last_pipeline_num_layers"
            " recompute_granularity recompute_method recompute_num_layers attention_backend expert_model_parallel_size"
            " context_parallel_size attention_dropout hidden_dropout attention_softmax_in_fp32"
            " expert_tensor_parallel_size calculate_per_token_loss use_rotary_position_embeddings"
        ),
        "fp8": "enable_fsdp_float8_all_gather pad_inner_dim",
    },
    "1.15": {"fsdp": "activation_checkpointing_offload"},
}
VALUES: Rows = {
    **{name: {} for name in _VALUES.split()},
    "tee": {"aliases": ("-t",)},
    **{name: {"instead": _NO_TPU} for name in ("vm", "env")},
    **{name: {"instead": "env"} for name in ("aws_access_key_id", "aws_secret_access_key")},
    "mpirun_hostfile": {"instead": _NO_MPI},
    **{f"{prefix}_{name}": {} for prefix, names in _GROUPS.items() for name in names.split()},
    **{
        f"{prefix}_{name}": {"since": since}
        for since, groups in _SINCE.items()
        for prefix, names in groups.items()
        for name in names.split()
    },
}
