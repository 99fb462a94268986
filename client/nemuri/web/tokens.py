"""Access tokens of clients, kept in a file that only its owner can read. The file holds digests, never tokens."""

import json
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR, TUTOR, Identifier
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.process.private_files import write_private
from nemuri_infra.runtime.settings import Settings

TOKEN_PREFIX = "nemuri_"  # noqa: S105 - the beginning of every token, so that scanners for leaked secrets know it


def tokens_directory(settings: Settings) -> Path:
    """Return the directory of the tokens, in the data directory. The first token creates it."""
    return settings.data.expanduser().absolute() / "window"


class TokenError(Exception):
    """A token cannot be made, or the file of tokens cannot be read. The message is one line."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token that was made for a client, without the token itself."""

    digest: str
    """SHA-256 of the token, as hex digits."""
    principal: Principal
    issued_at: datetime


class Tokens:
    """The tokens of one platform."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file = directory / "tokens.json"
        self._link = directory / "window.token"

    def all(self) -> list[IssuedToken]:
        """Return the tokens, oldest first. Raises `TokenError` for a damaged file."""
        if not self._file.exists():
            return []
        try:
            return [
                _issued(digest, entry) for digest, entry in json.loads(self._file.read_text(encoding="utf-8")).items()
            ]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise TokenError(f"{self._file} cannot be read: {error}; delete it to revoke all tokens") from error

    def issue(self, principal: Principal) -> str:
        """Make a token for a client and return it. It is shown once; the file keeps only its digest."""
        try:
            TypeAdapter(Identifier).validate_python(principal.client_id)
        except ValidationError as error:
            raise TokenError(f"{principal.client_id!r} is no name of a client") from error
        if principal.client_id == TUTOR:
            raise TokenError(f"{TUTOR!r} is the name of a service; choose another one for the client")
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        self._write([*self.all(), IssuedToken(digest_of(token), principal, datetime.now(UTC))])
        return token

    def revoke(self, beginning: str) -> IssuedToken:
        """Revoke the token whose digest begins with these digits, and return it. Raises `TokenError`."""
        known = self.all()
        found = [token for token in known if len(beginning) >= 6 and token.digest.startswith(beginning)]
        if len(found) != 1:
            raise TokenError(f"{len(found) or 'no'} tokens have a digest that begins with {beginning!r}")
        self._write([token for token in known if token is not found[0]])
        return found[0]

    def find(self, token: str) -> Principal | None:
        """Return the client to whom a token belongs; None for an unknown token."""
        return self.find_digest(digest_of(token))

    def find_digest(self, digest: str) -> Principal | None:
        """Return the client to whom the token with this digest belongs; None for an unknown or revoked token."""
        if secrets.compare_digest(digest.encode(), digest_of(self.link_token()).encode()):
            return Principal(OPERATOR)
        known = (token for token in self.all() if secrets.compare_digest(token.digest.encode(), digest.encode()))
        return next((token.principal for token in known), None)

    def link_token(self) -> str:
        """Return the operator's token in the link to the window. It is made once; delete the file to get another."""
        if self._link.exists() and (known := self._link.read_text(encoding="utf-8").strip()):
            return known
        token = secrets.token_urlsafe(32)
        self._store(self._link, token)
        return token

    def _write(self, tokens: list[IssuedToken]) -> None:
        rows = {
            token.digest: {"issued_at": token.issued_at.isoformat(), "principal": asdict(token.principal)}
            for token in tokens
        }
        self._store(self._file, json.dumps(rows, indent=1))

    def _store(self, path: Path, text: str) -> None:
        Home(self._directory.parent)
        self._directory.mkdir(mode=0o700, exist_ok=True)
        write_private(path, text)


def digest_of(token: str) -> str:
    """Return the SHA-256 of a token as hex digits."""
    return sha256(token.encode()).hexdigest()


def _issued(digest: str, row: dict[str, object]) -> IssuedToken:
    principal = TypeAdapter(Principal).validate_python(row["principal"])
    return IssuedToken(digest, principal, datetime.fromisoformat(str(row["issued_at"])))
