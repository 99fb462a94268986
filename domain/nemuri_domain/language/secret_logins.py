"""Rules for names with their passwords, and for connection strings."""

import re
from typing import Final

from nemuri_domain.language.secret_rule import SecretRule
from nemuri_domain.language.secret_values import classes, is_password, is_placeholder

_USER: Final = r"[\"'`]?[A-Za-z][\w.@+-]{0,63}[\"'`]?"
_VALUE: Final = r"[\"'`]?(?P<secret>(?:(?![\"'`<>{}\[\]()|])[!-~]){6,128})"
_LOGIN: Final = (
    r"(?:(?i:\b(?:log(?:ged)?[ -]?(?:in|on)|login|sign(?:ed)?[ -]?in|credentials?|creds|account|user(?:name)?)\b)"
    r"|(?i:\bid)[ \t]*(?:/|と)[ \t]*(?i:pw|pass(?:word)?|パスワード)|ログイン|アカウント|認証情報)"
)
_PRODUCT: Final = re.compile(r"[A-Za-z]+\d{1,2}")
_ENDS: Final = ".,;:)、。"
_MINIMUM: Final = 3
_OTHERS: Final = r"(?i:host|server|data source|addr|port|user(?: ?id|name)?|uid|db(?:name)?|database|initial catalog)"
_BEFORE_SETTING: Final = r"(?<![,(])(?<![,(][ \t])(?i:password|passwd|pwd)[ \t]?=[ \t]?"
_SETTING: Final = r"(?P<secret>[^;&,\s\"'()]{3,256}+)(?![(,])"


def _mixed(match: re.Match[str]) -> bool:
    """Return True if what stands beside a name is as mixed as only a password is: no path, product or address."""
    value = match["secret"].rstrip(_ENDS)
    if is_placeholder(value) or "://" in value or "/" in value or _PRODUCT.fullmatch(value) or value.startswith("#"):
        return False
    return len(classes(value)) >= _MINIMUM and any(map(str.isdigit, value))


def _set(match: re.Match[str]) -> bool:
    return is_password(match["secret"], quoted=True, loud=True)


LOGINS: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "password",
        ("log", "sign", "cred", "account", "user", "id/", "id /", "idと", "ログイン", "アカウント", "認証情報"),
        rf"{_LOGIN}[^\n/]{{0,24}}?[ \t:：はが]{_USER}(?:[ \t]*[/:][ \t]*|[ \t]+(?:with|using|and)[ \t]+){_VALUE}",
        _mixed,
    ),
    SecretRule(
        "password",
        ("pass", "pw"),
        rf"(?i:\b(?:user(?:name)?|login|account|id)\b)[ \t:=]*{_USER}[ \t,;/]+(?i:pass(?:word|wd)?|pwd?)\b"
        rf"[ \t:=]*{_VALUE}",
        _mixed,
    ),
    SecretRule(
        "password",
        ("@",),
        r"(?<![\w/:.@+-])[A-Za-z][\w.-]{0,63}:(?P<secret>[^\s:@\"'<>/]{6,256})@(?=localhost\b|[\w-]{1,63}\.[\w.-]+)",
        _mixed,
    ),
    SecretRule(
        "password",
        ("password", "passwd", "pwd"),
        rf"(?:^|[;\s\"'&?])(?:{_OTHERS})[ \t]?=[^;&\n\"']{{1,200}}[;&\s][^\n\"']{{0,300}}?{_BEFORE_SETTING}{_SETTING}",
        _set,
    ),
    SecretRule(
        "password",
        ("password", "passwd", "pwd"),
        rf"{_BEFORE_SETTING}{_SETTING}(?=[;&\s][^\n\"']{{0,300}}?(?:{_OTHERS})[ \t]?=)",
        _set,
    ),
)
"""All rules for names with passwords."""
