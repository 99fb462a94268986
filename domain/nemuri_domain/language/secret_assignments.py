"""Rules for passwords that are recognised by their place: in an address, an option, an assignment, an environment."""

import re
from typing import Final

from nemuri_domain.language.secret_rule import SecretRule
from nemuri_domain.language.secret_values import is_password, is_token, looks_random, named


def _assigned(match: re.Match[str]) -> bool:
    name, quoted = match["name"], match["secret"] is not None
    value = match["secret"] if quoted else match["bare"]
    if quoted and name.lower() == "passphrase":
        value = value.replace(" ", "-")
    check = is_password if re.match(r"(?i)pass|pwd|secret(?!s?[_-]?key)", name) else is_token
    return check(value, quoted=quoted, loud=name.isupper())


_NAME: Final = (
    r"(?P<name>(?i:pass(?:word|wd|phrase|code)|(?<=[A-Za-z0-9][_-])pass|pwd|client[_-]?secret|secret[_-]?(?:access[_-]?)?key|secret"
    r"|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key"
    r"|master[_-]?key|shared[_-]?key|credentials?|token))(?i:s|[_-]?\d{1,3}|[_-]?(?:base|value|prod|production|dev|test))?"
)
_IS: Final = (
    r"(?:\\{0,2}[\"'\]]){0,2}(?:[ \t]*:[ \t]*[A-Za-z_][\w.\[\]|]{0,40}[ \t]*=[ \t]*(?=[bfru]?[\"'])"
    r"|[ \t]*(?:=>|:=|===?|[=:：＝])[ \t]*)"
)
_VALUE: Final = (
    r"(?:[bfru]?(?P<quote>\\{0,2}[\"'`])(?P<secret>[^\n]{1,512}?)(?P=quote)"
    r"|(?P<bare>(?:(?![\"'`,;(){}\[\]<>|&\\])[!-~]){4,512}+)(?![(\[]))"
)

ASSIGNMENTS: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "password",
        ("://",),
        r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,64}:(?P<secret>[^\s@\"'<>/]{1,256})@(?=[\w.\[$%{])",
        lambda match: is_password(match["secret"], quoted=True, loud=True),
    ),
    SecretRule(
        "password",
        ("--", "-p", "-u"),
        r"(?i:--(?:\w+-)?(?:password|passwd|passphrase|token|secret|api-?key|access-?key|auth-?token|client-?secret)"
        r"|\bsshpass[ \t]+-p|\bdocker[ \t]+login\b[^\n]{0,200}?[ \t]-p)"
        r"[ \t]+[\"']?(?P<secret>[^\s\"'-][^\s\"']{3,512})",
        named,
    ),
    SecretRule(
        "password",
        ("curl", "wget", "http"),
        r"\b(?:curl|https?)\b[^\n]{0,400}?[ \t](?:-u|--user|-a|--auth)[ \t=]?[\"']?"
        r"[^\s:\"'$]{1,64}:(?P<secret>[^\s\"']{1,256})",
        lambda match: is_password(match["secret"], quoted=True, loud=True),
    ),
    SecretRule(
        "password",
        ("mysql",),
        r"\b(?:mysql|mysqldump|mariadb)\b[^\n]{0,200}?[ \t]-p(?P<secret>[^\s\"'-][^\s\"']{2,256})",
        lambda match: is_password(match["secret"], quoted=True, loud=True),
    ),
    SecretRule(
        "secret",
        ("pass", "pwd", "secret", "key", "credential", "token"),
        _NAME + _IS + _VALUE,
        _assigned,
    ),
    SecretRule(
        "secret",
        ("=",),
        r"(?m:^)[ \t]*(?:export[ \t]+|ENV[ \t]+|set[ \t]+|-e[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{2,60})=(?P<quote>[\"']?)"
        r"(?P<secret>[A-Za-z0-9+/=_.~-]{16,512})(?P=quote)(?=\s|$)",
        lambda match: looks_random(match["secret"], match["name"]),
    ),
)
"""All rules for places."""
