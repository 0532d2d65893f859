"""RayJobs of KubeRay, whose jobs are Ray clusters."""
