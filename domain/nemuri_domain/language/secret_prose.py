"""Rules for passwords that a sentence names, in English and Japanese."""

import re
from typing import Final

from nemuri_domain.language.secret_rule import SecretRule
from nemuri_domain.language.secret_values import DISTINCT, classes, is_password, named

_LONGER_THAN_A_WORD: Final = 16


def _mixed(match: re.Match[str]) -> bool:
    """Return True if a value beside the word for a secret is as mixed as only a secret is, or a quoted one."""
    value = match["secret"]
    if len(value) < DISTINCT or "://" in value:
        return False
    return named(match) and (len(classes(value)) > 2 or bool(match.groupdict().get("quote")))


def _worded(match: re.Match[str]) -> bool:
    """Return True if a value after a colon is a password, also if it is a word."""
    return len(match["secret"]) >= DISTINCT and is_password(match["secret"], quoted=True, loud=False)


def _run_together(match: re.Match[str]) -> bool:
    """Return True if a value is longer than a word, as one that was made of several words."""
    value = match["secret"].rstrip(".!?")
    return value.isalpha() and value.isascii() and len(value) >= _LONGER_THAN_A_WORD


PROSE: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "secret",
        ("password", "passphrase", "passwd", "api key", "token", "secret", "pin"),
        r"(?i:\b(?:(?:password|passphrase|passwd|pin(?![ \t]+of\b))\b[^\n.,:;=]{0,40}?[ \t](?:is|was|to)"
        r"|(?:api key|access key|token|secret)\b[^\n.,:;=]{0,40}?[ \t](?:is|was)))"
        r"(?:[ \t]*[:：])?[ \t]+[\"'`]?(?P<secret>(?:(?![\"'`,;(){}\[\]<>])[!-~]){4,256})",
        named,
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
        r"|(?i:\bpw)[ \t]*[:：=][ \t]*(?P<bare>(?=[!-~]*\d)(?:(?![\"'`,;(){}\[\]<>])[!-~]){6,256}+)(?![(\[])",
    ),
    SecretRule(
        "secret",
        ("as the", "as my", "as a", "as your", "as our"),
        r"(?<![!-~])[\"'`]?(?P<secret>(?:(?![\"'`,;(){}\[\]<>|])[!-~]){6,256})[\"'`]?"
        r"[ \t]+as[ \t]+(?:the|my|our|your|a)[ \t]+(?:\w+[ \t]+){0,2}"
        r"(?i:password|passphrase|passwd|api[ ]key|access[ ]key|token|secret)\b",
        named,
    ),
    SecretRule(
        "secret",
        ("パスワード", "パスフレーズ", "合言葉", "暗証番号", "キー", "トークン", "シークレット", "秘密鍵"),
        r"(?:パスワード|パスフレーズ|合言葉|暗証番号|(?:API|アクセス|シークレット|秘密|暗号)キー|トークン|シークレット|秘密鍵)"
        r"[^\n。、!-~]{0,12}?(?:は|が|を|に|:|：|=|＝)[ \t]*[「『\"'`]?"
        r"(?P<secret>[!-~]{4,256}?)(?=[「」『』\"'`、。\s]|[^!-~]|$)",
        named,
    ),
    SecretRule(
        "secret",
        ("パスワード", "パスフレーズ", "合言葉"),
        r"(?:パスワード|パスフレーズ|合言葉)[ \t]*[:：][ \t]*[「『]?(?P<secret>[!-~]{6,256}?)(?=[」』、。\s]|[^!-~]|$)",
        _worded,
    ),
    SecretRule(
        "secret",
        (
            "wort",
            "clave",
            "contrase",
            "mot de passe",
            "senha",
            "парол",
            "密码",
            "密碼",
            "口令",
            "비밀번호",
            "암호",
            "รหัสผ่าน",
        ),
        r"(?:(?i:passwort|kennwort|wachtwoord|contraseña|clave|mot de passe|senha)|[Пп]ароль|密码|密碼|口令|비밀번호"
        r"|암호|รหัสผ่าน)"
        r"(?:(?:[ \t]*[:：=]|[ \t]+(?:ist|es|est|is|é)|是|为|為|는|은|คือ)[ \t]*(?P<secret>[!-~]{6,256})"
        r"|[ \t]+(?P<bare>(?=[!-~]*\d)(?=[!-~]*[!#$%&*+?@^_~-])[!-~]{6,256}))",
        lambda match: match["secret"] is None or named(match),
    ),
)
"""All rules for sentences."""
