"""Checks of jobs for RayJobs."""
