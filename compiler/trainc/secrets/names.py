"""Names that secrets have, and values that can't be one."""

from __future__ import annotations

import re
from itertools import pairwise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that make a secret of every name with them, and ends of words written together: PGPASSWORD, AUTHTOKEN.
_ALWAYS = _words("SECRET SECRETS PASSCODE CREDENTIAL CREDENTIALS CREDS")
_ENDINGS = (
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "APIKEY",
    "SECRETKEY",
    "ACCESSKEY",
    "PRIVATEKEY",
    "AUTHTOKEN",
    "APITOKEN",
)
# `SECRET_NAME` and `PASSWORD_FILE` refer to a secret, `TOKEN_TYPE` and `PASSWORD_LENGTH` describe it.
_REFERS = _words(
    "PATH FILE DIR FOLDER NAME NAMESPACE ARN URL URI ENDPOINT HOST REF MOUNT LENGTH SIZE COUNT TYPE ENABLED "
    "REQUIRED PROVIDER STORE MANAGER TTL POLICY PATTERN PROMPT FIELD COLUMN VERSION ALGORITHM EXPIRY ISSUER "
    "AUDIENCE FORMAT"
)
# Fields of Kubernetes and trainc that name a Secret object: sshSecret, imagePullSecrets.
_OBJECTS = _words("SSH PULL TLS")
# Last words of a secret's name, and the words before them of names that are none: PAD_TOKEN, SORT_KEY, BACKWARD_PASS.
_LAST = {
    "TOKEN": _words(
        "BOS CLS END EOS EOT EOD IMAGE MASK MAX MIN NUM PAD PER SEP SPECIAL START BEGIN STOP UNK NEXT AUDIO VIDEO "
        "THINK PROMPT CACHE MULTI SINGLE FIRST LAST TEXT VISION PATCH CLASS SPEECH OUTPUT INPUT NEW DROP"
    ),
    "KEY": _words(
        "PRIMARY FOREIGN SORT PARTITION PUBLIC PUB CACHE LABEL IMAGE TEXT INPUT OUTPUT DATA METRIC SCORE LOSS TARGET "
        "FEATURE CAPTION QUERY TOPOLOGY TAINT INDEX LOOKUP HOT CONFIG COLUMN HASH GROUP SHARD DICT STATE MODEL OBJECT "
        "MESSAGE PROMPT ANSWER RESPONSE REWARD ID NAME MAP SAMPLE KNOWN HOST ROW"
    ),
    "PASS": _words(
        "FORWARD BACKWARD NUM MAX MIN ONE TWO SINGLE MULTI FIRST SECOND LAST FINAL RENDER COMPILER FUSION BY LOW HIGH "
        "BAND OPT GRAPH PER EACH"
    ),
    "PAT": _words("FILE GLOB REGEX NAME DATA TRAIN VAL TEST IN OUT MATCH KEY"),
    "PWD": _words("OLD ORIG INIT CUR CURRENT BASE WORK"),
    "JWT": _words("USE VERIFY"),
    "AUTH": _words("NO USE REQUIRE ENABLE SKIP DISABLE"),
    "COOKIE": _words("USE NO"),
}
# Last words after which the value decides, and the words before them that leave no doubt.
_DOUBTFUL = {
    "KEY": _words(
        "API ACCESS SECRET PRIVATE ENCRYPTION SIGNING ACCOUNT STORAGE LICENSE SSH GPG PGP RSA TLS SSL DEPLOY AUTH "
        "SERVICE MASTER ROOT ADMIN CLIENT JWT HMAC AES FERNET SESSION SUBSCRIPTION WEBHOOK AWS AZURE GCP GOOGLE "
        "GEMINI OPENAI ANTHROPIC CLAUDE COHERE MISTRAL GROQ TOGETHER REPLICATE OPENROUTER DEEPSEEK HF HUGGINGFACE "
        "WANDB COMET NEPTUNE MLFLOW CLEARML NGC NVIDIA PINECONE DATADOG DD SLACK STRIPE TWILIO SENDGRID GITHUB GITLAB "
        "GH S3 MINIO OSS COS SENTRY"
    ),
    "PAT": _words("GITHUB GH GITLAB GIT AZURE DEVOPS EXT ADO AZP BITBUCKET MY BOT"),
    "AUTH": frozenset[str](),
    "COOKIE": frozenset[str](),
}

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")
# `$NAME`, the name of a file, one character repeated.
_REFERENCE = re.compile(
    r"\$[A-Z_][A-Z0-9_]*$|[\w./-]+\.(?:pem|key|json|ya?ml|txt|crt|cfg|ini|conf|env|pub|py)$|(.)\1*$"
)
_PLACES = ("/", "./", "../", "~/", "file:", "$(", "${", "{", "<", "[", "%(", "...", "…", "‹")
_NO_SECRETS = _words(
    "true false yes no on off none null nil str string int bool bytes optional required redacted hidden "
    "placeholder basic bearer auto default"
)


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable, option or field holds a secret: by name and, where that leaves doubt, by value."""
    words = [word.upper() for word in _WORD.findall(name)]
    if not words or words[-1] in _REFERS or not may_be_secret(value):
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if any(word in _ALWAYS or word.endswith(_ENDINGS) for word in words):
        return before not in _OBJECTS or not last.startswith("SECRET")
    if any(after == "KEY" and word in _DOUBTFUL["KEY"] for word, after in pairwise(words)):
        return True
    if last not in _LAST or before in _LAST[last] or words == ["PWD"]:
        return False
    if last in _DOUBTFUL and before not in _DOUBTFUL[last]:
        return is_random(value, 6 if before else 16)
    return not (value.isdigit() and len(value) < 6)


def may_be_secret(value: str) -> bool:
    """Return whether a value may be a secret: not a path, a reference, a placeholder or a switch."""
    text = value.strip()
    return bool(text) and not (text.startswith(_PLACES) or text.lower() in _NO_SECRETS or _REFERENCE.match(text))


def is_random(value: str, least: int) -> bool:
    """Return whether a value of at least so many characters mixes letters and digits within a word."""
    if len(value) < (20 if "/" in value else least) or not re.fullmatch(r"[\w+=~!@#%^*/-]+", value):
        return False
    parts = re.split(r"[-_/]", value)
    return any(re.search("[A-Za-z]", part) and re.search("[0-9]", part) and len(part) > 3 for part in parts)
