"""Kubernetes secrets with the permission files, filled from within a pod.

The Helm chart makes the secrets without data, so that the pod needs no rights but to read and to update these. The
passwords have a secret of their own, from which all others can be written again.
"""

import json
import ssl
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from nemuri.platform.permission_files import PASSWORDS, Deployment, PermissionsError, write_permissions

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Directory that Kubernetes mounts into a pod: `token`, `ca.crt` and `namespace`."""
API = "https://kubernetes.default.svc"
TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class SecretApi:
    """The secrets of a pod's own Kubernetes namespace."""

    url: str = API
    account: Path = SERVICE_ACCOUNT

    def read(self, name: str) -> dict[str, Any]:
        """Return a secret as Kubernetes describes it. Raises `PermissionsError` if it cannot be read."""
        return self._request("GET", name)

    def replace_data(self, secret: Mapping[str, Any], data: Mapping[str, str]) -> None:
        """Replace all data of a secret that was read. Raises `PermissionsError` also if it has changed since then."""
        encoded = {key: b64encode(text.encode()).decode() for key, text in data.items()}
        self._request("PUT", secret["metadata"]["name"], {**secret, "data": encoded})

    def _request(self, method: str, name: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            token, namespace = ((self.account / file).read_text("utf-8").strip() for file in ("token", "namespace"))
            request = Request(  # noqa: S310 - the address is that of the cluster
                f"{self.url}/api/v1/namespaces/{namespace}/secrets/{name}",
                data=None if body is None else json.dumps(body).encode(),
                headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
                method=method,
            )
            trusted = ssl.create_default_context(cafile=self.account / "ca.crt")
            with urlopen(request, timeout=TIMEOUT_SECONDS, context=trusted) as answer:  # noqa: S310
                found: dict[str, Any] = json.load(answer)
        except HTTPError as error:
            error.close()  # it is an open answer
            reason = "it was changed meanwhile; try again" if error.code == HTTPStatus.CONFLICT else str(error)
            raise PermissionsError(f"{method} of the secret {name} failed: {reason}") from error
        except (URLError, OSError, ValueError) as error:
            raise PermissionsError(f"the secret {name} cannot be reached: {error}") from error
        return found


def write_secrets(
    directory: Path, deployment: Deployment, prefix: str, marks: Sequence[str] = (), api: SecretApi | None = None
) -> list[str]:
    """Write the permission files of one namespace into the directory and into the secrets `PREFIX-…`.

    The secrets are `PREFIX-passwords`, `PREFIX-nats`, `PREFIX-postgres`, `PREFIX-USER` and `PREFIX-client-CLIENT`; the
    keys are the names of the files. Passwords in the first one are kept. It is written before the others, so that an
    interrupted run can be repeated.

    Args:
        directory: Directory of the files, which only this process can read.
        deployment: The deployment, with exactly one namespace.
        prefix: First part of the names of the secrets, which must exist.
        marks: Keys without content that every secret gets beside the files. Pods wait for them.
        api: Access to the secrets. Default: that of the pod.

    Returns:
        The names of the written secrets.

    Raises:
        PermissionsError: A secret cannot be read or written, or there is more than one namespace.
    """
    api = api or SecretApi()
    if len(deployment.namespaces) != 1:
        raise PermissionsError("secrets are written for one namespace; give one --namespace")
    passwords = api.read(f"{prefix}-passwords")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if kept := (passwords.get("data") or {}).get(PASSWORDS):
        (directory / PASSWORDS).write_bytes(b64decode(kept))
    files = write_permissions(directory, deployment)
    api.replace_data(passwords, {PASSWORDS: (directory / PASSWORDS).read_text("utf-8")} | dict.fromkeys(marks, ""))
    contents = _by_secret(files, directory, f"{deployment.namespaces[0]}-")
    for name, data in contents.items():
        api.replace_data(api.read(f"{prefix}-{name}"), data | dict.fromkeys(marks, ""))
    return [f"{prefix}-{name}" for name in ("passwords", *contents)]


def _by_secret(files: Sequence[Path], directory: Path, namespace: str) -> dict[str, dict[str, str]]:
    """Return the data of each secret but that of the passwords, by its name without the prefix."""
    contents: dict[str, dict[str, str]] = {}
    for file in files:
        if file.parent != directory:
            data = contents.setdefault(file.parent.name.removeprefix(namespace), {})
            data[file.name] = file.read_text("utf-8")
    return contents
