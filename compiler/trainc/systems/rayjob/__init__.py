"""RayJobs of KubeRay, which trainc only names."""
