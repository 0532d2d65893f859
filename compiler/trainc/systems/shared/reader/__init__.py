"""Shared parts of the readers, which translate the documents of other systems to TrainingJobs."""
