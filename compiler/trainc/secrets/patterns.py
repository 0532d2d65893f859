r"""Places of secrets in free text: assignments, options, headers, files, command lines.

Each pattern has texts of which every match contains one, since most texts need few patterns. All are linear:
quantifiers in a row match different characters, or are bounded. None is possessive: Python 3.11.0 to 3.11.4 gets the
groups in those wrong.
"""

from __future__ import annotations

_STOP = r"""\s"'`\\,;&|<>(){}\[\]"""
_QUOTED = r"""\\{0,7}"(?P<double>[^"\\\n]*)\\{0,7}"|\\{0,7}'(?P<single>[^'\\\n]*)\\{0,7}'"""
# A value in quotes, which may be escaped as in JSON in a string, or up to the next separator of a shell, URL or list,
# but not the name of a function that is called. What is in quotes is not consumed: it may contain names with values.
_BARE = rf"(?P<bare>(?!-)[^{_STOP}]+)(?:(?=[\s\"'`\\,;&|<>){{}}\]])|\Z)"
VALUE = rf"(?:(?={_QUOTED})|{_BARE})"
_CONSUMED = rf"(?:{_QUOTED}|{_BARE})"
_NAME = r"(?P<name>[A-Za-z_][\w.-]*)"
_SPACE = r"(?:\s|\\\n)+"
_ECHO = r"[\"']?(?:\$\(|`)\s*(?:echo|printf)\s+(?:-\w+\s+)*(?:[\"']%s[\"']\s+)?"

# Of a value whose name decides.
NAMED = (
    # NAME=value, --name=value, name: value, "name": "value", {name:["value"]}, ['name'] = "value".
    (
        ("=", ":"),
        rf"(?<![\w$.-])(?:--(?:from-literal|env|set|set-string|build-arg)[= ]|-{{0,2}}){_NAME}"
        rf"""\\{{0,7}}["']?\]?(?:\s*(?::=|={{1,2}})\s*|:[ \t]+|:\s*(?=["'\\\[]))(?:\[\s*)?{VALUE}""",
    ),
    # --name value, and `aws configure set name value`.
    (("-", "set"), rf"""(?:(?<![\w-])--?|\bset\s+){_NAME}\\{{0,7}}["']?,?{_SPACE}{VALUE}"""),
    # --na"me" value, which a shell joins.
    (('"', "'", "\\"), rf"""(?<![\w-])--?(?P<name>[\w"'\\.-]{{1,80}})(?:=|{_SPACE}){VALUE}"""),
    # The output of a command: --name "$(echo value)".
    (("$(", "`"), rf"(?<![\w$.-])-{{0,2}}{_NAME}(?:=|{_SPACE}){_ECHO}{VALUE}"),
    # printf 'name=%s\n' value
    (("printf",), rf"""\bprintf\s+["']{_NAME}\s?[=:]\s?%s[^"'\n]{{0,20}}["']\s+{VALUE}"""),
    # read name <<< value
    (("<<<",), rf"\bread\s+(?:-\w+\s+){{0,4}}{_NAME}\s*<<<\s*{VALUE}"),
    # -H name:value
    (("-H", "eader"), rf"(?:--header[= ]|-H ?)[\"']?{_NAME}:{VALUE}"),
    # ${NAME:-value}
    (("${",), rf"\$\{{{_NAME}:?[-=]{VALUE}"),
    # A name and a value in a list of variables or in XML: {name: NAME, value: VALUE}, key="NAME" value="VALUE".
    (
        ("value",),
        rf"""\b(?:name|key)["']?\s?[:=]\s*["']?{_NAME}["']?[\s,-]*["']?value["']?\s?[:=]\s*{VALUE}""",
    ),
    # <name>value</name>
    (("</",), rf"<{_NAME}>{VALUE}"),
)
# Commands whose arguments are names, each followed by its value: `dvc remote modify`, `rclone config create`.
SETTERS = r"\b(?:remote\s+modify|config\s+(?:create|update|set|password)|git\s+config)\s[^;|&\n]*"
PAIR = rf"(?<![^\s/:]){_NAME}(?=[ \t]+{VALUE})"

