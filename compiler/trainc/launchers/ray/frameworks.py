"""Programs that place their processes on a number of nodes and GPUs, which their arguments set.

verl 0.9.1: trainer.nnodes and trainer.n_gpus_per_node of verl/trainer/config/ppo_trainer.yaml; a ValueError of
_check_resource_available in verl/single_controller/ray/base.py.
NeMo RL 0.6.0: ClusterConfig and ResourceInsufficientError of nemo_rl/distributed/virtual_cluster.py.
OpenRLHF 0.11.2: openrlhf/cli/train_ppo_ray.py, where `ray.get(pg.ready())` has no timeout. Until 0.10 the names had `_`
in place of `.`, and colocate_all_models was the name of train.colocate_all.
"""

from __future__ import annotations

from trainc.record import Record


class Framework(Record):
    """Arguments with the nodes and the GPUs of each, their defaults, and what follows if the cluster is too small.

    With `packs_nodes` the GPUs of a node are on one worker. Other arguments of the pattern `further` use more nodes.
    With `engines`, the product of two arguments, more GPUs are needed unless a switch in `colocates` is set.
    """

    name: str
    nodes: str
    gpus: str
    defaults: tuple[int, int] | None
    effect: str
    packs_nodes: bool = True
    further: str = ""
    engines: tuple[str, str] = ("", "")
    colocates: tuple[str, ...] = ()


FRAMEWORKS = (
    Framework(
        name="verl",
        nodes="trainer.nnodes",
        gpus="trainer.n_gpus_per_node",
        defaults=(1, 8),
        effect="exits",
        further=r"(?!trainer\.).*\bnnodes",
    ),
    Framework(name="NeMo RL", nodes="cluster.num_nodes", gpus="cluster.gpus_per_node", defaults=None, effect="exits"),
    Framework(
        name="OpenRLHF",
        nodes="actor.num_nodes",
        gpus="actor.num_gpus_per_node",
        defaults=(1, 8),
        effect="waits forever",
        packs_nodes=False,
        engines=("vllm.num_engines", "vllm.tensor_parallel_size"),
        colocates=("train.colocate_all", "colocate.all_models"),
    ),
)
