"""Status of a running job: its objects, pods and events, as kubectl prints them, compared with the plan."""
