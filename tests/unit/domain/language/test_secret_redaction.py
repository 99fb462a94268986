"""Tests of the redaction of secrets."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.secret_redaction import Redactor, redact, secret_rules

# The parts are joined here, so that scanners for secrets do not report this file.
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
MIXED = f"{ALPHABET}0123456789{ALPHABET.upper()}"
RANDOM = "Zm9vYmFyQmF6MTIzNDU2Nzg5MHF3ZXJ0eQ"
HEX = "3f2a9c1e8b7d6f5a4c3b2a1908f7e6d5c4b3a291"
JWT = f"ey{'JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
BEGIN, END = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----"
VENDORS = [
    ("aws-access-key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("aws-access-key", "ASIA" + "IOSFODNN7EXAMPLE"),
    ("github-token", "ghp_" + MIXED[:36]),
    ("github-token", "gho_" + MIXED[:36]),
    ("github-token", "github_pat_" + "11ABCDEFG0abcdefghijkl_" + MIXED),
    ("gitlab-token", "glpat-" + MIXED[:20]),
    ("anthropic-key", "sk-ant-" + f"api03-{MIXED}-{ALPHABET}_x"),
    ("openai-key", "sk-" + f"proj-{MIXED[:40]}"),
    ("openai-key", "sk-" + MIXED[:48]),
    ("stripe-key", "sk_" + f"live_{MIXED[:24]}"),
    ("slack-token", "xox" + f"b-123456789012-123456789012-{ALPHABET[:24]}"),
    ("slack-webhook", "https://hooks.slack" + ".com/services/T00000000/B00000000/" + MIXED[:24]),
    ("telegram-token", "123456789" + ":AA" + MIXED[:32]),
    ("google-key", "AIza" + f"SyD-{MIXED[:31]}"),
    ("google-key", "GOCSPX" + f"-{MIXED[:28]}"),
    ("jwt", JWT),
    ("npm-token", "npm_" + MIXED[:36]),
    ("pypi-token", "pypi-" + "AgEIcHlwaS5vcmc" + MIXED),
    ("hugging-face-token", "hf_" + MIXED[:34]),
    ("sendgrid-key", "SG." + f"{MIXED[:22]}.{MIXED[:43]}"),
    ("private-key", f"{BEGIN}\nMIIEpAIBAAKCAQEA{MIXED}\n{MIXED}\n{END}"),
    ("private-key", f"{BEGIN}\\nMIIEpAIBAAKCAQEA{MIXED}\\n{MIXED}\\n{END}"),
    ("private-key", f"{BEGIN}\nMIIEpAIBAAKCAQEA{MIXED}\n{MIXED}"),
]
VENDORS += [
    ("token", "rubygems_" + HEX[:40] + HEX[:8]),
    ("token", "pul-" + HEX),
    ("token", "key-" + HEX[:32]),
    ("token", "nfp_" + MIXED[:40]),
    ("token", "lsv2_pt_" + f"{HEX[:32]}_{HEX[:10]}"),
    ("token", "dckr_pat_" + MIXED[:27]),
    ("token", "pscale_tkn_" + MIXED[:43]),
    ("token", "NRAK-" + MIXED[:27].upper()),
    ("token", "tskey-auth-" + f"{MIXED[:12]}-{MIXED[:30]}"),
    ("token", "LTAI" + MIXED[:20]),
    ("token", HEX[:32] + "-us14"),
    ("token", "re_" + f"{MIXED[26:34]}_{MIXED[:24]}"),
    ("token", "pat" + f"{MIXED[:14]}.{HEX}{HEX[:24]}"),
    ("token", "sb_secret_" + MIXED[:30]),
    ("discord-token", "M" + f"{MIXED[:23]}.{MIXED[26:32]}.{MIXED[:30]}"),
    ("azure-secret", "abc8Q~" + MIXED[:33]),
]
TEXTS = yaml.safe_load(Path(__file__).with_name("secrets.yaml").read_text("utf-8"))
NAMED = [
    ("password=", "hunter2"),
    ('password = "', 'horse"'),
    ("db_password: '", "correcthorse'"),
    ('passphrase: "', 'correct horse battery staple"'),
    ("DB_PASSWORD=", "correcthorse"),
    ('{"password": "', 'S3cr3t!"}'),
    ('{\\"password\\": \\"', 'S3cr3t!\\"}'),
    ('os.environ["DB_PASSWORD"] = "', 'x9y8z7"'),
    ('password: str = "', 'hunter2"'),
    ('if password == "', 'hunter2":'),
    ("Authorization: Bearer ", "abcdef123456789abcdef"),
    ('-H "Authorization: Basic ', 'dXNlcjpwYXNzd29yZA=="'),
    ("Authorization: token ", "a1b2c3d4e5.f6g7h8i9"),
    ("curl -u admin:", "s3cret"),
    ("mysql -uroot -p", "S3cret"),
    ("postgres://user:", "hunter22@db.example.com/app"),
    ("redis://:", "topsecret@localhost:6379/0"),
    ("mongodb+srv://admin:", "p%40ss@cluster0.mongodb.net"),
    ("deploy --api-key ", "abc123def456"),
    ('client_secret: "', 'Xk29-fjQ0pLm.Z"'),
    ('const apiKey = "', '9f8e7d6c5b4a39281706f5e4d3c2b1a0"'),
    ("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY"),
    ("x-api-key: ", "1234567890abcdef1234"),
    ("token: ", "550e8400-e29b-41d4-a716-446655440000"),
    ("SECRET_KEY_BASE=", HEX),
    ("ENCRYPTION_SALT=", HEX),
    ("SESSION_BLOB=", RANDOM),
    ("AccountKey=", "abcd1234EFGH5678ijkl9012MNOP=="),
    ("https://x.blob/y?sv=2020&sig=", "abcdEFGH1234%2Babcd5678"),
    ("my password is ", "hunter2"),
    ("DB_PASS=", "qwe987rty"),
    ("export SMTP_PASS=", "letmein22"),
    ("db-pass: ", "x9y8z7w6"),
    ('the password "', 'hunter2x"'),
    ("and password ", "hunter2Tr0ub4dor in the vault"),
    ("| api key | ", "Abcd1234Efgh |"),
    ("use ", "Tr0ub4dor99 as the database password"),
    ("The password is: ", "Tr0ub4dor&3"),
    ("password: ", "correcthorsebattery"),
    ("My password is ", "correcthorsebattery"),
    ("pw: ", "swordfish99"),
    ("PIN: ", "4711"),
    ("pin code: ", "471123"),
    ("パスワード：", "himitsu"),
    ("パスワードは ", "hunter2"),
    ("パスワードは", "hunter2"),
    ("本番のAPIキー：", "abcd1234efgh5678"),
    ("ログインのパスワードを「", "Kx9!mm2q"),
]
STAYS = rf"""
commit {HEX} fixed it, see 3f9c2ab
550e8400-e29b-41d4-a716-446655440000
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
"integrity": "sha512-{MIXED}+/{ALPHABET}=="
GIT_SHA={HEX}
BUILD_ID=550e8400-e29b-41d4-a716-446655440000
JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64
NODE_OPTIONS=--max-old-space-size=4096
export DOCKER_BUILDKIT=1
CACHE_KEY=deps-v2-linux-py311-abcdef
token = request.headers["Authorization"]
def login(user: str, password: str) -> Token:
password = getpass.getpass()
connect(password=password, token=token)
secret = os.environ["SECRET"]
api_key=os.getenv("OPENAI_API_KEY")
"max_tokens": 4096, "tokens": 12345678
"batch_1_day_max_input_tokens": batch_1_day_max_input_tokens,
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
const token = await getToken(user1);
password: string;
token: Optional[str] = None
password: process.env.DB_PASSWORD,
access_key = settings.AWS_ACCESS_KEY_ID
API_KEY=${{API_KEY}} and API_KEY=$API_KEY and password: ${{{{ secrets.DB_PASSWORD }}}}
Authorization: Bearer $TOKEN, Authorization: Bearer <token>, `Bearer ${{token}}`
Bearer authentication is used by the API
postgres://user:$PASSWORD@db/app and postgres://user:***@db/app
http://localhost:8080/path?x=@foo, git@github.com:user/repo.git
the password is required, the token is expired, set the password to the new one
パスワードは8文字以上です。パスワードを入力してください。トークンは期限切れです
<input type="password" name="password" autocomplete="current-password">
"password": "Password", "secretName": "my-app-secret"
primary_key = "user_id", cache_key = f"user:{{user.id}}:v2"
sk-toggleable__content-arrow, sk-estimator, task-{MIXED}
password_hash = "$2b$12$abcdefghijklmnopqrstuv"
public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"
if "-----BEGIN PRIVATE KEY-----" in text or "-----END PRIVATE KEY-----" in text:
passed: 214, pass: 12, monkey: 12345678a, key: value1
the password sha256 field, a token bucket2, secret handshake_v2, api key rotation, password argon2id
| password | text | not null | and | token | varchar255 |
the password was straightforward, password: string, password is: required, passphrase was forgotten again
pin: 13, pin = 7, pw: string, pw = x, マイパスワード：required、パスワード：string
use version2 as the default, use utf8mb4 as a charset
""".strip().splitlines()


def test_a_token_is_known_by_its_form(subtests: pytest.Subtests) -> None:
    """A token is recognised by its form, in prose, in code and in quotation marks. The text around it is kept."""
    for name, secret in VENDORS:
        with subtests.test(name, secret=secret):
            for before, after in (("use ", " please"), ('x = f("', '")'), ("キーは", "です"), ("", "")):
                assert redact(f"{before}{secret}{after}") == f"{before}[redacted:{name}]{after}"


def test_a_password_is_known_by_what_is_before_it(subtests: pytest.Subtests) -> None:
    """A password is recognised by the name before it, or by its place in a URL, a header or an option."""
    for before, rest in NAMED:
        with subtests.test(before):
            shown = redact(f"first line\n{before}{rest}\nlast line")
            assert shown.startswith(f"first line\n{before}[redacted:")
            assert shown.endswith("\nlast line")
            assert rest.rstrip("\"'}:\\").split("@")[0] not in shown


def test_a_secret_is_known_by_its_name_or_its_checksum(subtests: pytest.Subtests) -> None:
    """Passphrases, answers, headers, names with passwords, connection strings and numbers of cards are recognised."""
    for text, secret in TEXTS["secrets"]:
        with subtests.test(text):
            before, _, after = text.partition(secret)
            shown = redact(f"first line\n{text}\nlast line")
            assert re.sub(r"\[redacted:[a-z-]+\]", "…", shown) == f"first line\n{before}…{after}\nlast line"


def test_what_is_no_secret_stays() -> None:
    """Hashes, ids, and code that only refers to a secret, are kept."""
    assert [line for line in STAYS + TEXTS["stays"] if redact(line) != line] == []


def test_no_rule_needs_a_possessive_group() -> None:
    """Python before 3.11.5, such as Debian's, matches a possessive group wrongly if a part of the group backtracks.
    Possessive sets of characters are matched well.
    """
    possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")
    assert possessive.search("(?:a|b)*+")
    assert [rule.name for rule in secret_rules() if possessive.search(rule.pattern().pattern)] == []


@given(st.text(max_size=300))
def test_what_was_replaced_is_not_replaced_again(text: str) -> None:
    """Redacting a text a second time changes nothing."""
    once = redact(f"{text} password=hunter2 {text}")
    assert redact(once) == once


def test_a_secret_is_replaced_in_every_text_of_a_conversation() -> None:
    """A secret that one text names is replaced where another text repeats it without its name. Words are not."""
    redactor = Redactor()
    told = 'password: hunter2Tr0ub4dor and secret: "correct"'
    assert redactor.redact(told) == 'password: [redacted:secret] and secret: "[redacted:secret]"'
    assert redactor.redact("I put hunter2Tr0ub4dor into the vault, correct?") == (
        "I put [redacted:secret] into the vault, correct?"
    )
    assert redactor.without_known("hunter2Tr0ub4dor") == "[redacted:secret]"


def test_a_passphrase_is_replaced_in_every_text_of_a_conversation() -> None:
    """Words of a passphrase are replaced together, not one by one; a Japanese one also where nothing names it."""
    redactor = Redactor()
    redactor.redact("backup passphrase: correct horse battery staple")
    redactor.redact("合言葉は「ひらけごま」")
    assert redactor.redact("echo correct horse battery staple | gpg") == "echo [redacted:passphrase] | gpg"
    assert redactor.redact("門の前でひらけごまと言う") == "門の前で[redacted:passphrase]と言う"
    assert redactor.redact("correct, the horse has a battery") == "correct, the horse has a battery"
