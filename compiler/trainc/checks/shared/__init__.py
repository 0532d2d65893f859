"""What several rules ask of a job."""
