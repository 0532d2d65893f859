"""Tests of MPIJobs."""
