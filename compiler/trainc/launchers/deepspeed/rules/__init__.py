"""Rules for jobs with launch.deepspeed."""
