#!/bin/bash
# Verifies the realms of /srv/realms in 8 shares: sbatch --array=1-8 slurm.sh
# A task that runs again after a failure goes on where it was.
#SBATCH --requeue
report=/srv/reports/$SLURM_ARRAY_TASK_ID.ndjson
share=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
touch "$report"
realm-cli verify --json --shard "$share" --skip-done "$report" /srv/realms >> "$report"
