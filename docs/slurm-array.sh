#!/bin/sh
# A sweep as a Slurm array: every task computes one shard, in a directory of its own.
#
#   sbatch docs/slurm-array.sh
#
# A task that is killed or runs out of time goes on where it stopped when it is
# submitted again; shards that are finished end at once. Then join them:
#
#   simulate sweep status results/runs/quickstart/sweep-*-of-16
#   simulate sweep merge  results/runs/quickstart/sweep-*-of-16 --out results/runs/quickstart/sweep
#
# Shards count from 0, so the array begins at 0; its size is the number of shards.
#SBATCH --job-name=quickstart
#SBATCH --array=0-15
#SBATCH --cpus-per-task=4
#SBATCH --mem=2G
#SBATCH --time=04:00:00
#SBATCH --requeue

exec simulate sweep scenarios/quickstart.yaml \
	--grid algorithm.eta=0.001,0.003,0.01,0.03 \
	--grid problem.rho=0.02,0.2,2 \
	--seeds 100 \
	--shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
	--workers "$SLURM_CPUS_PER_TASK"
