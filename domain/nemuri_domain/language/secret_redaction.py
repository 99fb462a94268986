"""Redaction of keys, tokens, passwords, passphrases and numbers of cards in a text.

This module imports and compiles little, because hooks must start fast: a rule is compiled when a text first has one of
its hints.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from nemuri_domain.language.secret_checks import DISTINCT, SECRET_CHECKS, classes
from nemuri_domain.language.word_files import WordFile

_RULES: Final = WordFile("language/secrets", re.ASCII)
_SHORTEST_FOREIGN: Final = 4
"""Minimum length of a secret in a script without case that is replaced in the other texts of a conversation."""


def redact(text: str) -> str:
    """Return the text with every key, token and password replaced by `[redacted:KIND]`. Linear time.

    It recognises vendors' tokens and private keys by their form, numbers of cards and bank accounts by their checksum,
    and by what is beside them: passwords in URLs, headers, cookies, assignments and options, names with passwords,
    passphrases in English and Japanese, and random values of environment variables. Hashes, commit ids and UUIDs stay,
    unless their name says that they are secret.
    """
    return Redactor().redact(text)


class SecretRule(NamedTuple):
    """Rule for one kind of secret."""

    name: str
    hints: tuple[str, ...]
    """Lower-case strings. A text with such a secret contains at least one of them. "" is in every text."""
    section: str
    """Section of the file with the pattern and, in its name, the check."""

    def pattern(self) -> re.Pattern[str]:
        """Return the compiled pattern. Its group `secret` or `bare` is replaced; without both, the whole match."""
        return _compiled(self.section)

    def meant(self, match: re.Match[str]) -> bool:
        """Return True if a match is a secret, not code about a secret."""
        return SECRET_CHECKS[self.section.split(" | ")[1]](match)


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Return all rules, in the order in which they are applied: rules by form first, then rules by name."""
    sections = (section for section in _RULES.sections() if section.count(" | ") == 2)
    return tuple(
        SecretRule(section.split(" | ")[0], _RULES.lines(section, "hints") or ("",), section) for section in sections
    )


class Redactor:
    """Redaction of the texts of one conversation. A secret that one of them names is replaced in all of them."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def redact(self, text: str) -> str:
        """Return the text without secrets, as `redact` does, and remember these secrets."""
        folded = text.lower()
        for rule in secret_rules():
            if any(hint in folded for hint in rule.hints):
                text = rule.pattern().sub(lambda match, rule=rule: self._replaced(rule, match), text)  # type: ignore[misc]
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
        if _is_distinct(secret):
            self._known[secret] = rule.name
        return f"{whole[: match.start(group) - start]}[redacted:{rule.name}]{whole[match.end(group) - start :]}"


@cache
def _compiled(section: str) -> re.Pattern[str]:
    pattern = _RULES.alternatives(section, "pattern")
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])" if "| vendor |" in section else pattern, re.ASCII
    )


def _is_distinct(secret: str) -> bool:
    """Return True if a secret is no ordinary word, so that it may be replaced wherever it stands."""
    found = classes(secret)
    return (len(secret) >= DISTINCT and len(found) > 1) or (len(secret) >= _SHORTEST_FOREIGN and "あ" in found)