# Of a value that is a secret by its place.
PLACES = (
    # Programs that take a password by a short option, up to the end of the command.
    (
        ("sshpass", "mysql", "mariadb", "login"),
        r"\b(?:sshpass|mysql|mysqldump|mysqladmin|mariadb"
        r"|(?:docker|podman|nerdctl|helm|oras|skopeo|crane|az)\s[^;|&\n]{0,80}?login)"
        rf"\b[^;|&\n]{{0,200}}?\s-p\s*{VALUE}",
    ),
    (("redis-cli",), rf"\bredis-cli\b[^;|&\n]{{0,200}}?\s-a\s+{VALUE}"),
    (("ldap",), rf"\bldap\w+\b[^;|&\n]{{0,200}}?\s-w\s+{VALUE}"),
    (("zip",), rf"\b(?:un)?zip\b[^;|&\n]{{0,200}}?\s-P\s*{VALUE}"),
    (("keygen",), rf"\bssh-keygen\b[^;|&\n]{{0,200}}?\s-[NP]\s*{VALUE}"),
    (("vault",), rf"\bvault\s+login\s+(?:-[\w-]{{1,40}}(?:=\S{{1,200}})?\s+){{0,8}}{VALUE}"),
    (("sqlplus",), r"\bsqlplus\s+(?:-\w+\s+){0,8}[^\s/@;|&]{1,128}/(?P<bare>[^\s/@;|&\"'$]{1,128})@"),
    (("7z",), rf"\b7z[az]?\b[^;|&\n]{{0,200}}?\s-p{VALUE}"),
    (("smbclient",), rf"\bsmbclient\b[^;|&\n]{{0,200}}?\s-U\s*[^\s%]+%{VALUE}"),
    (("mc ",), rf"\bmc\s+(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+\S+\s+{VALUE}"),
    (("pass:",), rf"\s-pass(?:in|out)?\s+[\"']?pass:{VALUE}"),
    (
        ("wandb",),
        r"\bwandb\s+login\s+"
        rf"(?:--(?:host|base-url)[= ]\S+\s+|--(?!host\b|base-url\b)[\w-]+\s+)*{VALUE}",
    ),
    (("swanlab",), rf"\bswanlab\s+login\s+-k\s+{VALUE}"),
    (("login(",), rf"\blogin\(\s*(?:(?:token|key)\s*=\s*)?(?=[\"'](?![^\"']*://)){VALUE}"),
    (
        ("curl", "wget", "http"),
        r"\b(?:curl|wget|http)\b[^;|&\n]{0,200}?"
        rf"\s(?:-[uU][ =]?|--(?:proxy-)?user[ =])[\"']?[^\s:\"']+:{VALUE}",
    ),
    (("http ",), rf"\bhttp\b[^;|&\n]{{0,200}}?\s(?:-a[ =]?|--auth[ =])[\"']?[^\s:\"']+:{VALUE}"),
    (("curl",), rf"\bcurl\b[^;|&\n]{{0,200}}?\s(?:-b|--cookie)[ =][\"']?[\w.-]+={VALUE}"),
    # A password that a login reads from its standard input.
    (("login",), rf"\b(?:echo|printf)\s+(?:-n\s+)?{_CONSUMED}\s*\|[^;|&\n]{{0,120}}?\slogin(?![^\s\"'])"),
    (("<<<",), rf"(?:\slogin|\bkinit)\s[^;|&\n<]{{0,200}}<<<\s*{VALUE}"),
    # Authorization: scheme value
    (
        ("uthorization", "UTHORIZATION"),
        r"""(?i)\bauthorization\\{0,7}["']?\s*[:=]\s*\\{0,7}["']?(?:\w+[ \t]+)?(?P<bare>(?![$<{])[^\s"'\\,$]{4,})""",
    ),
    # machine HOST login USER password VALUE
    (
        ("login",),
        rf"\blogin\s+[^\s\"']{{1,200}}\s+(?:account\s+[^\s\"']{{1,200}}\s+)?password\s+{VALUE}",
    ),
    # A line of ~/.pgpass: host:port:database:user:value
    (("pgpass",), rf"(?<![\w.*-])[\w.*-]{{1,253}}:(?:\d{{1,5}}|\*):[\w*-]{{1,63}}:[\w*-]{{1,63}}:{VALUE}"),
    # ODBC: UID=user;PWD=value, in braces if it contains a separator.
    (
        ("=",),
        rf"(?i)(?:;\s*pwd=|(?<![\w$;])pwd=(?=[^\s;\"']+;\s*\w+=))(?:\{{(?P<single>[^{{}}\n]*)\}}|(?P<bare>[^{_STOP}]+))",
    ),
)
# A user name of a URL, which is a token if it looks random; a storage container's name precedes an @, too.
USER = r"(?<![\w+.-])(?!abfs|wasb|ssh|git\+ssh)[A-Za-z][\w+.-]{0,30}://(?P<bare>[^/\s:@\"'$<{%]{16,512})(?::[^/\s@\"']{0,99})?@"
QUOTE = r"""\\{0,7}["']"""
# What a shell appends to a value: --password ab"c"'d'.
REST = rf"""(?:"[^{_STOP}:][^"\n]{{0,200}}"|'[^{_STOP}:][^'\n]{{0,200}}'|(?<=["'])[^{_STOP}:]{{1,200}}){{1,8}}"""
SHORT = rf"(?<![\w-])-p\s+{VALUE}"
