"""Logins with an NKey, an Ed25519 key: the server sends a random text, and the client signs it.

The user is known to the server by its public key, or by a JWT that the account has signed. Hooks use this module too,
so it loads the library of NKeys only for a login.
"""

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from nkeys import KeyPair

JWT, SEED = "NATS USER JWT", "USER NKEY SEED"
"""Titles of the two parts of a credentials file."""
USER_SEED = "SU"
"""First characters of the seed of a user. Those of accounts and operators have other ones."""


class AccessError(Exception):
    """A file for connections to NATS cannot be used. The message is one line that says why."""


@dataclass(frozen=True, slots=True)
class KeyLogin:
    """A user's key, and the JWT that names the user; without a JWT the server knows the public key."""

    setting: str
    """Environment variable that names the file."""
    path: Path
    jwt: str | None
    seed: str

    @classmethod
    def of(cls, credentials: Path | None, nkey: Path | None) -> Self | None:
        """Return the login by a credentials file or by a file with a seed; None without either.

        Raises `AccessError` if both are given, if a file cannot be read or has other content, or if the library is
        missing.
        """
        if credentials is not None and nkey is not None:
            raise AccessError("NEMURI_NATS_CREDENTIALS and NEMURI_NATS_NKEY are both set; keep one of them")
        if credentials is not None:
            return cls._read("NEMURI_NATS_CREDENTIALS", credentials, with_jwt=True)
        return None if nkey is None else cls._read("NEMURI_NATS_NKEY", nkey, with_jwt=False)

    def read_again(self) -> Self:
        """Return the login by the present content of the file. Raises `AccessError` as `of` does."""
        return self._read(self.setting, self.path, with_jwt=self.jwt is not None)

    def signature(self, nonce: str) -> str:
        """Return the signature of the server's random text in base64."""
        pair = self._key_pair()
        try:
            return b64encode(pair.sign(nonce.encode())).decode()
        finally:
            pair.wipe()

    def answer(self, nonce: str) -> dict[str, str]:
        """Return the fields of the message CONNECT that log in to a server that has sent this random text."""
        if self.jwt is not None:
            return {"jwt": self.jwt, "sig": self.signature(nonce)}
        return {"nkey": self._key_pair().public_key.decode(), "sig": self.signature(nonce)}

    @classmethod
    def _read(cls, setting: str, path: Path, *, with_jwt: bool) -> Self:
        try:
            content = path.read_text(encoding="ascii")
        except (OSError, ValueError) as error:
            raise AccessError(f"the user's key for NATS cannot be read: {error}; check {setting}") from error
        jwt, seed = (_part(content, JWT), _part(content, SEED)) if with_jwt else (None, content.strip())
        if not seed.startswith(USER_SEED) or jwt == "":
            wanted = "a JWT and a seed" if with_jwt else f"a seed, one line that begins with {USER_SEED}"
            raise AccessError(f"{path} does not contain {wanted} of a NATS user; check {setting}")
        found = cls(setting, path, jwt, seed)
        found._key_pair().wipe()
        return found

    def _key_pair(self) -> "KeyPair":
        try:
            import nkeys
        except ModuleNotFoundError as error:
            raise AccessError(f"{self.setting} needs `pip install nemuri[nkeys]`") from error
        try:
            return nkeys.from_seed(bytearray(self.seed.encode()))
        except (nkeys.NkeysError, ValueError) as error:
            raise AccessError(f"the seed in {self.path} is damaged; check {self.setting}") from error


def _part(content: str, title: str) -> str:
    """Return the line after the header of a part of a credentials file; empty if there is no such part."""
    lines = content.splitlines()
    begins = (number for number, line in enumerate(lines) if f"BEGIN {title}" in line)
    number = next(begins, len(lines))
    return lines[number + 1].strip() if number + 1 < len(lines) else ""
