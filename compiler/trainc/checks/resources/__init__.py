"""Rules about requests, limits, devices, processes and shared memory."""
