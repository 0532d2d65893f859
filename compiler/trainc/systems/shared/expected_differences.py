"""Aspects in which plans of one job differ on several back ends because of the systems themselves, with the reasons.

A reason holds for any system; docs/behavior.md says what each one does.
"""

EXPECTED = {
    "launcher restarts": "a job that can be scaled has more restarts of torchrun: scaling down uses one up",
    "success": "a job succeeds with all workers, with worker 0, with any worker of an elastic job or with its launcher,"
    " as its controller decides; a bare pod reports only its own success, and a pod that always restarts none",
    "failure": "a controller counts failures by worker or all together, or only restarts, and replaces one pod or"
    " restarts all",
    "run id": "pods that learn the uid of a Job have a new id in each run or restart; elsewhere the id is the job's"
    " name, the same in every run",
    "pod names": "a Job adds random characters to the names of its pods",
    "worker names": "an operator names the workers by their role",
    "Services": "an operator creates one Service for all workers, or one for each pod with the pod's name, which may"
    " resolve only while the pod is ready; elsewhere one Service selects all workers and one worker 0, ready or not",
    "operator variables": "operators set their variables in every container, whether the program reads them or not",
    "SSH files": "operators provide SSH keys and a hostfile of their own, or lists of the workers' names",
    "operator init container": "an operator may make the workers wait until the name of worker 0 resolves",
}
