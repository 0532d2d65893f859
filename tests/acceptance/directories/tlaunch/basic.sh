#!/bin/bash
tlaunchrun --lpjob_name="cifar" --gpu=1 --gpu_memory=8000 --gpu_cores=30 \
  --image="registry.example/train:1" --set_save_path --set_checkpoint_path \
  basic --num_trainer=2 --set_share_file /TData/code/train.py --epochs=2
