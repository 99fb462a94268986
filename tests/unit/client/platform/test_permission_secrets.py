"""Permission files are kept in Kubernetes secrets, by a pod that may only read and update these."""

import json
import ssl
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trustme

from nemuri.platform.permission_files import Deployment, PermissionsError
from nemuri.platform.permission_secrets import SecretApi, write_secrets
from nemuri_contracts.subjects import Subjects
from nemuri_infra.runtime.permissions import Permissions
from nemuri_services.service_registry import users

NODES = ("mind-nats-0.mind-nats",)
DEPLOYMENT = Deployment(["nemuri"], ["ann"], nats="nats://mind-nats:4222", nodes=NODES)


@dataclass
class Cluster:
    """The secrets of a namespace, served as the API of Kubernetes serves them to a pod."""

    secrets: dict[str, dict[str, Any]] = field(default_factory=dict)
    url: str = ""

    def make(self, *names: str) -> None:
        """Make secrets without data, as the chart does."""
        for name in names:
            self.secrets[name] = {
                "kind": "Secret",
                "metadata": {"name": name, "resourceVersion": "1"},
                "type": "Opaque",
            }

    def data(self, name: str) -> dict[str, str]:
        """Return the decoded data of a secret."""
        return {key: b64decode(value).decode() for key, value in self.secrets[name]["data"].items()}

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """Return the request handler. Updates of an older version than the stored one are refused with 409."""
        cluster = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self._name()
                self._answer(200 if name in cluster.secrets else 404, cluster.secrets.get(name, {}))

            def do_PUT(self) -> None:
                name = self._name()
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stored = cluster.secrets[name]["metadata"]["resourceVersion"]
                if body["metadata"]["resourceVersion"] != stored:
                    return self._answer(409, {})
                body["metadata"]["resourceVersion"] = str(int(stored) + 1)
                cluster.secrets[name] = body
                return self._answer(200, body)

            def _name(self) -> str:
                assert self.headers["Authorization"] == "Bearer token-of-the-pod"
                return self.path.removeprefix("/api/v1/namespaces/mem/secrets/")

            def _answer(self, status: int, body: dict[str, Any]) -> None:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so by the base class
                """Log nothing."""

        return Handler


@contextmanager
def api_of(cluster: Cluster, account: Path) -> Iterator[SecretApi]:
    """Serve a cluster's secrets over TLS, and yield the access of a pod whose service account is in `account`."""
    authority = trustme.CA()
    account.mkdir()
    authority.cert_pem.write_to_path(account / "ca.crt")
    (account / "token").write_text("token-of-the-pod\n")
    (account / "namespace").write_text("mem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with HTTPServer(("127.0.0.1", 0), cluster.handler()) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield SecretApi(f"https://127.0.0.1:{server.server_port}", account)
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def cluster() -> Cluster:
    """A cluster with the empty secrets of a release `mind`."""
    made = Cluster()
    users_of_log = (*Permissions(Subjects("nemuri"), users()).roles(), "client-ann")
    made.make(*(f"mind-{name}" for name in ("passwords", "nats", "postgres", *users_of_log)))
    return made


@pytest.fixture
def api(cluster: Cluster, tmp_path: Path) -> Iterator[SecretApi]:
    """The API of the cluster."""
    with api_of(cluster, tmp_path / "account") as served:
        yield served


def test_every_user_gets_a_secret_of_its_own(cluster: Cluster, api: SecretApi, tmp_path: Path) -> None:
    """Each user's secret has its own environment file and the marks; each server's has that server's files."""
    names = write_secrets(tmp_path / "files", DEPLOYMENT, "mind", ["rights-1", "addresses-1"], api)
    assert set(names) == set(cluster.secrets)
    assert cluster.data("mind-nats").keys() == {"auth.conf", "routes.conf", "rights-1", "addresses-1"}
    assert cluster.data("mind-postgres").keys() == {"roles.sql", "password", "rights-1", "addresses-1"}
    assert "nemuri-intake:" in cluster.data("mind-intake")["nemuri.env"]
    assert "nemuri-client-ann:" in cluster.data("mind-client-ann")["nemuri.env"]
    assert cluster.secrets["mind-intake"]["type"] == "Opaque"


def test_passwords_stay_and_marks_are_replaced(cluster: Cluster, api: SecretApi, tmp_path: Path) -> None:
    """A second run, from another pod, keeps all passwords and replaces the marks of the first."""
    write_secrets(tmp_path / "first", DEPLOYMENT, "mind", ["rights-1"], api)
    before = cluster.data("mind-intake")["nemuri.env"]
    cluster.make("mind-client-bob")
    more = Deployment(["nemuri"], ["ann", "bob"], nats="nats://mind-nats:4222", nodes=NODES)
    write_secrets(tmp_path / "second", more, "mind", ["rights-2"], api)
    assert cluster.data("mind-intake") == {"nemuri.env": before, "rights-2": ""}
    assert "nemuri-client-bob" in cluster.data("mind-nats")["auth.conf"]


def test_an_interrupted_run_can_be_repeated(cluster: Cluster, api: SecretApi, tmp_path: Path) -> None:
    """If a secret is missing, the error names it, and the next run uses the passwords of the first."""
    missing = cluster.secrets.pop("mind-query-api")
    with pytest.raises(PermissionsError, match=r"GET of the secret mind-query-api failed: HTTP Error 404"):
        write_secrets(tmp_path / "first", DEPLOYMENT, "mind", [], api)
    before = cluster.data("mind-intake")["nemuri.env"]
    cluster.secrets["mind-query-api"] = missing
    write_secrets(tmp_path / "second", DEPLOYMENT, "mind", [], api)
    assert cluster.data("mind-intake")["nemuri.env"] == before


def test_two_runs_at_once_do_not_mix_their_passwords(cluster: Cluster, api: SecretApi, tmp_path: Path) -> None:
    """A run that read the passwords before another run wrote them fails and changes nothing."""
    read = api.read("mind-passwords")
    write_secrets(tmp_path / "other", DEPLOYMENT, "mind", [], api)
    kept = cluster.data("mind-passwords")
    with pytest.raises(PermissionsError, match="changed meanwhile"):
        api.replace_data(read, {"passwords.json": "{}"})
    assert cluster.data("mind-passwords") == kept


def test_outside_of_a_pod_nothing_is_written(tmp_path: Path) -> None:
    """Outside of a pod the error is one line, and no file is written."""
    with pytest.raises(PermissionsError, match=r"^the secret mind-passwords cannot be reached: [^\n]+$"):
        write_secrets(tmp_path / "files", DEPLOYMENT, "mind", [], SecretApi(account=tmp_path))
    assert not (tmp_path / "files").exists()
