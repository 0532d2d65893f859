"""LeaderWorkerSets, which trainc only names."""
