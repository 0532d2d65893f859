"""GenericJobs, which trainc only names."""
