"""Redaction of keys, tokens and passwords in a text.

This module imports and compiles little, because hooks must start fast: a rule is compiled when a text first has one of
its hints. Prefixes and lengths of vendors' tokens follow the vendors' documentation and the rules of gitleaks.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from nemuri_domain.language.secret_values import is_password, is_token, looks_random


class SecretRule(NamedTuple):
    """Rule for one kind of secret. The group `secret` or `bare` of the pattern is replaced; without both, the whole
    match.
    """

    name: str
    hints: tuple[str, ...]
    """Lower-case strings. A text with such a secret contains at least one of them."""
    pattern: str
    meant: Callable[[re.Match[str]], bool] = lambda _: True
    """Function that returns True if a match is a secret, not code about a secret."""


def redact(text: str) -> str:
    """Return the text with every key, token and password replaced by `[redacted:KIND]`. Linear time.

    It recognises vendors' tokens by their form, private keys, passwords in URLs, headers, assignments and options, and
    random values of environment variables. Hashes, commit ids and UUIDs stay, unless their name says that they are
    secret.
    """
    return Redactor().redact(text)


class Redactor:
    """Redaction of the texts of one conversation. A secret that one of them names is replaced in all of them."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def redact(self, text: str) -> str:
        """Return the text without secrets, as `redact` does, and remember these secrets."""
        folded = text.lower()
        for rule in RULES:
            if any(each in folded for each in rule.hints):
                text = _compiled(rule.pattern).sub(lambda match, rule=rule: self._replaced(rule, match), text)  # type: ignore[misc]
        return self.without_known(text)

    def without_known(self, text: str) -> str:
        """Return the text without the secrets of the texts so far."""
        for secret, name in self._known.items():
            if secret in text:
                text = text.replace(secret, f"[redacted:{name}]")
        return text

    def _replaced(self, rule: SecretRule, match: re.Match[str]) -> str:
        if not rule.meant(match):
            return match.group()
        groups = match.groupdict()
        group = "secret" if groups.get("secret") else "bare" if groups.get("bare") else 0
        whole, start, secret = match.group(), match.start(), match.group(group)
        if len(secret) >= _DISTINCT and len(_classes(secret)) > 1:
            self._known[secret] = rule.name
        return f"{whole[: match.start(group) - start]}[redacted:{rule.name}]{whole[match.end(group) - start :]}"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _vendor(name: str, pattern: str, *hints: str) -> SecretRule:
    return SecretRule(name, hints, rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])")


def _holds_key(match: re.Match[str]) -> bool:
    return re.search(r"[A-Za-z0-9+/=]{24}", match.group()[40:]) is not None


def _assigned(match: re.Match[str]) -> bool:
    name, quoted = match["name"], match["secret"] is not None
    value = match["secret"] if quoted else match["bare"]
    if quoted and name.lower() == "passphrase":
        value = value.replace(" ", "-")
    check = is_password if re.match(r"(?i)pass|pwd|secret(?!s?[_-]?key)", name) else is_token
    return check(value, quoted=quoted, loud=name.isupper())


def _classes(value: str) -> set[str]:
    """Return the classes of characters in a value: lower case, upper case, digits, marks. What joins words is none."""
    return {
        "a" if each.islower() else "A" if each.isupper() else "0" if each.isdigit() else "!"
        for each in value
        if each not in "_-./:"
    }


def _mixed(match: re.Match[str]) -> bool:
    """Return True if a value beside the word for a secret is as mixed as only a secret is, or a quoted one."""
    value = match["secret"]
    if len(value) < _DISTINCT or "://" in value:
        return False
    return _named(match) and (len(_classes(value)) > 2 or bool(match.groupdict().get("quote")))


def _named(match: re.Match[str]) -> bool:
    """Return True if a value that is named in prose or as an option looks like a secret."""
    value = match["secret"]
    return any(each.isdigit() for each in value) and is_password(value, quoted=False, loud=False)


def _worded(match: re.Match[str]) -> bool:
    """Return True if a value after a colon is a password, also if it is a word."""
    return len(match["secret"]) >= _DISTINCT and is_password(match["secret"], quoted=True, loud=False)


def _run_together(match: re.Match[str]) -> bool:
    """Return True if a value is longer than a word, as one that was made of several words."""
    value = match["secret"].rstrip(".!?")
    return value.isalpha() and value.isascii() and len(value) >= _LONGER_THAN_A_WORD


