"""Rules for jobs with launch.torchrun."""
