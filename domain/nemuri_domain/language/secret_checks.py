"""Checks of what the rules for secrets found: whether a value is a secret, or only code or prose about a secret.

A rule of `data/secrets.txt` names one of `SECRET_CHECKS`.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Final

from nemuri_domain.language.word_files import COMMON, WordFile

_VALUES: Final = WordFile("language/secrets")
_ANY_CASE: Final = WordFile("language/secrets", re.IGNORECASE)
_RANDOM: Final = 3.6
"""Minimum entropy, in bits per character, of a random value. Random base64 of 24 characters has about 4, names and
paths have about 3.
"""
_LONG: Final = 16
_TOKEN: Final = 8
_SHORTEST: Final = 4
_LONGEST_SENTENCE: Final = 10
"""Number of words from which what follows the name of a seed phrase is one: a sentence about it is shorter."""
_SPOKEN, _WRITTEN, _WRITTEN_PASSWORD = 4, 2, 3
"""Least numbers of words of a phrase: after *is*, after a colon, and after *password* and a colon."""
DISTINCT: Final = 6
"""Minimum length of a secret that is replaced in the other texts of a conversation, and of one without a name."""


def _is_password(value: str, *, quoted: bool, loud: bool) -> bool:
    """Return True if a value is a password, given that its name says so.

    `quoted` is True if the value is in quotes, `loud` if its name is in capitals, like that of an environment variable.
    """
    value = value.strip().rstrip(".!?")
    if len(value) < _SHORTEST - quoted or _is_placeholder(value) or not value.isascii() or " " in value:
        return False
    if _VALUES.pattern("path in code").fullmatch(value) or _VALUES.pattern("path").match(value):
        return False
    if _VALUES.pattern("words only").fullmatch(value):
        return (quoted or loud) and not _ANY_CASE.pattern("label").fullmatch(value)
    return (
        quoted
        or loud
        or any(character.isdigit() for character in value)
        or _VALUES.pattern("password marks").search(value) is not None
    )


def _is_token(value: str, *, quoted: bool, loud: bool) -> bool:
    """Return True if a value is a token or a key, given that its name says so: it is long, and neither a number nor
    words.

    `quoted` and `loud` have the same meaning as in `is_password`.
    """
    value = value.strip().rstrip(".!?")
    if len(value) < _TOKEN or _is_placeholder(value) or not value.isascii() or " " in value:
        return False
    if _VALUES.pattern("path").match(value) or value.replace(".", "").replace("_", "").isdigit():
        return False
    if _VALUES.pattern("path in code").fullmatch(value) and not (
        quoted and any(character.isdigit() for character in value)
    ):
        return False
    if any(character.isdigit() for character in value):
        return any(character.isalpha() for character in value) and (
            quoted or not _VALUES.pattern("variable").fullmatch(value)
        )
    return (quoted or loud) and len(value) >= _LONG and not _VALUES.pattern("name in code").fullmatch(value)


def _looks_random(value: str, name: str) -> bool:
    """Return True if the value of an environment variable looks random. A path never does. A hash or an id does only if
    the variable's name says that it is a key.
    """
    if _is_placeholder(value) or _VALUES.pattern("words only").fullmatch(value) or _VALUES.pattern("path").match(value):
        return False
    if _VALUES.pattern("key variable").fullmatch(name) and not _VALUES.pattern("open key variable").fullmatch(name):
        return any(character.isdigit() for character in value) and any(character.isalpha() for character in value)
    if (
        _ANY_CASE.pattern("uuid").fullmatch(value)
        or _ANY_CASE.pattern("hexadecimal").fullmatch(value)
        or len(value) < _LONG + 4
    ):
        return False
    mixed = all(any(map(kind, value)) for kind in (str.isupper, str.islower, str.isdigit))
    return mixed and _bits(value) >= _RANDOM


def _named(match: re.Match[str]) -> bool:
    """Return True if the secret of a match, which is named in prose or as an option, looks like one."""
    value = match["secret"]
    return any(character.isdigit() for character in value) and _is_password(value, quoted=False, loud=False)


def _is_placeholder(value: str) -> bool:
    """Return True if a value stands for a secret (`<token>`, `your-key`), or is a word for having none."""
    return _ANY_CASE.pattern("placeholder").match(value) is not None


def classes(value: str) -> set[str]:
    """Return the classes of characters in a value: lower case, upper case, letters without case, digits, marks.

    What joins words is none.
    """
    return {
        "a"
        if character.islower()
        else "A"
        if character.isupper()
        else "0"
        if character.isdigit()
        else "あ"
        if character.isalpha()
        else "!"
        for character in value
        if character not in "_-./:"
    }


def _bits(value: str) -> float:
    """Return the Shannon entropy of a value in bits per character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _assigned(match: re.Match[str]) -> bool:
    """Return True if a value is assigned to the name of a password or of a token, and looks like one."""
    name, quoted = match["name"], match["secret"] is not None
    value = match["secret"] if quoted else match["bare"]
    if quoted and name.lower() == "passphrase":
        value = value.replace(" ", "-")
    check = _is_password if re.match(r"(?i)pass|pwd|secret(?!s?[_-]?key)", name) else _is_token
    return check(value, quoted=quoted, loud=name.isupper())


