"""Rules for the credentials in headers of HTTP: authorization, cookies, and signatures of addresses."""

import re
from typing import Final

from nemuri_domain.language.secret_rule import SecretRule
from nemuri_domain.language.secret_values import classes, is_placeholder, is_token, is_uuid

_COOKIE_ATTRIBUTES: Final = r"(?!(?i:path|domain|expires|max-age|samesite|secure|httponly)\b)"
_PAIR: Final = rf"{_COOKIE_ATTRIBUTES}[\w.!%*+~$-]+=[^\s;,\"'`<>{{}}()]"
_CALLS_A_TOKEN: Final = re.compile(r"(?i)(?:^|[._])(?:\w*token|key|secret|credentials?|auth\w*)$")
_LONGER_THAN_A_WORD: Final = 16


def _credentials(match: re.Match[str]) -> bool:
    """Return True if what follows the scheme of an authorization header is a value: no word, placeholder or code."""
    value = match["secret"].rstrip(".,;")
    if is_placeholder(value) or match["secret"].endswith("...") or _CALLS_A_TOKEN.search(value):
        return False
    is_word = value.isalpha() and (value.islower() or value.istitle() or value.isupper())
    return not is_word or len(value) >= _LONGER_THAN_A_WORD


def _session(match: re.Match[str]) -> bool:
    value = match["secret"]
    return not is_placeholder(value) and not is_uuid(value) and {"0"} < classes(value)


HEADERS: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "authorization",
        ("authorization",),
        r"(?i:authorization[\"']?[ \t]*[:=,][ \t]*[\"'`]?(?:bearer|basic|token|api-?key|negotiate|hawk|ssws|splunk))"
        r"[ \t]+(?P<secret>[A-Za-z0-9._~+/=:-]{4,4096}+)(?!…)",
        _credentials,
    ),
    SecretRule(
        "authorization",
        ("authorization",),
        r"(?i:authorization[\"']?[ \t]*[:=,][ \t]*[\"'`]?(?:digest|oauth|aws4-hmac-sha256|signature))[ \t]+"
        r"(?P<secret>\w+=[^\n]{8,4096})",
    ),
    SecretRule(
        "authorization",
        ("bearer",),
        r"(?i:\bbearer)[ \t]+(?P<secret>[A-Za-z0-9._~+/=:-]{8,4096})",
        lambda match: is_token(match["secret"], quoted=False, loud=True),
    ),
    SecretRule(
        "cookie",
        ("cookie",),
        r"(?i:\b(?:set-)?cookie(?:[\"']?:[ \t]*[\"'`]?|[\"'][ \t]*[:,][ \t]*[\"'`])"
        r"|\bdocument\.cookie[ \t]*=[ \t]*[\"'`])"
        rf"(?P<secret>{_PAIR}[^\n\"'`]{{2,4096}})",
    ),
    SecretRule(
        "cookie",
        ("curl",),
        rf"\bcurl\b[^\n]{{0,400}}?[ \t](?:-b|--cookie)[ \t=]?[\"']?(?P<secret>{_PAIR}[^\s\"']{{2,4096}})",
    ),
    SecretRule(
        "session",
        ("sess", "sid"),
        r"(?i:\b(?:(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|laravel_session)[\"']?[ \t]*[:=][ \t]*[\"']?"
        r"|(?:session_?id|sid)[\"']?[ \t]*[:=][ \t]*[\"']?(?=[\w%.+/=-]{16})))(?P<secret>[\w%.+/=-]{8,512}+)(?![(\[])",
        _session,
    ),
    SecretRule(
        "signature",
        ("sig", "security-token"),
        r"[?&](?i:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=(?P<secret>[^&\s\"'<>]{16,4096})",
    ),
)
"""All rules for headers."""
