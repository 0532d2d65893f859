"""Traits of systems: other code reads these instead of comparing names."""

from __future__ import annotations

from trainc.record import Record
from trainc.typenames import Literal


class ExclusivePlacement(Record):
    """Names by which each Job of a system gets a topology domain for itself.

    `annotation` has the label of the nodes, `job_label` is that of the pods with their Job. With `node_selector` an
    administrator labels the nodes instead.
    """

    annotation: str
    job_label: str
    node_selector: str


class Traits(Record):
    """Behavior of one system."""

    name: str
    kind: str
    # The API versions that trainc knows. It emits the first one and reads all of them.
    api_versions: tuple[str, ...]
    # Paths of the fields with numbers of pods. Those of one item of `*` are multiplied, the items are added up.
    pod_counts: tuple[tuple[str, ...], ...] = ()
    # Controller that creates the pods, as messages call it; empty for Kubernetes' own controllers.
    operator: str = ""
    # Whether its pods train; others serve the workers.
    trains: bool = True
    # API groups of other systems with a resource of the same kind → the system.
    namesakes: dict[str, str] = {}
    # Versions of the resource that another controller read, and what they are.
    former_versions: dict[str, str] = {}
    # Releases of the controller that trainc emits objects for, the default first, and the name that users write before
    # them in `--target NAME=VERSION`; empty if all releases accept the same objects.
    versions: tuple[str, ...] = ()
    version_name: str = ""
    # Description of a kind that trainc doesn't read, or of its objects that are no jobs, and the remedy for a user who
    # has one.
    foreign_description: str = ""
    foreign_help: str = ""
    # Path of the field that limits the time of the job, in seconds, which all items of `*` must have; empty if nothing
    # limits it.
    deadline: tuple[str, ...] = ()
    # Path of the controller's own queue of a job; empty if it has none besides Kueue's.
    queue: tuple[str, ...] = ()
    # Path of a job field that the system can't express → the reason.
    unsupported: dict[str, str] = {}

    # Whether its jobs can refer to a runtime in the cluster.
    has_runtimes: bool = False

    # Name that the training container must have; empty if any name will do.
    container: str = ""
    # Init containers that the controller may add: a job's own must not have their names.
    init_containers: tuple[str, ...] = ()
    # Labels that the controller sets on its pods, in addition to those of Kubernetes' own controllers.
    pod_labels: tuple[str, ...] = ()
    # Label of its pods whose value is the job's name; empty if there is none.
    job_label: str = ""
    # Label of its pods whose value is a field of the job's status, and that field; empty if there is none.
    status_label: tuple[str, str] = ("", "")
    # Resource, as kubectl calls it, that its controller creates under the job's name and that has the workers; empty if
    # the controller itself or Jobs of Kubernetes have them.
    delegate: str = ""
    # Resources in the namespace, as kubectl calls them, from which that object follows, too, or that have its pods.
    templates: tuple[str, ...] = ()
    # Kinds from which that object follows. No controller creates their pods.
    template_kinds: tuple[str, ...] = ()
    # Text between the job's name and the number in a pod's name and in its host name.
    pod_infix: str = ""
    # Characters at the end of a pod's name, here an example, that its host name lacks.
    pod_suffix: str = ""
    # Variable with the worker's number that the controller sets, and that of a job with a leader.
    index_variable: str = ""
    index_variable_with_leader: str = ""
    # Role of a separate first pod, for a job that ends with worker 0; empty if all workers have one role.
    leader_role: str = ""
    # Length of the suffix that the controller appends to the object's name for a label value.
    name_suffix: int = 0
    # Whether the pods have names in the job's headless Service, and so in the cluster's domain.
    has_full_names: bool = True
    # Whether the controller creates the headless Service of all pods, with the job's name, and sets their subdomain.
    creates_service: bool = False
    # How a user makes the controller create that Service; empty if it always does, or never.
    pod_names_help: str = ""
    # Whether the controller rejects a job if the names of its pods, with their random suffix, are not DNS labels.
    limits_pod_names: bool = False
    # File in schemas/ with the schema of the resource; empty for that of `pod_schema`.
    schema: str = ""
    # File in schemas/ and path of the pod template in it; None for Kubernetes' own, in all versions.
    pod_schema: tuple[str, ...] | None = None
    # Folders in schemas/ with those files for releases of the controller other than the default.
    release_schemas: dict[str, str] = {}
    # Whether the API server rejects fields that the schema lacks, by kubectl's default of strict validation.
    rejects_unknown_fields: bool = True
    # Reason why that template lacks fields of Kubernetes.
    missing_fields: str = "its CRD was generated from an older Kubernetes"

    # Whether the controller itself starts a launcher, and no other: a command over ssh with its own keys, or a process
    # in each pod.
    starts_launcher: bool = False
    # Name of that launcher.
    launcher: str = ""
    # Hostfile that such a controller mounts.
    hostfile: str = ""
    # Hostfile on the pod of its own that starts the processes of all workers over ssh, with keys of the controller;
    # empty if there is no such pod.
    launcher_hostfile: str = ""
    # Label of that pod, or of one that submits the program, and its value; an empty one is the job's name.
    launcher_label: tuple[str, str] = ("", "")
    # Whether the controller names the rendezvous of a job after it.
    names_rendezvous: bool = False
    # Whether the resource has its own modes: debug, in which the pods only wait, and paused with changes for later.
    has_run_modes: bool = False

    # Whether a controller owns the pods: it replaces them, and ends those that are left when the job is over.
    has_controller: bool = True
    # Whether the job ends when its program does.
    ends: bool = True
    # Whether it restarts all workers of a job of fixed size after a failure, which counts once.
    restarts_together: bool = False
    # Whether a container that failed is started again in its pod: by default, with restartPolicy OnFailure, or never.
    container_restarts: Literal["by default", "on request", "never"] = "on request"
    # Whether the controller has a default backoff limit that trainc leaves alone.
    keeps_backoff_default: bool = False
    # Whether the controller implements cleanPodPolicy.
    cleans_pods: bool = False
    # Whether the pod template can't change once the object exists.
    template_is_immutable: bool = False
    # Whether ttlSecondsAfterFinished deletes only what the controller creates, and the object stays.
    outlives_ttl: bool = False
    # Path of the field that pauses the job while it is true; empty if it has none.
    pause: tuple[str, ...] = ()
    # Reason why the job can't be paused; empty if it can.
    no_pause: str = ""

    # Whether something can change the number of workers of a running job, and whether an autoscaler exists by default.
    autoscaling: Literal["by default", "on request", "never"] = "never"
    # Whether it restarts all workers with another number, also under a launcher of a fixed world size.
    scales_fixed_worlds: bool = False
    # Field by which a job overrides the pod template of another object, its runtime; empty if it has its own template.
    pod_changes: str = ""
    # Help about values that the API server rejects, by path.
    value_help: dict[str, str] = {}
    # Whether an elastic job is an error.
    rejects_elastic: bool = False
    # How a user changes the number of workers of a running job, with NAME and N; empty if it can't change.
    scale_by_hand: str = ""
    # Whether that is the number of the object itself, which then stays in force; else only that of the Job it creates.
    has_elastic_size: bool = True
    # TPUs of a job: of one host, a slice of several hosts, or several slices. Hosts find each other by variables that
    # GKE's webhook sets in the pods of Indexed Jobs: https://pkg.go.dev/github.com/abatilo/gke-tpu-env-injector
    tpus: Literal["one host", "one slice", "slices"] = "one host"
    # Names of exclusive placement; None if there is none.
    exclusive_placement: ExclusivePlacement | None = None
    # Unit of Kueue's admission: the object, possibly with fewer workers; the object, whose size is then fixed; the
    # object; its pods as a group; none.
    queued: Literal["partially", "at fixed size", "whole", "by pods", "never"] = "whole"

    def supports(self, path: str) -> bool:
        """Return whether the system can express a job field, such as `spec.lifecycle.backoffLimit`."""
        return path not in self.unsupported_fields

    @property
    def unsupported_fields(self) -> dict[str, str]:
        """Paths of the job fields that the system can't express, with the reasons."""
        runtime = {} if self.has_runtimes else {"spec.scheduling.runtime": "only Kubeflow Trainer has runtimes"}
        return {**self.unsupported, **runtime}

    @property
    def has_launcher_pod(self) -> bool:
        """Return whether a pod of its own starts the processes of all workers."""
        return bool(self.launcher_hostfile)

    @property
    def is_scalable(self) -> bool:
        """Return whether the number of workers of a running job can change."""
        return self.autoscaling != "never"

    @property
    def resume_patch(self) -> str:
        """Merge patch that ends a pause; empty if no field pauses the job."""
        patch = "false"
        for step in reversed(self.pause):
            patch = f'{{"{step}":{patch}}}'
        return patch if self.pause else ""

    @property
    def a_kind(self) -> str:
        """The kind with its indefinite article."""
        vowels = "AEFHILMNORSX" if self.kind[1].isupper() else "AEIOU"  # an abbreviation is spelled out
        return f"{'an' if self.kind[0] in vowels else 'a'} {self.kind}"
