"""Checks of a deployment's services, embedder and models."""

from collections.abc import AsyncIterator, Mapping

from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.js.api import ConsumerInfo
from pydantic import ValidationError

from nemuri.platform.deployment_findings import Finding, missing, ok, warning
from nemuri.platform.embedder_check import EmbedderChanged, SettingsError, check_embedder, embedding_in_force
from nemuri_contracts.codec import validation_message
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.consumer_pauses import UNFINISHED, is_paused_for_import
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

ASK_SECONDS = 2.0
"""Seconds in which a service must answer that a request without content is no query."""


async def service_findings(log: Log, consumers: Mapping[str, ConsumerInfo]) -> AsyncIterator[Finding]:
    """Yield whether a worker of each service listens.

    A worker always waits for events at its consumer or has some in work. A service that answers queries refuses an
    empty one, which changes nothing. The projector has neither; its projections show whether it works.
    """
    checked = well = 0
    for name, service in SERVICES.items():
        found: Finding | None = None
        if (info := consumers.get(name)) is not None:
            found = _listening(name, info)
        elif service.handlers:
            continue  # its consumer does not exist, which another finding says
        elif topics := service.query_topics():
            found = await _answering(log, name, topics[0][1])
        else:
            continue
        checked += 1
        well += found is None
        if found is not None:
            yield found
    if well:
        yield ok("services", f"{well} of {checked} with a consumer or queries listen")


def _listening(name: str, info: ConsumerInfo) -> Finding | None:
    about, pending, in_work = f"service {name}", info.num_pending or 0, info.num_ack_pending or 0
    if is_paused_for_import(info):
        return missing(about, f"paused: an import or a restore {UNFINISHED}")
    if info.paused:
        return warning(about, "paused: an erasure is running, or was killed less than a minute ago")
    if info.num_waiting or in_work:
        return None
    return missing(about, f"no worker listens, {pending} events wait; start the service `{name}`")


async def _answering(log: Log, name: str, topic: str) -> Finding | None:
    try:
        await log.connection.request(log.subjects.query(topic), b"", timeout=ASK_SECONDS)
    except NoRespondersError:
        return missing(f"service {name}", f"nobody answers queries; start the service `{name}`")
    except (NatsError, TimeoutError):
        if log.denied:
            return warning(f"service {name}", f"not checked: this user is not permitted {log.denied[0]}")
        return missing(f"service {name}", f"does not answer within {ASK_SECONDS:g} s; look at its log")
    return None


async def embedder_finding(settings: Settings) -> Finding:
    """Return whether the configured embedder made the vectors of the agents. A local model is loaded for that."""
    try:
        embedding = await embedding_in_force(settings)
        await check_embedder(settings, embedding)
    except ValidationError as error:
        return missing("embedder", validation_message(error))
    except (SettingsError, EmbedderChanged) as error:
        return missing("embedder", str(error))
    return ok("embedder", f"{embedding.model}, {embedding.dimension} numbers")


def model_finding(settings: Settings) -> Finding:
    """Return which model providers are configured. None is called."""
    from nemuri_infra.models.factory import build_models

    try:
        models = build_models(settings.model_settings())
    except ValidationError as error:
        return missing("models", validation_message(error))
    except (ValueError, ModuleNotFoundError) as error:
        return missing("models", str(error))
    return ok("models", ", ".join(sorted({models.main.name, models.light.name})))
