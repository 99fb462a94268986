"""Permission files for namespaces: NATS accounts, PostgreSQL roles, and an environment file for each user."""

import json
import os
import secrets
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import pbkdf2_hmac, sha256
from hmac import digest
from pathlib import Path
from typing import Any

import bcrypt

from nemuri_contracts.event import TUTOR
from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.access import INBOX
from nemuri_infra.runtime.permissions import Permissions
from nemuri_infra.runtime.rights import API, Rights
from nemuri_services.service_registry import SERVICES, users

BCRYPT_ROUNDS = 4
"""Cost of bcrypt (log2 of the rounds). It is low, because the passwords are random and too long to guess."""
SCRAM_ROUNDS = 4096
ENVIRONMENT = "nemuri.env"
"""Name of the file with the environment variables of a user, in a directory of its own."""
PASSWORDS = "passwords.json"
"""Name of the file with the passwords of all users."""
PROJECTOR, READER = "projector", "reader"
OWNER_USERS = ("projector", "provisioner", "operator", "importer", "eraser")
"""Users that get the database role which owns the projections. All others can only read."""


class PermissionsError(Exception):
    """Permissions cannot be written. The message gives the reason in one line."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """The deployment for which permissions are written."""

    namespaces: Sequence[str]
    clients: Sequence[str] = ()
    nats: str = "nats://127.0.0.1:4222"
    """Addresses of the NATS servers, comma-separated."""
    database: str = "127.0.0.1:5432/nemuri"
    nodes: Sequence[str] = ()
    """Host names of a cluster's nodes."""
    client_nats: str | None = None
    """Addresses of the NATS servers for clients, comma-separated; None to use `nats`."""


