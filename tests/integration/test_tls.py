"""Encrypted connections to the nats-server with certificates on both sides."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import trustme

from nemuri.client.connection import connected
from nemuri.client.exchange import NotConnectedError
from nemuri.platform.serving import prepare, serving
from nemuri_infra.runtime.settings import Settings
from tests.integration.restricted_servers import RestrictedServers
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory with certificates of an authority, of the server and of a client."""
    directory, authority = tmp_path_factory.mktemp("certificates"), trustme.CA()
    authority.cert_pem.write_to_path(str(directory / "ca.pem"))
    for name, host in (("server", "127.0.0.1"), ("client", "nemuri.example")):
        issued = authority.issue_cert(host)
        issued.cert_chain_pems[0].write_to_path(str(directory / f"{name}.pem"))
        issued.private_key_pem.write_to_path(str(directory / f"{name}.key"))
    return directory


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def encrypted(servers: Servers, certificates: Path) -> AsyncIterator[RestrictedServers]:
    """A server that requires certificates of its clients."""
    files = {"cert_file": "server.pem", "key_file": "server.key", "ca_file": "ca.pem"}
    lines = ", ".join(f'{option}: "{certificates / name}"' for option, name in files.items())
    async with RestrictedServers.running(servers, more=f"tls {{ {lines}, verify: true }}", scheme="tls") as running:
        yield running


def with_certificates(settings: Settings, certificates: Path) -> Settings:
    """Return a copy of the settings with the authority and the client's certificate."""
    mine = {"nats_certificate": certificates / "client.pem", "nats_key": certificates / "client.key"}
    return settings.model_copy(update={"nats_ca": certificates / "ca.pem", **mine})


async def test_services_and_clients_work_over_tls(encrypted: RestrictedServers, certificates: Path) -> None:
    """Services and a client with certificates work over encrypted connections."""
    await prepare(with_certificates(encrypted.of("provisioner"), certificates))
    async with (
        serving(with_certificates(encrypted.of("projector"), certificates), ["projector"]),
        serving(with_certificates(encrypted.of("query-api"), certificates), ["query-api"]),
        connected(with_certificates(encrypted.client("ann"), certificates), "ann") as ann,
    ):
        assert (await ann.status()).agents == 0


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (("nats_ca",), "certificate is not trusted: .*NEMURI_NATS_CA"),
        (("nats_certificate", "nats_key"), "accepts the connection .*NATS_URL"),
    ],
    ids=["authority", "own certificate"],
)
async def test_a_connection_without_certificates_is_refused(
    encrypted: RestrictedServers, certificates: Path, missing: tuple[str, ...], said: str
) -> None:
    """A connection is refused with a reason if the client does not know the authority or has no certificate."""
    settings = with_certificates(encrypted.client("ann"), certificates).model_copy(update=dict.fromkeys(missing))
    with pytest.raises(NotConnectedError, match=said):
        async with connected(settings, "ann"):
            pass


async def test_a_missing_certificate_is_refused(encrypted: RestrictedServers, certificates: Path) -> None:
    """A missing certificate file ends in an error of one line that names the setting."""
    settings = encrypted.client("ann").model_copy(update={"nats_ca": certificates / "none.pem"})
    with pytest.raises(NotConnectedError, match="NEMURI_NATS_CA"):
        async with connected(settings, "ann"):
            pass