_DISTINCT: Final = 6
"""Minimum length of a secret that is replaced in the other texts of a conversation, and of one without a name."""
_LONGER_THAN_A_WORD: Final = 16
_PEM: Final = r"(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
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

RULES: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "private-key",
        ("private key",),
        rf"-----BEGIN {_PEM}(?:[\s\S]{{0,16000}}?-----END {_PEM}|(?:(?:\\[nr]|[\s\"'+,])*+[A-Za-z0-9+/=:]{{16,}}+)+)",
        _holds_key,
    ),
    _vendor("aws-access-key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", "akia", "asia", "abia", "acca"),
    _vendor(
        "github-token",
        r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
    ),
    _vendor("gitlab-token", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\w-]{20,255}", "gl"),
    _vendor("anthropic-key", r"sk-ant-[\w-]{16,255}", "sk-ant-"),
    _vendor("openai-key", r"sk-(?:proj|svcacct|admin|or|lf|None)-[\w-]{16,255}|sk-[A-Za-z0-9]{20,255}", "sk-"),
    _vendor(
        "stripe-key",
        r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{16,255}",
        "sk_",
        "rk_",
        "whsec_",
    ),
    _vendor("slack-token", r"xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-\d-[A-Za-z0-9-]{10,255}", "xox", "xapp-"),
    _vendor(
        "slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[\w+/-]{20,255}", "hooks.slack.com"
    ),
    _vendor(
        "discord-webhook", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/[\w-]{30,255}", "/api/webhooks/"
    ),
    _vendor("telegram-token", r"\d{8,10}:AA[\w-]{32,34}", ":aa"),
    _vendor("google-key", r"AIza[\w-]{30,40}|GOCSPX-[\w-]{20,64}|ya29\.[\w-]{20,512}", "aiza", "gocspx-", "ya29."),
    _vendor("jwt", r"eyJ[\w-]{8,4096}\.eyJ[\w-]{8,16384}(?:\.[\w-]*)?", "eyj"),
    _vendor("npm-token", r"npm_[A-Za-z0-9]{30,64}", "npm_"),
    _vendor("pypi-token", r"pypi-[\w-]{50,512}", "pypi-"),
    _vendor("hugging-face-token", r"hf_[A-Za-z0-9]{30,64}", "hf_"),
    _vendor("sendgrid-key", r"SG\.[\w-]{16,64}\.[\w-]{16,128}", "sg."),
    _vendor("digitalocean-token", r"do[opr]_v1_[a-f0-9]{64}", "_v1_"),
    _vendor("vault-token", r"hv[sbr]\.[\w-]{24,512}", "hvs.", "hvb.", "hvr."),
    _vendor("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,64}", "age-secret-key-"),
    _vendor(
        "token",
        r"(?:dapi[a-f0-9]{32}|glsa_\w{32,64}|lin_api_\w{32,64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|PMAK-[\w-]{40,80}"
        r"|figd_[\w-]{32,64}|ntn_\w{40,64}|sbp_[a-f0-9]{40}|pplx-\w{40,64}|gsk_\w{40,64}|xai-\w{60,100}|r8_\w{32,64}"
        r"|tvly-[\w-]{20,64}|ATATT3[\w=-]{100,300}|dp\.pt\.\w{40,64}|sq0[a-z]{3}-[\w-]{22,43})",
        "dapi",
        "glsa_",
        "lin_api_",
        "shp",
        "pmak-",
        "figd_",
        "ntn_",
        "sbp_",
        "pplx-",
        "gsk_",
        "xai-",
        "r8_",
        "tvly-",
        "atatt3",
        "dp.pt.",
        "sq0",
    ),
    SecretRule(
        "password",
        ("://",),
        r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,64}:(?P<secret>[^\s@\"'<>/]{1,256})@(?=[\w.\[$%{])",
        lambda match: is_password(match["secret"], quoted=True, loud=True),
    ),
    SecretRule(
        "authorization",
        ("authorization", "bearer"),
        r"(?i:authorization[\"']?[ \t]*[:=,][ \t]*[\"'`]?(?:bearer|basic|token|digest)|\bbearer)[ \t]+"
        r"(?P<secret>[A-Za-z0-9._~+/=:-]{8,4096})",
        lambda match: is_token(match["secret"], quoted=match.group().lower().startswith("auth"), loud=True),
    ),
    SecretRule(
        "signature",
        ("sig", "security-token"),
        r"[?&](?i:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=(?P<secret>[^&\s\"'<>]{16,4096})",
    ),
    SecretRule(
        "password",
        ("--", "-p", "-u"),
        r"(?i:--(?:\w+-)?(?:password|passwd|passphrase|token|secret|api-?key|access-?key|auth-?token|client-?secret)"
        r"|\bsshpass[ \t]+-p|\bdocker[ \t]+login\b[^\n]{0,200}?[ \t]-p)"
        r"[ \t]+[\"']?(?P<secret>[^\s\"'-][^\s\"']{3,512})",
        _named,
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
        ("password", "passphrase", "passwd", "api key", "token", "secret", "pin"),
        r"(?i:\b(?:(?:password|passphrase|passwd|pin)\b[^\n.,:;=]{0,40}?[ \t](?:is|was|to)"
        r"|(?:api key|access key|token|secret)\b[^\n.,:;=]{0,40}?[ \t](?:is|was)))"
        r"(?:[ \t]*[:：])?[ \t]+[\"'`]?(?P<secret>(?:(?![\"'`,;(){}\[\]<>])[!-~]){4,256})",
        _named,
    ),
    SecretRule(
        "secret",
        ("password", "passphrase", "passwd", "api key", "token", "secret"),
        r"(?i:\b(?:password|passphrase|passwd|api[ ]key|access[ ]key|token|secret))(?:[ \t]+|[ \t]*\|[ \t]*)"
        r"(?P<quote>[\"'`]?)(?P<secret>(?:(?![\"'`,;(){}\[\]<>|])[!-~]){6,256})(?P=quote)(?=$|[\s.,;:!?)|])",
        _mixed,
    ),
    SecretRule(
        "secret",
        ("password", "passphrase", "passwd"),
        r"(?i:\b(?:password|passphrase|passwd))(?:[ \t]+(?:is|was))?(?:[ \t]*[:：=])?[ \t]+"
        r"(?P<secret>[A-Za-z]{16,256})(?![\w(\[./])",
        _run_together,
    ),
    SecretRule(
        "secret",
        ("pin", "pw"),
        r"(?i:\bpin(?:[ -]?code)?)[ \t]*[:：=][ \t]*(?P<secret>\d{4,12})(?![\w.])"
        r"|(?i:\bpw)[ \t]*[:：=][ \t]*(?P<bare>(?=[^\s\"'`]*\d)(?:(?![\"'`,;(){}\[\]<>])[!-~]){6,256})",
    ),
    SecretRule(
        "secret",
        ("as the", "as my", "as a", "as your", "as our"),
        r"(?<![!-~])[\"'`]?(?P<secret>(?:(?![\"'`,;(){}\[\]<>|])[!-~]){6,256})[\"'`]?"
        r"[ \t]+as[ \t]+(?:the|my|our|your|a)[ \t]+(?:\w+[ \t]+){0,2}"
        r"(?i:password|passphrase|passwd|api[ ]key|access[ ]key|token|secret)\b",
        _named,
    ),
    SecretRule(
        "secret",
        ("パスワード", "パスフレーズ", "合言葉", "暗証番号", "キー", "トークン", "シークレット", "秘密鍵"),
        r"(?:パスワード|パスフレーズ|合言葉|暗証番号|(?:API|アクセス|シークレット|秘密|暗号)キー|トークン|シークレット|秘密鍵)"
        r"[^\n。、!-~]{0,12}?(?:は|が|を|に|:|：|=|＝)[ \t]*[「『\"'`]?"
        r"(?P<secret>[!-~]{4,256}?)(?=[「」『』\"'`、。\s]|[^!-~]|$)",
        _named,
    ),
    SecretRule(
        "secret",
        ("パスワード", "パスフレーズ", "合言葉"),
        r"(?:パスワード|パスフレーズ|合言葉)[ \t]*[:：][ \t]*[「『]?(?P<secret>[!-~]{6,256}?)(?=[」』、。\s]|[^!-~]|$)",
        _worded,
    ),
    SecretRule(
        "secret",
        ("=",),
        r"(?m:^)[ \t]*(?:export[ \t]+|ENV[ \t]+|set[ \t]+|-e[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{2,60})=(?P<quote>[\"']?)"
        r"(?P<secret>[A-Za-z0-9+/=_.~-]{16,512})(?P=quote)(?=\s|$)",
        lambda match: looks_random(match["secret"], match["name"]),
    ),
)
"""All rules, in the order in which they are applied: rules by form first, then rules by name."""
