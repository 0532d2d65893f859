"""What the API server rejects in objects whose fields have the right names and types, with the field and the cure.

Functions of https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/core/validation/validation.go, of which only
what a training job can have is here. `tests/support/api_verdicts.py` has the verdicts of a real API server.
"""
