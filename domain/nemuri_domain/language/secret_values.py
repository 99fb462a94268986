"""Rules that decide whether a value is a secret, or only code or prose about a secret."""

import math
import re
from collections import Counter
from functools import cache
from typing import Final

_PLACEHOLDER: Final = (
    r"(?i)[$%{<]|\*+$|[x.•…_-]{3,}$|\[?redacted|your[-_ ]?|my[-_ ](?:password|secret|token|key)|example|changeme"
    r"|change[-_]me|placeholder|dummy|todo|fixme|(?:none|null|nil|true|false|undefined|str|string|int|bytes|text|varchar"
    r"|required|optional|default|empty|self|this|process\.env|os\.(?:environ|getenv)|import\.meta|env|secrets|vault|config"
    r"|settings|final|classvar|ref|op|arn|projects|file|https?|ssm|sops)(?:$|[.:/(\[])"
)
_PATH: Final = r"[A-Za-z_$@][\w$]*(?:(?:\.|\?\.|->|::)[A-Za-z_][\w$]*)+[?!]?"
"""An expression in code: `self.password`, `request.headers`."""
_WORDS: Final = r"[A-Za-z]+(?:[-_. /][A-Za-z]+)*"
_LABEL: Final = r"(?i)(?:[a-z]+[-_ ./])*(?:passwor[dt]|passphrase|passwd|secret|token|key|auth|credential|pwd|pass)s?"
"""The name of a secret, or of the place where one is stored: `Password`, `my-app-secret`."""
_NAME: Final = r"_*[A-Za-z]?(?:[a-z]+|[A-Z]+)(?:[-_. /:]+[A-Za-z]?(?:[a-z]+|[A-Z]+))*_*"
"""A name in code without a digit: `access-token`, `API_KEY_HEADER`."""
_VARIABLE: Final = r"\w*(?:token|key|password|secret)s?\d{0,2}"
_UUID: Final = r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_HEX: Final = r"(?i)(?:sha(?:1|256|384|512)[-:])?[0-9a-f]+"
_KEYS: Final = r"(?:.*_)?(?:KEY|SALT|PEPPER|CREDENTIALS?|AUTH|PASS|PW)"
_OPEN_KEYS: Final = r".*(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|HOT|HEY|HOST)_?KEY"
_RANDOM: Final = 3.6
"""Minimum entropy, in bits per character, of a random value. Random base64 of 24 characters has about 4, names and
paths have about 3.
"""
_LONG: Final = 16
_TOKEN: Final = 8
_SHORTEST: Final = 4
DISTINCT: Final = 6
"""Minimum length of a secret that is replaced in the other texts of a conversation, and of one without a name."""


def is_password(value: str, *, quoted: bool, loud: bool) -> bool:
    """Return True if a value is a password, given that its name says so.

    `quoted` is True if the value is in quotes, `loud` if its name is in capitals, like that of an environment variable.
    """
    value = value.strip().rstrip(".!?")
    if len(value) < _SHORTEST - quoted or _is(_PLACEHOLDER, value) or not value.isascii() or " " in value:
        return False
    if _whole(_PATH, value) or _is(r"[~/]|\.{1,2}/", value):
        return False
    if _whole(_WORDS, value):
        return (quoted or loud) and not _whole(_LABEL, value)
    return quoted or loud or any(each.isdigit() for each in value) or re.search(r"[!@#$%^*+~?]", value) is not None


def is_token(value: str, *, quoted: bool, loud: bool) -> bool:
    """Return True if a value is a token or a key, given that its name says so: it is long, and neither a number nor
    words.

    `quoted` and `loud` have the same meaning as in `is_password`.
    """
    value = value.strip().rstrip(".!?")
    if len(value) < _TOKEN or _is(_PLACEHOLDER, value) or not value.isascii() or " " in value:
        return False
    if _is(r"[~/]|\.{1,2}/", value) or value.replace(".", "").replace("_", "").isdigit():
        return False
    if _whole(_PATH, value) and not (quoted and any(each.isdigit() for each in value)):
        return False
    if any(each.isdigit() for each in value):
        return any(each.isalpha() for each in value) and (quoted or not _whole(_VARIABLE, value))
    return (quoted or loud) and len(value) >= _LONG and not _whole(_NAME, value)


def looks_random(value: str, name: str) -> bool:
    """Return True if the value of an environment variable looks random. A path never does. A hash or an id does only if
    the variable's name says that it is a key.
    """
    if _is(_PLACEHOLDER, value) or _whole(_WORDS, value) or _is(r"[~/]|\.{1,2}/", value):
        return False
    if _whole(_KEYS, name) and not _whole(_OPEN_KEYS, name):
        return any(each.isdigit() for each in value) and any(each.isalpha() for each in value)
    if _whole(_UUID, value) or _whole(_HEX, value) or len(value) < _LONG + 4:
        return False
    mixed = all(any(map(kind, value)) for kind in (str.isupper, str.islower, str.isdigit))
    return mixed and _bits(value) >= _RANDOM


def named(match: re.Match[str]) -> bool:
    """Return True if the secret of a match, which is named in prose or as an option, looks like one."""
    value = match["secret"]
    return any(each.isdigit() for each in value) and is_password(value, quoted=False, loud=False)


def is_placeholder(value: str) -> bool:
    """Return True if a value stands for a secret (`<token>`, `your-key`), or is a word for having none."""
    return _is(_PLACEHOLDER, value)


def is_label(value: str) -> bool:
    """Return True if a value is the name of a secret, or of the place where one is stored."""
    return _whole(_LABEL, value)


def is_uuid(value: str) -> bool:
    """Return True if a value is a UUID."""
    return _whole(_UUID, value)


def classes(value: str) -> set[str]:
    """Return the classes of characters in a value: lower case, upper case, letters without case, digits, marks.

    What joins words is none.
    """
    return {
        "a" if each.islower() else "A" if each.isupper() else "0" if each.isdigit() else "あ" if each.isalpha() else "!"
        for each in value
        if each not in "_-./:"
    }


def _bits(value: str) -> float:
    """Return the Shannon entropy of a value in bits per character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _is(pattern: str, value: str) -> bool:
    return _compiled(pattern).match(value) is not None


def _whole(pattern: str, value: str) -> bool:
    return _compiled(pattern).fullmatch(value) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
