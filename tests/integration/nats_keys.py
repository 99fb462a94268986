"""Keys, JWTs and credentials files of NATS users, as `nsc` makes them."""

import json
import os
from base64 import b32encode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

import nkeys

NO_LIMITS = dict.fromkeys(("subs", "data", "payload", "imports", "exports", "conn", "leaf"), -1)
"""Limits of any account. The system account may have no JetStream."""
STORAGE = dict.fromkeys(("mem_storage", "disk_storage", "streams", "consumer"), -1)
"""Limits of an account that may use JetStream without bounds."""


@dataclass(frozen=True, slots=True)
class Key:
    """An NKey of an operator, an account or a user."""

    seed: str

    @classmethod
    def new(cls, kind: int) -> Self:
        """Return a random key. `kind` is a prefix of nkeys, such as `nkeys.PREFIX_BYTE_USER`."""
        return cls(nkeys.encode_seed(os.urandom(32), kind).decode())

    @property
    def public(self) -> str:
        """The public key."""
        return str(self._pair.public_key.decode())

    def sign(self, subject: str, name: str, claims: dict[str, Any]) -> str:
        """Return a JWT about the holder of the public key `subject`, issued by this key."""
        body: dict[str, Any] = {"iat": 1, "iss": self.public, "name": name, "sub": subject}
        body["nats"] = claims | {"version": 2}
        body["jti"] = b32encode(sha256(json.dumps(body).encode()).digest()).decode().rstrip("=")
        signed = f"{_part({'typ': 'JWT', 'alg': 'ed25519-nkey'})}.{_part(body)}"
        return f"{signed}.{_text(self._pair.sign(signed.encode()))}"

    @property
    def _pair(self) -> nkeys.KeyPair:
        return nkeys.from_seed(bytearray(self.seed.encode()))


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator with a system account and an account for the platform."""

    operator: Key
    system: Key
    account: Key

    @classmethod
    def new(cls) -> Self:
        """Return an operator with new keys."""
        return cls(*map(Key.new, (nkeys.PREFIX_BYTE_OPERATOR, nkeys.PREFIX_BYTE_ACCOUNT, nkeys.PREFIX_BYTE_ACCOUNT)))

    def configuration(self) -> str:
        """Return the configuration of a server that trusts the operator and knows both accounts."""
        own = self.operator.sign(self.operator.public, "operator", {"type": "operator"})
        accounts = {self.system.public: self._account(self.system, "system", {})}
        accounts[self.account.public] = self._account(self.account, "platform", STORAGE)
        lines = "\n".join(f"  {public}: {jwt}" for public, jwt in accounts.items())
        known = f"resolver: MEMORY\nresolver_preload: {{\n{lines}\n}}\n"
        return f"operator: {own}\nsystem_account: {self.system.public}\n{known}"

    def _account(self, key: Key, name: str, storage: dict[str, int]) -> str:
        claims = {"type": "account", "limits": {**NO_LIMITS, **storage, "wildcards": True}}
        return self.operator.sign(key.public, name, claims)

    def credentials(self, name: str) -> str:
        """Return the content of a credentials file of a new user of the platform's account."""
        user = Key.new(nkeys.PREFIX_BYTE_USER)
        claims = {"type": "user", "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1}
        jwt = self.account.sign(user.public, name, claims)
        return (
            f"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n"
            f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n"
        )


def _part(value: dict[str, Any]) -> str:
    return _text(json.dumps(value, separators=(",", ":")).encode())


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")
