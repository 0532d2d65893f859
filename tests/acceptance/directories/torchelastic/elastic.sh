#!/bin/sh
python -m torchelastic.distributed.launch --nnodes=1:4 --nproc_per_node=4 --rdzv_id=run1 \
  --rdzv_backend=etcd --rdzv_endpoint=etcd.example:2379 train.py --epochs=3
