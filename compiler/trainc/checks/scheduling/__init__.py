"""Rules about elasticity, autoscaling, queues, gangs and placement."""
