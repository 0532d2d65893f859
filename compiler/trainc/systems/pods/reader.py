"""Translate Pods that train together: the Pods of one group become the workers of one job."""

from __future__ import annotations

import re
from typing import Any

from trainc.commandline.word import parse_count
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, mappings, plain, scalar_text
from trainc.span import Text, span_of
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import RANK_MARK
from trainc.systems.shared.reader.numbered_pods import Workers, assemble, read_metadata, read_pods, translate_workers
from trainc.systems.shared.reader.own_output import is_own, without_own_parts
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.role_differences import report_differences
from trainc.systems.shared.reader.training import trains as is_training
from trainc.systems.shared.reader.tree import child, rest_without, with_entry, with_path, without_entries
from trainc.well_known import JOB_LABEL

# Names in a Pod by the paths of trainc's fields.
NAMES = {
    "lifecycle.restartPolicy": "spec.restartPolicy",
    "lifecycle.activeDeadlineSeconds": "spec.activeDeadlineSeconds",
}
# Labels that the Pods of a job share, as in the plan.
_GROUP_LABELS = (JOB_LABEL, "job-name", "app")
_GROUP_NAME, _GROUP_COUNT = "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count"
_NUMBER = re.compile("([0-9]+)")
_RANKS = ("RANK", "NODE_RANK", "PET_NODE_RANK", "GROUP_RANK")


def trains(document: Mapping) -> bool:
    """Return whether a Pod trains."""
    restarts = scalar_text(child(document, "spec", "restartPolicy")) or "Always"
    return is_training(document, completes=restarts != "Always")


def group(document: Mapping) -> tuple[str, ...]:
    """Return what the Pods of one job have in common: a label, else the name without its number."""
    metadata = document.get("metadata")
    labels = [(name, scalar_text(child(metadata, "labels", name))) for name in _GROUP_LABELS]
    stem = ("", re.sub("(?:-|(?<![0-9]))[0-9]+$", "", scalar_text(child(metadata, "name"))))
    return (scalar_text(child(metadata, "namespace")), *next((each for each in labels if each[1]), stem))


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    report = document.report
    pods = sorted([document.node, *report.peers], key=_rank)
    report.parts += [pod for pod in pods if pod is not document.node]
    templates = _with_marks([_template(pod) for pod in pods])
    first = ForeignMapping(templates[0], report)
    names = [scalar_text(child(pod, "metadata", "name")) for pod in pods]
    for node, name in zip(templates[1:], names[1:], strict=True):
        report_differences(first, ForeignMapping(node, report), (f"`{names[0]}`", f"`{name}`"))
    head = ForeignMapping(pods[0], report)
    metadata, queue = read_metadata(head)
    if len(pods) > 1 and is_own(pods[0]) and child(pods[0], "metadata", "labels", _GROUP_NAME) is None:
        queue = None  # a label of the user's: trainc queues its Pods as a group
    document.ignore_all()
    metadata["name"] = _job_name(pods)
    outer = _job_metadata(pods[0], report)
    for kind in ("labels", "annotations"):
        if isinstance(pairs := metadata.get(kind), Mapping):
            names = [
                name for name in pairs.entries if outer is not None and child(outer, "metadata", kind, name) is None
            ]
            metadata[kind] = rest_without(pairs, _GROUP_NAME, _GROUP_COUNT, *names)
    if outer is None:
        first = ForeignMapping(without_entries(templates[0], "metadata"), report)
    main = read_pods(head if outer is None else ForeignMapping(outer, report), first)
    if main is None:
        return None
    where = pods[0].where("metadata")
    subdomain = scalar_text(child(pods[0], "spec", "subdomain"))
    marked = tuple(name for name, value in main.literal_env().items() if value == RANK_MARK)
    workers = Workers(
        section=first,
        count=Scalar(len(pods), str(len(pods)), where),
        index=marked,
        service=subdomain,
        has_ordinals=True,
    )
    fields = translate_workers(metadata, main, workers, pods)
    fields["lifecycle"] = _lifecycle(pods[0], report)
    _replace_marks(fields, report)
    return assemble(document, metadata, queue, main, fields)


def _template(pod: Mapping) -> Mapping:
    """Return a Pod as the template of a worker, without its name and what trainc or the API server added."""
    own = without_own_parts(pod, pod)
    metadata, spec = own.get("metadata"), own.get("spec")
    parts: dict[str, Node] = {}
    if isinstance(metadata, Mapping):
        carried = {name: entry for name, entry in metadata.entries.items() if name in ("labels", "annotations")}
        parts["metadata"] = Mapping(carried, metadata.span)
    if isinstance(spec, Mapping):
        parts["spec"] = without_entries(spec, "hostname", "subdomain")
    return Mapping({name: Entry(own.entries[name].key, node) for name, node in parts.items()}, own.span)


def _job_metadata(pod: Mapping, report: TranslationReport) -> Mapping | None:
    """Return a Service of the same job of trainc's, which has the labels and annotations of the job; None without."""
    label = scalar_text(child(pod, "metadata", "labels", JOB_LABEL))
    for each in report.other_objects:
        is_service = scalar_text(each.get("kind")) == "Service" and is_own(each)
        if is_service and scalar_text(child(each, "metadata", "labels", JOB_LABEL)) == label:
            return each
    return None