@dataclass(slots=True)
class Passwords:
    """Random passwords by user name. A name gets the same password each time."""

    known: dict[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """Return the password of a user: letters, digits, `_` and `-`, so that it can be part of an address."""
        return self.known.setdefault(name, secrets.token_urlsafe(24))


def write_permissions(directory: Path, deployment: Deployment) -> list[Path]:
    """Write all files into the directory, readable by the owner only, and return their paths.

    There is one directory for each user and each server, so that a container can see its own secrets and no others.
    Existing passwords are kept, so a client can be added later. Raises `PermissionsError` if a client has the name of a
    service or a file cannot be written.
    """
    if TUTOR in deployment.clients:
        raise PermissionsError(f"{TUTOR!r} is the name of a service; choose another one for the client")
    kept = directory / PASSWORDS
    try:
        passwords = Passwords(json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {})
        files = _files(deployment, passwords)
        written = {kept: json.dumps(passwords.known, indent=1)} | {
            directory / name: text for name, text in files.items()
        }
        for path, text in written.items():
            _write(path, text)
    except (OSError, ValueError) as error:
        raise PermissionsError(f"the permissions cannot be written to {directory}: {error}") from error
    return list(written)


def _files(deployment: Deployment, passwords: Passwords) -> dict[str, str]:
    spaces = [Permissions(Subjects(namespace), users()) for namespace in deployment.namespaces]
    files = {
        "nats/auth.conf": nats_accounts(spaces, deployment.clients, passwords),
        "postgres/roles.sql": database_roles(deployment.namespaces, passwords),
        "postgres/password": passwords.of("postgres"),
    }
    if deployment.nodes:
        files["nats/routes.conf"] = cluster_routes(deployment.nodes, passwords)
    for space in spaces:
        for role in space.roles():
            files[f"{space.user(role)}/{ENVIRONMENT}"] = _lines(_environment(space, role, deployment, passwords))
        for client in deployment.clients:
            files[f"{space.client_user(client)}/{ENVIRONMENT}"] = _lines(_clients(space, client, deployment, passwords))
    return files


def nats_accounts(spaces: Iterable[Permissions], clients: Sequence[str], passwords: Passwords) -> str:
    """Return the part of the server configuration with an account for each namespace and each client."""
    accounts: dict[str, Any] = {}
    for space in spaces:
        name = space.subjects.namespace
        users = [_user(space.user(role), rights, passwords) for role, rights in space.roles().items()]
        accounts[name] = {"jetstream": "enabled", "users": users, "exports": _exports(space, clients)}
        for client in clients:
            rights = space.client(client)
            user = space.client_user(client)
            imports = [_import(space, subject) for subject in sorted(rights.publish)]
            imports += [{"stream": {"account": name, "subject": subject}} for subject in _heard(rights)]
            named = frozenset(_domain(space, subject) for subject in rights.publish)
            own = Rights(named, rights.subscribe)
            accounts[user] = {"users": [_user(user, own, passwords)], "imports": imports}
    head = "# Written by `nemuri permissions`: users and their permissions. Passwords are hashed."
    return f"{head}\naccounts: {json.dumps(accounts, indent=1)}\n"


def _exports(space: Permissions, clients: Sequence[str]) -> list[dict[str, Any]]:
    """Return the exports of a namespace's account: the subjects that the accounts of its clients may use."""
    services: dict[str, list[str]] = {}
    streams: dict[str, list[str]] = {}
    for client in clients:
        rights = space.client(client)
        for subject in sorted(rights.publish):
            services.setdefault(subject, []).append(space.client_user(client))
        for subject in _heard(rights):
            streams.setdefault(subject, []).append(space.client_user(client))
    lent = [{"service": subject, "accounts": accounts} for subject, accounts in services.items()]
    return [*lent, *({"stream": subject, "accounts": accounts} for subject, accounts in streams.items())]


def _heard(rights: Rights) -> list[str]:
    """Return the subjects of the namespace's account that a client listens to: all but its own inbox."""
    return sorted(subject for subject in rights.subscribe if not subject.startswith(INBOX))


def _import(space: Permissions, subject: str) -> dict[str, Any]:
    lent: dict[str, Any] = {"service": {"account": space.subjects.namespace, "subject": subject}}
    if subject.startswith(space.subjects.query("")):
        # A shared import shows services which client sent the query, so that each client has its own queue.
        return lent | {"share": True}
    return lent if not subject.startswith(API) else lent | {"to": _domain(space, subject)}


def _domain(space: Permissions, subject: str) -> str:
    """Return the subject on which a client's account sends a request that the namespace's account receives on
    `subject`.

    Requests to stores use a JetStream domain with the name of the namespace.
    """
    return subject.replace(API, f"$JS.{space.subjects.namespace}.API", 1) if subject.startswith(API) else subject


def _user(name: str, rights: Rights, passwords: Passwords) -> dict[str, Any]:
    hashed = bcrypt.hashpw(passwords.of(name).encode(), bcrypt.gensalt(BCRYPT_ROUNDS)).decode()
    publish: dict[str, list[str]] = {"allow": sorted(rights.publish)}
    if rights.denied:
        publish["deny"] = sorted(rights.denied)
    permissions = {"publish": publish, "subscribe": {"allow": sorted(rights.subscribe)}}
    return {"user": name, "password": hashed, "permissions": permissions}


def cluster_routes(nodes: Sequence[str], passwords: Passwords) -> str:
    """Return the part of the server configuration that connects the nodes of a cluster and refuses other servers."""
    password = passwords.of("route")
    routes = [f"nats-route://route:{password}@{node}:6222" for node in nodes]
    lines = {
        "name": "nemuri",
        "listen": "0.0.0.0:6222",
        "authorization": {"user": "route", "password": password},
        "routes": routes,
    }
    return f"# Written by `nemuri permissions`.\ncluster: {json.dumps(lines, indent=1)}\n"


def database_roles(namespaces: Iterable[str], passwords: Passwords) -> str:
    """Return SQL that creates the database roles of each namespace. A superuser must run it. It can be run again.

    The projector's role owns the projections, so that it can rebuild them into a new schema. The reader's role can only
    read the projections, and store copies of retrieval indexes.
    """
    parts = ["-- Written by `nemuri permissions`; run it in the database of the views, as its superuser."]
    parts += ["CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;"]
    parts += ["DO $$ BEGIN EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()); END $$;"]
    for name in namespaces:
        owner, reader = database_role(name, PROJECTOR), database_role(name, READER)
        parts += [*_role(owner, "CONNECT, CREATE, TEMPORARY", passwords), *_role(reader, "CONNECT", passwords)]
        granted = f'ALTER DEFAULT PRIVILEGES FOR ROLE "{owner}" GRANT'
        parts += [
            f'{granted} USAGE ON SCHEMAS TO "{reader}";',
            f'{granted} SELECT ON TABLES TO "{reader}";',
            f'GRANT pg_checkpoint TO "{owner}";  -- what is erased leaves the write-ahead log too',
        ]
    return "\n".join(parts) + "\n"


def _role(name: str, rights: str, passwords: Passwords) -> Iterable[str]:
    there = f"IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{name}')"
    yield f'DO $$ BEGIN {there} THEN CREATE ROLE "{name}" LOGIN; END IF; END $$;'
    yield f"ALTER ROLE \"{name}\" PASSWORD '{_scram(passwords.of(name))}';"
    granted = f"format('GRANT {rights} ON DATABASE %I TO \"{name}\"', current_database())"
    yield f"DO $$ BEGIN EXECUTE {granted}; END $$;"


def database_role(namespace: str, role: str) -> str:
    """Return the name of a namespace's database role, such as "nemuri_reader". Each namespace has roles of its own."""
    return f"{namespace}_{role}"


def _scram(password: str) -> str:
    """Return the SCRAM verifier that the server stores for a password (RFC 5803). The password needs no SASLprep."""
    salt = os.urandom(16)
    salted = pbkdf2_hmac("sha256", password.encode(), salt, SCRAM_ROUNDS)
    stored = sha256(digest(salted, b"Client Key", "sha256")).digest()
    server = digest(salted, b"Server Key", "sha256")
    parts = (b64encode(key).decode() for key in (salt, stored, server))
    return "SCRAM-SHA-256${}:{}${}:{}".format(SCRAM_ROUNDS, *parts)


def _environment(space: Permissions, role: str, deployment: Deployment, passwords: Passwords) -> dict[str, str]:
    """Return the environment variables of a process that connects as a user of the namespace's account."""
    owner = database_role(space.subjects.namespace, PROJECTOR if role in OWNER_USERS else READER)
    lines = {
        "NEMURI_NAMESPACE": space.subjects.namespace,
        "NATS_URL": _addressed(deployment.nats, space.user(role), passwords),
        "NEMURI_PROVISION": "true" if role == "provisioner" else "false",
    }
    apart = users().keys() - SERVICES.keys()  # Processes of extensions, which do not use the database.
    if role not in apart:
        lines["DATABASE_URL"] = f"postgresql://{owner}:{passwords.of(owner)}@{deployment.database}"
    if role == "operator":  # The operator starts the processes of extensions.
        lines |= {
            f"NEMURI_{user.upper()}_NATS_URL": _addressed(deployment.nats, space.user(user), passwords)
            for user in sorted(apart)
        }
    return lines


def _clients(space: Permissions, client: str, deployment: Deployment, passwords: Passwords) -> dict[str, str]:
    """Return the environment variables of a client."""
    return {
        "NEMURI_NAMESPACE": space.subjects.namespace,
        "NATS_URL": _addressed(deployment.client_nats or deployment.nats, space.client_user(client), passwords),
        "NEMURI_NATS_DOMAIN": space.subjects.namespace,
        "NEMURI_CLIENT": client,
    }


def _addressed(urls: str, user: str, passwords: Passwords) -> str:
    parts = (url.strip().partition("://") for url in urls.split(","))
    return ",".join(f"{scheme}://{user}:{passwords.of(user)}@{host}" for scheme, _, host in parts)


def _lines(values: dict[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, encoding="utf-8")
