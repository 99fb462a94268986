"""Rules for numbers of cards and bank accounts, which are known by their checksums."""

import re
import unicodedata
from typing import Final

from nemuri_domain.language.secret_rule import SecretRule

_DIGIT: Final = "[0-9０-９]"
_FOUR: Final = f"{_DIGIT}{{4}}"
_DASH: Final = "[ 　-]?"
_ISSUERS: Final = re.compile(
    r"4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|(?:6011|65\d\d|64[4-9]\d|352[89]|35[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14}"
)
"""Visa, Mastercard, American Express, Discover and JCB, Diners Club, UnionPay: first digits and lengths."""


def _is_card(match: re.Match[str]) -> bool:
    """Return True if digits are those of a card: of an issuer, and with the check digit of Luhn's algorithm."""
    digits = re.sub(r"\D", "", unicodedata.normalize("NFKC", match.group()), flags=re.ASCII)
    if not _ISSUERS.fullmatch(digits):
        return False
    doubled = [2 * int(each) for each in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(each - 9 * (each > 9) for each in doubled)) % 10 == 0


def _is_account(match: re.Match[str]) -> bool:
    """Return True if a text is an IBAN: its number is 1 modulo 97 (ISO 13616)."""
    whole = match.group().replace(" ", "")
    return int("".join(str(int(each, 36)) for each in whole[4:] + whole[:4])) % 97 == 1


NUMBERS: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "card-number",
        ("",),
        rf"(?<![\w.+０-９-]){_FOUR}(?P<dash>{_DASH})(?:{_FOUR}(?P=dash){_FOUR}(?P=dash){_FOUR}"
        rf"|{_DIGIT}{{6}}(?P=dash){_DIGIT}{{4,5}})(?![\w０-９]|[.-]\d)",
        _is_card,
    ),
    SecretRule(
        "card-code",
        ("cvv", "cvc", "セキュリティコード"),
        rf"(?:(?i:\bcv[vc]2?)(?:[ \t]*[:：=]|[ \t]is)?|セキュリティコード(?:は|[:：]))"
        rf"[ \t]*(?P<secret>{_DIGIT}{{3,4}})(?![\w０-９桁文回])",
    ),
    SecretRule(
        "bank-account",
        ("",),
        r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])",
        _is_account,
    ),
)
"""All rules for numbers with a checksum."""
