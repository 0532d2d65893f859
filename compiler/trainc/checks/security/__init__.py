"""Rules about security contexts and the Pod Security Standards."""
