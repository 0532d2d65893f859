"""Judgement of objects: what the API server, an operator and Kubernetes reject in them, whoever wrote them."""
