"""Strings that some parser of YAML, JSON, templates or shell scripts misreads."""

from __future__ import annotations


def _row(text: str) -> list[str]:
    """Return the strings between spaces."""
    return text.split()


# Booleans and null of YAML 1.1 or 1.2, and spellings that only some readers know.
_KEYWORDS = (
    *_row("y Y yes Yes YES yEs n N no No NO nO on On ON off Off OFF oFF"),
    *_row("true True TRUE tRUE false False FALSE null Null NULL nULL ~ None nil undefined"),
)

# Numbers to at least one parser.
_NUMBERS = (
    *_row("0 -0 +0 1 -1 +12 123 007 010 08 0o10 0o8 0x1f 0XFF -0x1F 0b1 0B10 -0b101 1_000 1__0 _1 0_"),
    *_row("1e3 1E3 1e+3 -1.5E-3 12e03 1e 1.0e 0.1 .5 -.5 +.5 5. 1. . .. ._ 1e400 1.0e+16 0x1p4"),
    *_row(".inf .Inf .INF -.INF +.inf .nan .NaN .NAN NaN nan inf -inf +Inf Infinity -Infinity"),
    *_row("e1 E1 e+1 -e0 -E11 0e0 1,000 1.000,5 0x 0b 0o - + -_1 4294967296 18446744073709551616"),
    "123456789012345678901234567890",
    # Quantities, durations, addresses and versions, which resemble numbers.
    *_row("16Gi 500m 0.5 1.5Gi 1k 30s 1h30m 10% 1E 1Ei 10.0.0.1 1.2.3 ::1 fe80::1 2.5.1-cuda12.4"),
    # The digits of other scripts: numbers to a parser that calls isdigit().
    "١٢٣",
    "１２",
    "²",
)

# Base 60 and dates of YAML 1.1.
_TIMES = (
    *_row("1:30 1:30:45 190:20:30 -1:30 1:30.5 08:30 22:22 80:80 1:60 8080:80"),
    *_row("2020-01-01 2020-1-1 2001-12-14t21:59:43.10-05:00 2001-12-15T02:59:43.1Z"),
    "2001-12-14 21:59:43.10 -5",
    "2020-13-45",
)

# Indicators at the start, at the end, in the middle and alone.
_INDICATORS = (
    *_row("= =x << <<x # #x a#b -- --- ---x ... ...x ? ?x : :x a: a:b a::b , a,b [ ] { } [] {} [a]"),
    *_row(r"! !tag !!str !!int !<a> & &a &a* * *a | |- > >- %x %YAML @x ` `x` % @ $ ( ) ; < \ / //"),
    *_row("a*b a&b a|b a>b a!b a?b a%b a@b a`b a[0] a{0} a,"),
    "- x",
    "-- x",
    "--- x",
    "? x",
    ": x",
    "| x",
    "> x",
    "# x",
    "{a: b}",
    "! x",
    "!!int 3",
    "!!binary aGk=",
    "&a x",
    "a: b",
    "a : b",
    "a :b",
    "a :",
    "a: ",
    "a #b",
    "a # b",
    "a\t#b",
    "a:\tb",
    "[a, b]",
    "{a: b}",
    "{a: b",
    "%YAML 1.1",
    "metadata.labels['a/b']",
    "metadata.labels['a']: x",
)

# Quotes and backslashes.
_QUOTES = (
    *_row(r"""' '' "'" '"' " "" "a 'a a' a" it's 'a' "a" 'a'b "a"b \ \\ \n \" \' \x41 \u0041 C:\new"""),
    'say "it\'s"',
    "a\\",
    "\\\\\"'",
)

# Templates, shells and the substitutions of Kubernetes.
_TEMPLATES = (
    "{{ x }}",
    "{{x}}",
    "{% raw %}",
    "{% endraw %}",
    "{# x #}",
    "${HOME}",
    "$HOME",
    "$(RANK)",
    "$$(X)",
    "$(RANK",
    "`id`",
    "a; rm -rf / # x",
    "<script>&amp;</script>",
    "%s %d %%",
    "{0}",
)

# Spaces.
_BLANKS = (
    "",
    " ",
    "  ",
    "\t",
    " a",
    "a ",
    "\ta",
    "a\t",
    "a\tb",
    "a  b",
    "\u00a0",
    "\u00a0a\u00a0",
    "\u2003a",
    "\u3000a",
    "\u200ba",
    " - a",
    " # a",
)

