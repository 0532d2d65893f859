"""What wakes rules: looks at a job that cost next to nothing, since every job gets them."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, scalar_text

# One of these is in the words of every command line that starts a launcher (trainc/commandline/find.py).
LAUNCHERS = ("torchrun", "torch.distributed", "deepspeed", "accelerate", "mpirun", "mpiexec", "orterun")

# One of these is in every name of a secret, and of these in every secret that is known by its form
# (trainc/diagnostics/secrets.py).
_NAMED = ("TOKEN", "SECRET", "PASS", "CREDENTIAL", "KEY")
SECRETS = (
    "hf_",
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "xox",
    "AIza",
    "-----BEGIN",
    "://",
)


def gives(spec: Mapping, field: str) -> bool:
    """Whether a job gives a field like `launch.torchrun`; the empty path is the job itself."""
    return _at(spec, field) is not None


def starts_launcher(spec: Mapping) -> bool:
    """Whether a launcher is named where a command may stand. A script's own arguments are nobody's command."""
    words = [*_words(_at(spec, "run.exec"))]
    words += _words(_at(spec, "run.python"))[:1] + _words(_at(spec, "run.module"))[:1]
    for container in _containers(spec):
        words += _words(container.get("command")) + _words(container.get("args"))
        if container.get("args") is not None and gives(spec, "launch.torchrun"):
            return True  # behind trainc's own `torchrun`
    return any(name in word for word in words for name in LAUNCHERS)


def odd_program(spec: Mapping) -> bool:
    """Whether the program is more, or something else, than a file of Python or a module."""
    scripts = _words(_at(spec, "run.python"))
    if scripts:
        return not scripts[0].endswith(".py") or " " in scripts[0]
    named = gives(spec, "run.exec") or gives(spec, "run.entrypoint")
    modules = _words(_at(spec, "run.module"))[:1]
    return named or any(word.startswith("-") or word.endswith(".py") or " " in word or "/" in word for word in modules)


def pet_variable(spec: Mapping) -> bool:
    """Whether a variable named as those of torchrun is given, or set in a shell."""
    if any(name.startswith("PET_") for name in _variables(spec.get("env"))):
        return True
    if any("PET_" in word for word in _words(_at(spec, "run.exec"))):
        return True
    return any(name.startswith("PET_") for container in _containers(spec) for name in _variables(container.get("env")))


def pod_name(spec: Mapping) -> bool:
    """Whether a variable has the pod's name."""
    env = spec.get("env")
    sources = [_at(item, "valueFrom.fieldRef.fieldPath") for item in mappings(env)]
    return any(scalar_text(source) == "metadata.name" for source in sources)


def port_beside(spec: Mapping) -> bool:
    """Whether podTemplate gives a container ports."""
    containers = _containers(spec) + _containers(spec, "initContainers")
    return any(container.get("ports") is not None for container in containers)


def other_than_gpus(spec: Mapping) -> bool:
    """Whether a number of processes is given that isn't just that of the GPUs."""
    fields = ("launch.torchrun.nprocPerNode", "launch.deepspeed.slotsPerWorker", "launch.basic.nprocPerNode")
    given = next((value for field in fields for value in [_at(spec, field)] if value is not None), None)
    gpus = _at(spec, "resources.gpu")
    gpus = gpus.get("count") if isinstance(gpus, Mapping) else gpus
    return given is not None and scalar_text(given) != scalar_text(gpus)


def moving(spec: Mapping) -> bool:
    """Whether the image's name holds no tag and no digest, or is called latest."""
    name = scalar_text(spec.get("image"))
    return "latest" in name or ":" not in name.rpartition("/")[2]


def separated(spec: Mapping) -> bool:
    """Whether `--` stands among the program's words."""
    return any("--" in _words(_at(spec, field)) for field in ("run.python", "run.module"))


def secret(spec: Mapping) -> bool:
    """Whether a variable is named like a secret, or something holds what secrets begin with."""
    for section in (spec, *_containers(spec), *_containers(spec, "initContainers")):
        env = section.get("env")
        if any(mark in name.upper() for name in _variables(env) for mark in _NAMED):
            return True
        words = [*_words(section.get("command")), *_words(section.get("args")), *_values(env)]
        if any(mark in word for word in words for mark in SECRETS):
            return True
    words = [word for field in ("python", "module", "exec") for word in _words(_at(spec, f"run.{field}"))]
    return any(mark in word for word in words for mark in SECRETS)


def _at(spec: Mapping, field: str) -> Node | None:
    here: Node | None = spec
    for step in field.split(".") if field else ():
        here = here.get(step) if isinstance(here, Mapping) else None
    return here


def _words(node: Node | None) -> list[str]:
    return [item.text for item in node.items if isinstance(item, Scalar)] if isinstance(node, Sequence) else []


def _containers(spec: Mapping, field: str = "containers") -> list[Mapping]:
    found = _at(spec, f"podTemplate.spec.{field}")
    return [item for item in found.items if isinstance(item, Mapping)] if isinstance(found, Sequence) else []


def _variables(env: Node | None) -> Iterator[str]:
    if isinstance(env, Mapping):
        yield from env.entries
    elif isinstance(env, Sequence):
        yield from (scalar_text(item.get("name")) for item in env.items if isinstance(item, Mapping))


def _values(env: Node | None) -> list[str]:
    if isinstance(env, Mapping):
        return [scalar_text(value) for _, value in env.items()]
    items = env.items if isinstance(env, Sequence) else []
    return [scalar_text(item.get("value")) for item in items if isinstance(item, Mapping)]
