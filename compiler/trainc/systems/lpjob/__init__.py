"""LpJobs, which trainc only names."""
