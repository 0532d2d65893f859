"""Job of Volcano, `batch.volcano.sh`."""
