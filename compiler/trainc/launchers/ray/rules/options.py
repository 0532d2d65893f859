"""Options of `ray start` that trainc sets, that belong to other nodes, or that Ray lacks; and ports used twice."""

from __future__ import annotations

from collections import defaultdict

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove
from trainc.launchers.ray.options import BY_FLAG, PRODUCT
from trainc.launchers.ray.spec import Ray
from trainc.schema.hints import similar
from trainc.span import span_of

TRIGGERS = ("launch.ray",)

# Options that `ray start` rejects without --head.
OF_HEAD = ("--redis-shard-ports", "--port", "--include-dashboard")


def check(context: RuleContext) -> Diagnostics:
    launch = Ray.of(context.spec)
    lists = {"otherArgs": launch.other_args, "headArgs": launch.head_args, "workerArgs": launch.worker_args}
    for field, arguments in lists.items():
        for word in arguments:
            flag, equals, _ = word.partition("=")
            option, where = BY_FLAG.get(flag), span_of(word) or launch.where(field)
            if option is None:
                close = similar(flag, BY_FLAG, 0.75)
                message = f"`ray start` of {PRODUCT} 2.60 has no option `{flag}`"
                help_ = f"did you mean `{close}`?" if close else Message("move arguments of the program to {spec.run}")
                yield error(codes.RAY_OPTION, message, where, help=help_)
            elif option.instead:
                set_ = "" if " " in option.instead else option.instead
                help_ = f"use {set_}" if set_ else "remove it"
                yield error(codes.RAY_OPTION, f"`{flag}` is set by trainc", where, help=help_)
            elif flag in OF_HEAD and field != "headArgs":
                message = f"`ray start` rejects `{flag}` on a worker other than the head"
                yield error(codes.RAY_OPTION, message, where, help="move it to `headArgs`")
            elif bool(equals) == (option.kind == "switch"):
                message = f"`{flag}` {'takes no value' if equals else 'requires a value in the same argument'}"
                yield error(codes.RAY_OPTION, message, where, help=f"write `{flag}{'' if equals else '=VALUE'}`")
    yield from _ports(launch)


def _ports(launch: Ray) -> Diagnostics:
    names = defaultdict(list)
    for name, number in launch.ports.items():
        names[number].append({"gcs": "the head", "status": "trainc's script"}.get(name, "the dashboard"))
    for number, users in names.items():
        if len(users) > 1:
            where = launch.where("statusPort", "port")
            message = f"port {number} of worker 0 is used by {' and '.join(users)}"
            own = {"the head": "port", "trainc's script": "statusPort"}
            fields = [own[user] for user in users if user in own]
            help_ = f"set `{fields[-1]}` to another number"
            yield error(codes.PORT_CONFLICT, message, where, help=help_, remedy=remove(launch.span_of(fields[-1])))
