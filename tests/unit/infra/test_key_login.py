"""A login with a key that cannot be used ends in one line, before anything is connected."""

import sys
from pathlib import Path

import pytest

from nemuri_infra.bus.access import Access, options
from nemuri_infra.bus.key_login import AccessError

SEED = "SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y"
CREDENTIALS = f"-----BEGIN NATS USER JWT-----\ne30.e30.e30\n-----BEGIN USER NKEY SEED-----\n{SEED}\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        ("a user and a password", "does not contain a JWT and a seed"),
        (CREDENTIALS.replace("BEGIN NATS USER JWT", "BEGIN"), "does not contain a JWT and a seed"),
        (CREDENTIALS.replace(SEED, "SAAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4HYMHI"), "of a NATS user"),
        (CREDENTIALS.replace(SEED, SEED[:20]), "damaged"),
    ],
)
def test_credentials_that_cannot_be_used_are_refused(tmp_path: Path, content: str | None, said: str) -> None:
    """Say in one line what is wrong with a credentials file, and which setting names it."""
    file = tmp_path / "user.creds"
    if content is not None:
        file.write_text(content, encoding="ascii")
    with pytest.raises(AccessError, match=f"{said}.*NEMURI_NATS_CREDENTIALS") as refused:
        options("nats://localhost", Access(credentials=file))
    assert str(refused.value).isprintable()
    assert SEED not in str(refused.value)


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library of NKeys, say which extra has it."""
    file = tmp_path / "user.nk"
    file.write_text(SEED, encoding="ascii")
    monkeypatch.setitem(sys.modules, "nkeys", None)
    with pytest.raises(AccessError, match=r"NEMURI_NATS_NKEY needs `pip install nemuri\[nkeys\]`"):
        options("nats://localhost", Access(nkey=file))


def test_a_password_in_the_address_comes_first(tmp_path: Path) -> None:
    """An address with a password logs in with it, so that a process may have a user beside the one of the key. Two keys
    for one connection are refused.
    """
    two = Access(credentials=tmp_path / "none.creds", nkey=tmp_path / "none.nk")
    assert options("nats://ann:secret@localhost", two)["password"] == "secret"
    with pytest.raises(AccessError, match="are both set"):
        options("nats://ann@localhost", two)
