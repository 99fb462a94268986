"""Redaction of keys, tokens, passwords, passphrases and numbers of cards in a text.

This module imports and compiles little, because hooks must start fast: a rule is compiled when a text first has one of
its hints.
"""

import re
from functools import cache
from typing import Final

from nemuri_domain.language.secret_assignments import ASSIGNMENTS
from nemuri_domain.language.secret_headers import HEADERS
from nemuri_domain.language.secret_logins import LOGINS
from nemuri_domain.language.secret_numbers import NUMBERS
from nemuri_domain.language.secret_phrases import PHRASES
from nemuri_domain.language.secret_prose import PROSE
from nemuri_domain.language.secret_rule import SecretRule
from nemuri_domain.language.secret_tokens import TOKENS
from nemuri_domain.language.secret_values import DISTINCT, classes

RULES: Final[tuple[SecretRule, ...]] = (
    *TOKENS, *NUMBERS, *HEADERS, *ASSIGNMENTS, *LOGINS, *PHRASES, *PROSE,
)  # fmt: skip
"""All rules, in the order in which they are applied: rules by form first, then rules by name."""
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
        if _is_distinct(secret):
            self._known[secret] = rule.name
        return f"{whole[: match.start(group) - start]}[redacted:{rule.name}]{whole[match.end(group) - start :]}"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _is_distinct(secret: str) -> bool:
    """Return True if a secret is no ordinary word, so that it may be replaced wherever it stands."""
    found = classes(secret)
    return (len(secret) >= DISTINCT and len(found) > 1) or (len(secret) >= _SHORTEST_FOREIGN and "あ" in found)