def _rank(pod: Mapping) -> int:
    """Return the rank of a Pod: that of a variable, else the number in its name."""
    containers = child(pod, "spec", "containers")
    for container in mappings(containers)[:1]:
        for variable in mappings(container.get("env")):
            number = parse_count(scalar_text(variable.get("value")))
            if scalar_text(variable.get("name")) in _RANKS and number is not None:
                return number
    numbers = _NUMBER.findall(scalar_text(child(pod, "metadata", "name")))
    return parse_count(numbers[-1]) or 0 if numbers else 0


def _with_marks(nodes: list[Mapping]) -> list[Mapping]:
    """Return templates with a mark in place of the Pod's own rank in its command line and variables."""
    marked = []
    for node, containers in zip(nodes, _marked([child(node, "spec", "containers") for node in nodes]), strict=True):
        marked.append(node if containers is None else with_path(node, "spec", "containers", value=containers))
    return marked


def _marked(nodes: list[Node | None], field: str = "") -> list[Node | None]:
    """Return the same nodes of all templates with marks; `field` has a command line or a variable's value."""
    if any(node is None for node in nodes):
        return nodes
    trees = [node for node in nodes if node is not None]
    if all(plain(tree) == plain(trees[0]) for tree in trees):
        return nodes
    if all(isinstance(tree, Mapping) for tree in trees):
        for name in trees[0].entries if isinstance(trees[0], Mapping) else ():
            inner_field = field or (name if name in ("command", "args", "value") else "")
            inner = _marked([child(tree, name) for tree in trees], inner_field)
            trees = [
                with_entry(tree, name, node) if isinstance(tree, Mapping) and node is not None else tree
                for tree, node in zip(trees, inner, strict=True)
            ]
        return list(trees)
    lists = [tree.items for tree in trees if isinstance(tree, Sequence)]
    if len(lists) == len(trees) and len({len(each) for each in lists}) == 1:
        columns = [_marked(list(column), field) for column in zip(*lists, strict=True)]
        rows = zip(*columns, strict=True)
        return [
            Sequence([node for node in row if node is not None], tree.span)
            for row, tree in zip(rows, trees, strict=True)
        ]
    is_text = field and all(isinstance(tree, Scalar) for tree in trees)
    return _marked_scalars(trees) if is_text else list(trees)


def _marked_scalars(nodes: list[Node]) -> list[Node | None]:
    """Return texts that differ only in numbers equal to the ranks with marks in place of these."""
    tokens = [_NUMBER.split(scalar_text(node)) for node in nodes]
    same = len({len(each) for each in tokens}) == 1
    columns = list(zip(*tokens, strict=True)) if same else []
    ranks = tuple(map(str, range(len(nodes))))
    if not columns or any(len(set(column)) > 1 and column != ranks for column in columns):
        return list(nodes)
    text = "".join(RANK_MARK if column == ranks else column[0] for column in columns)
    return [Scalar(text, text, node.span) for node in nodes]


def _job_name(pods: list[Mapping]) -> Node | None:
    """Return the name of the job: trainc's label, the name that all Pods have before their number, or the first's."""
    name = child(pods[0], "metadata", "name")
    label = child(pods[0], "metadata", "labels", JOB_LABEL)
    if label is not None or len(pods) == 1 or name is None:
        return label or name
    stem = re.sub("(?:-|(?<![0-9]))[0-9]+$", "", scalar_text(name))
    return Scalar(stem, stem, name.span)


def _lifecycle(pod: Mapping, report: TranslationReport) -> dict[str, Any]:
    spec = ForeignMapping(pod, report).section("spec")
    if spec is None:
        return {}
    policy = spec.choice("restartPolicy", ("Always", "OnFailure", "Never")) or "Always"
    fields: dict[str, Any] = {spec.key("activeDeadlineSeconds"): spec.consume("activeDeadlineSeconds")}
    if policy != "Always":
        return {spec.key("restartPolicy"): policy, **fields}
    where = spec.position("restartPolicy")
    report.add_change("a worker whose program has succeeded is not started again: `restartPolicy: OnFailure`", where)
    return {Text("restartPolicy", where): "OnFailure", **fields}


def _replace_marks(fields: dict[str, Any], report: TranslationReport) -> None:
    """Replace what is left of the ranks by variables; those that a rendezvous assigns have none."""
    options = next(iter(fields["launch"].values()))
    has_ranks = "basic" in fields["launch"]
    variable = "RANK" if has_ranks else "PET_NODE_RANK"
    is_known = has_ranks or (options.get("rendezvous") or {}).get("backend") == "static"

    def replaced(text: Any, span: Any) -> Any:
        if RANK_MARK not in str(text):
            return text
        if not is_known:
            message = "the Pods differ in a number, which the launcher's rendezvous assigns at run time"
            report.add_error(message, span, help="use RANK in the program, which the launcher sets")
        return str(text).replace(RANK_MARK, f"$({variable})")

    fields["run"] = {
        kind: [Text(replaced(word, where), where) if (where := span_of(word)) else word for word in words]
        for kind, words in fields["run"].items()
    }
    fields["env"] = _replaced_env(fields["env"], replaced)


def _replaced_env(env: Any, replaced: Any) -> Any:
    if isinstance(env, dict):
        return {name: _replaced_scalar(value, replaced) for name, value in env.items()}
    if not isinstance(env, list):
        return env
    return [
        with_entry(item, "value", _replaced_scalar(item.entries["value"].value, replaced))
        if isinstance(item, Mapping) and "value" in item.entries
        else item
        for item in env
    ]


def _replaced_scalar(node: Any, replaced: Any) -> Any:
    if isinstance(node, Scalar) and RANK_MARK in node.text:
        text = replaced(node.text, node.span)
        return Scalar(text, text, node.span)
    return node
