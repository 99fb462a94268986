"""Rules for tokens and private keys that are recognised by their form.

Prefixes and lengths follow the vendors' documentation and the rules of gitleaks.
"""

import re
from typing import Final

from nemuri_domain.language.secret_rule import SecretRule


def _vendor(name: str, pattern: str, *hints: str) -> SecretRule:
    return SecretRule(name, hints, rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])")


def _holds_key(match: re.Match[str]) -> bool:
    return re.search(r"[A-Za-z0-9+/=]{24}", match.group()[40:]) is not None


_JWK: Final = r"\"kty\"[^{}]{0,2000}?\"d\"[ \t]*:[ \t]*\"(?P<secret>[\w-]{20,2000})\""
_PEM: Final = r"(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"

TOKENS: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "private-key",
        ("private key",),
        rf"-----BEGIN {_PEM}(?:[\s\S]{{0,16000}}?-----END {_PEM}|(?:(?:\\[nr]|[\s\"'+,])*+[A-Za-z0-9+/=:]{{16,}}+)+)",
        _holds_key,
    ),
    SecretRule(
        "private-key",
        ("private key ----",),
        r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----[\s\S]{0,16000}?---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ),
    SecretRule(
        "private-key",
        ("private-lines",),
        r"Private-Lines: \d{1,3}\s+(?P<secret>[\w+/=]{4,80}(?:\r?\n[\w+/=]{4,80}(?![\w+/=:-]))*)",
    ),
    SecretRule("private-key", ('"kty"',), _JWK),
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
    _vendor("token", r"(?:rubygems_[a-f0-9]{48}|pul-[a-f0-9]{40}|key-[a-f0-9]{32})", "rubygems_", "pul-", "key-"),
    _vendor("token", r"(?:pnu|nfp|tfp|rdme)_[A-Za-z0-9]{36,100}", "pnu_", "nfp_", "tfp_", "rdme_"),
    _vendor("token", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|pcsk_\w{60,100}", "lsv2_", "pcsk_"),
    _vendor("token", r"sntry[su]_[\w+/=-]{40,400}|dckr_[po]at_[\w-]{27,64}", "sntry", "dckr_"),
    _vendor(
        "token", r"pscale_(?:tkn|pw)_[\w.=-]{32,64}|fo1_[\w-]{43}|fm2_[\w+/=-]{100,400}", "pscale_", "fo1_", "fm2_"
    ),
    _vendor(
        "token", r"xkeysib-[a-f0-9]{64}-\w{16}|NRAK-[A-Z0-9]{27}|CFPAT-[\w-]{40,64}", "xkeysib-", "nrak-", "cfpat-"
    ),
    _vendor(
        "token", r"tskey-[a-z]+-[\w-]{16,64}|glc_[\w=+/]{32,400}|ABSK[A-Za-z0-9+/=]{60,200}", "tskey-", "glc_", "absk"
    ),
    _vendor(
        "token", r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}", "dt0c01.", ".atlasv1."
    ),
    _vendor("token", r"LTAI[A-Za-z0-9]{12,20}|AKID[A-Za-z0-9]{32}|AQVN[\w-]{35,38}", "ltai", "akid", "aqvn"),
    _vendor("token", r"SK[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}|cio[A-Za-z0-9]{32}", "sk", "-us", "cio"),
    _vendor(
        "token", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}|oy2[a-z0-9]{43}|secret_[A-Za-z0-9]{43}", "re_", "oy2", "secret_"
    ),
    _vendor(
        "token", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|ATBB[\w=]{24,64}|ATCTT3[\w=-]{60,300}", "pat", "atbb", "atctt3"
    ),
    _vendor(
        "token", r"EAA[A-Za-z0-9]{60,400}|EZAK[a-z0-9]{54}|shippo_(?:live|test)_[a-f0-9]{40}", "eaa", "ezak", "shippo_"
    ),
    _vendor(
        "token", r"sb_secret_[\w-]{20,64}|HRKU-[\w-]{36,70}|ops_eyJ[\w-]{100,800}", "sb_secret_", "hrku-", "ops_eyj"
    ),
    _vendor("token", r"(?:access|link)-(?:sandbox|production|development)-[a-f0-9-]{36}", "access-", "link-"),
    _vendor("discord-token", r"[MNO][A-Za-z0-9_-]{23,25}\.[\w-]{6}\.[\w-]{27,40}", "."),
    SecretRule("azure-secret", ("q~",), r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])"),
)
"""All rules for forms."""