def _credentials(match: re.Match[str]) -> bool:
    """Return True if what follows the scheme of an authorization header is a value: no word, placeholder or code."""
    value = match["secret"].rstrip(".,;")
    if _is_placeholder(value) or match["secret"].endswith("...") or _ANY_CASE.pattern("calls a token").search(value):
        return False
    is_word = value.isalpha() and (value.islower() or value.istitle() or value.isupper())
    return not is_word or len(value) >= _LONG


def _mixed_login(match: re.Match[str]) -> bool:
    """Return True if what stands beside a name is as mixed as only a password is: no path, product or address."""
    value = match["secret"].rstrip(".,;:)、。")
    if (
        _is_placeholder(value)
        or "://" in value
        or "/" in value
        or _VALUES.pattern("product").fullmatch(value)
        or value.startswith("#")
    ):
        return False
    return len(classes(value)) > 2 and any(map(str.isdigit, value))


def _mixed(match: re.Match[str]) -> bool:
    """Return True if a value beside the word for a secret is as mixed as only a secret is, or a quoted one."""
    value = match["secret"]
    if len(value) < DISTINCT or "://" in value:
        return False
    return _named(match) and (len(classes(value)) > 2 or bool(match.groupdict().get("quote")))


def _card(match: re.Match[str]) -> bool:
    """Return True if digits are those of a card: of an issuer, and with the check digit of Luhn's algorithm."""
    digits = re.sub(r"\D", "", unicodedata.normalize("NFKC", match.group()), flags=re.ASCII)
    if not _VALUES.pattern("issuers").fullmatch(digits):
        return False
    doubled = [2 * int(digit) for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(digit - 9 * (digit > 9) for digit in doubled)) % 10 == 0


def _account(match: re.Match[str]) -> bool:
    """Return True if a text is an IBAN: its number is 1 modulo 97 (ISO 13616)."""
    whole = match.group().replace(" ", "")
    return int("".join(str(int(character, 36)) for character in whole[4:] + whole[:4])) % 97 == 1


def _phrase(match: re.Match[str]) -> bool:
    """Return True if words after the name of a passphrase are its value, not a description of it."""
    words = re.split(r"[ -]+", match["secret"].casefold())
    about = any(map(_VALUES.pattern("about", "english").fullmatch, words))
    if about or _VALUES.pattern("describing").fullmatch(words[0]) or _is_placeholder(match["secret"]):
        return False
    if len(words) >= _LONGEST_SENTENCE and match["phrase"] and _ANY_CASE.pattern("seed").match(match["phrase"]):
        return True
    empty = COMMON.word_set("stop") | COMMON.word_set("general")
    plain = not any(word in empty or _VALUES.pattern("inflected").fullmatch(word) for word in words)
    if match["joint"].strip(" \t\n*") not in (":", "=", "："):
        return plain and len(words) >= _SPOKEN
    if match["answer"]:
        return True
    return len(words) >= _WRITTEN if match["phrase"] else plain and len(words) >= _WRITTEN_PASSWORD


def _is_japanese_phrase(value: str, *, whole: bool = False) -> bool:
    """Return True if a value is a passphrase, not a description of one: of its words, or (`whole`) as a whole."""
    bare, about = value.strip(), _VALUES.pattern("about", "japanese")
    if _is_placeholder(bare) or _ANY_CASE.pattern("label").fullmatch(bare):
        return False
    return not (about.fullmatch(bare) if whole else about.search(value))


def _is_run_together(value: str) -> bool:
    """Return True if a value is longer than a word, as one that was made of several words."""
    return value.isalpha() and value.isascii() and len(value) >= _LONG


def _is_session(value: str) -> bool:
    return not _is_placeholder(value) and not _ANY_CASE.pattern("uuid").fullmatch(value) and {"0"} < classes(value)


SECRET_CHECKS: Final[dict[str, Callable[[re.Match[str]], bool]]] = {
    "-": lambda _: True,
    "vendor": lambda _: True,
    "account": _account,
    "assigned": _assigned,
    "bearer": lambda match: _is_token(match["secret"], quoted=False, loud=True),
    "card": _card,
    "credentials": _credentials,
    "foreign": lambda match: match["secret"] is None or _named(match),
    "key_block": lambda match: re.search(r"[A-Za-z0-9+/=]{24}", match.group()[40:]) is not None,
    "mixed": _mixed,
    "mixed_login": _mixed_login,
    "named": _named,
    "password": lambda match: _is_password(match["secret"], quoted=True, loud=True),
    "phrase": _phrase,
    "phrase_ja": lambda match: _is_japanese_phrase(match["secret"] or match["bare"]),
    "quoted_phrase": lambda match: _is_japanese_phrase(match["secret"], whole=True),
    "random": lambda match: _looks_random(match["secret"], match["name"]),
    "run_together": lambda match: _is_run_together(match["secret"].rstrip(".!?")),
    "session": lambda match: _is_session(match["secret"]),
    "worded": lambda match: len(match["secret"]) >= DISTINCT and _is_password(match["secret"], quoted=True, loud=False),
}
"""The check of each rule, by its name: a function that returns True if a match is a secret."""
