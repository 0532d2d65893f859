"""Lookup of the rendezvous host that falls back to the pod itself."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import Places
from trainc.span import Text

TRIGGERS = ("falls_back_to_localhost()",)

_LOOKUP = r"\b(?:getent|nslookup|dig|host|ping|resolveip|gethostbyname|getaddrinfo|kubectl)\b"
_FALLBACK = re.compile(
    rf"{_LOOKUP}[^\n;`]{{0,300}}?(\|\|\s*(?:echo|printf)\s+[\"']?(localhost|127\.0\.0\.1|::1)\b[\"']?)"
)


def check(context: RuleContext) -> Diagnostics:
    """Check the scripts of the training container: c10d and static start a world of one worker at a local address."""
    if context.job.replicas.maximum == 1:
        return
    main = context.pod.main
    words = (word for word in (*main.words("command"), *main.words("args")) if isinstance(word, Text))
    for word in words:
        for match in _FALLBACK.finditer(word):
            where = Places(word, word.span).part(match.start(1), match.end(1)) or word.span
            message = f"if the lookup fails, each worker trains alone: it connects to itself at `{match[2]}`"
            help_ = "let the script fail, or repeat the lookup until it succeeds"
            yield warning(codes.LOCAL_FALLBACK, message, where, help=help_, related=workers(context))