# Control characters, and characters that are line breaks or byte order marks to some parsers only.
_CONTROLS = (
    *(f"a{chr(code)}b" for code in (*range(1, 0x20), *range(0x7F, 0xA0))),
    "\x7f",
    "\x85",
    "\x85a\x85",
    "\u2028",
    "a\u2028b",
    "a\u2029b",
    "\ufeff",
    "\ufeffa",
    "a\ufeffb",
    "\ufffd",
    "\ufffe",
    "a\uffffb",
    "\ufdd0",
    "\U0001fffe",
    "\U0010ffff",
    "\ue000",
)

# Other scripts, combining characters and directional overrides.
_SCRIPTS = (
    "é",
    "e\u0301",
    "a\u0300\u0301\u0302\u0303\u0304",
    "\u0301",
    "ﬁ",
    "İ",
    "ſ",
    "日本語",
    "日本語: x",
    "한국어",
    "שלום",
    "مرحبا",
    "\u202egnp.exe",
    "a\u202e b\u202c",
    "\u2066a\u2069",
    "\u200f",
    "😀",
    "👩\u200d👩\u200d👧\u200d👦",
    "🏳\ufe0f\u200d🌈",
    "🇩🇪",
    "👍🏽",
    "𝒳",
    "x😀: y",
    "\u200d",
)

# Several lines: every chomping, an indented first line, trailing spaces, line breaks other than \n.
_LINES = (
    "\n",
    "\n\n",
    "\n\n\n",
    "a\n",
    "a\n\n",
    "a\n\n\n",
    "a\nb",
    "a\nb\n",
    "a\nb\n\n",
    "a\n\nb",
    "a\n\n\nb\n",
    "\na",
    "\na\n",
    "\n\na\n\n",
    " a\nb",
    "  a\n b\nc\n",
    "\ta\nb",
    "\n a\nb",
    "\n\ta\n",
    " \na",
    "\n \na",
    "a\n b",
    "a\n  b\n    c\n",
    "a\n\tb\n",
    "a\n \nb",
    "a\n    \nb\n",
    "a\n\t\nb",
    "a \nb",
    "a\t\nb",
    "a\nb ",
    "a\nb\t",
    "a\n ",
    "a\n \n",
    "a\n\t",
    "a\r\nb",
    "a\r\nb\r\n",
    "a\rb",
    "\r",
    "\r\n",
    "a\n\rb",
    "a\x85b\nc",
    "a\u2028b\nc",
    "\ufeffa\nb",
    "a\nb\x01c",
    "a\n\ufeffb",
    "a\n\ud7ffb\n",
    "日本\n語\n",
    "😀\n😀",
    "#!/bin/sh\nset -e\npython train.py # not a comment\n",
    "# a\n# b\n",
    "a\n# b",
    "a\n#b\n",
    "- a\n- b",
    "key: value\n- injected",
    "a: b\nc: d\n",
    "a\n---\nb",
    "---\na\n",
    "a\n---\n",
    "a\n...\nb",
    "...\n",
    "%YAML 1.1\n---\na",
    '"\n---\nkind: Secret',
    "'\nb: c",
    "|\n  a",
    ">-\n a\n",
    "{{ x }}\n{% raw %}\n",
    "a\n\\\nb\\",
    "a:\nb:\n",
    "a\n\u00a0\nb",
    "a\u00a0\nb",
    "\u00a0a\nb",
    "\u3000a\n b\n",
)

# Long strings: emitters fold them, and a key of this length requires a `?`.
_LONG = (
    "x" * 10_000,
    "word " * 2_000 + "end",
    "a: " * 400,
    "#" * 1_000,
    "y" * 1_001,
    "y" * 1_024,
    "y" * 1_025,
    "😀" * 1_100,
    "\x01" * 300,
    "a\n" * 3_000,
    "/data/" + "deep/" * 300,
)

HOSTILE: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *_KEYWORDS,
            *_NUMBERS,
            *_TIMES,
            *_INDICATORS,
            *_QUOTES,
            *_TEMPLATES,
            *_BLANKS,
            *_CONTROLS,
            *_SCRIPTS,
            *_LINES,
            *_LONG,
        )
    )
)
