"""Aspects in which plans of one job differ on several back ends because of the systems themselves, with the reasons."""

EXPECTED = {
    "maximum pods": "a job without an autoscaler has more than its workers only once it is scaled by hand",
    "maximum world size": "follows from the maximum pods",
    "launcher restarts": "each scale-down of an elastic StatefulSet or PyTorchJob uses up one restart of torchrun, so"
    " they allow more",
    "success": "a Job reports its success, and so do a JobSet and a TrainJob, a bare Pod only its own, a StatefulSet"
    " none; a PyTorchJob succeeds with all workers, with its Master or, if it is elastic, with any worker; an"
    " ElasticJob with all workers; a DeepSpeedJob with worker 0, which starts all processes; an MPIJob with its"
    " launcher, which does the same; a Job of Volcano with all workers or, if it is elastic, with any worker",
    "failure": "a Job counts the failures of each worker; a JobSet or TrainJob restarts all workers of a job"
    " of fixed size; a PyTorchJob, an ElasticJob and a DeepSpeedJob count the restarts of all running pods together; a"
    " StatefulSet restarts without limit, a bare Pod is never replaced; an MPIJob counts the failures of its launcher;"
    " a Job of Volcano restarts all workers of a job of fixed size, and one of an elastic job",
    "run id": "a Job has a uid for each run, also one of Volcano, that of a JobSet or TrainJob for each restart;"
    " elsewhere the id is the job's name, the same in every run",
    "pod names": "a Job adds random characters to the names of its pods",
    "worker names": "an operator names the workers by their role",
    "Services": "an operator creates a Service for each pod, with the pod's name, which resolves only while the pod is"
    " ready; the JobSet controller, Volcano and the MPI operator create the one for all workers; elsewhere one Service"
    " selects all workers and one worker 0, ready or not",
    "operator variables": "the training operator, Volcano and the MPI operator set their variables in every container,"
    " whether the program reads them or not",
    "SSH files": "T9k's operator and the MPI operator provide SSH keys and a hostfile of their own, Volcano a list of"
    " the workers' names",
    "operator init container": "with a Master, the training operator makes the workers wait until its name resolves",
}
