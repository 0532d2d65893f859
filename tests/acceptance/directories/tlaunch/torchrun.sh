#!/bin/bash
tlaunchrun --lpjob_name="elastic" --gpu=2 --image="registry.example/train:1" --set_checkpoint_path \
  torchrun --nnodes=1:3 --nproc_per_node=2 --rdzv_id=100 --rdzv_backend=c10d /TData/code/train.py
