"""Every service there is, by name."""

from nemuri_infra.runtime.service import Service
from nemuri_services.affective_memory.handlers import service as affective_memory
from nemuri_services.affective_nightly.handlers import service as affective_nightly
from nemuri_services.attribution.handlers import service as attribution
from nemuri_services.intake.handlers import service as intake
from nemuri_services.orchestrator.handlers import service as orchestrator
from nemuri_services.projector.handlers import service as projector
from nemuri_services.query_api.handlers import service as query_api
from nemuri_services.routing_memory.handlers import service as routing_memory
from nemuri_services.simulation.handlers import host, world
from nemuri_services.specialist.handlers import service as specialist
from nemuri_services.strength_sleep.handlers import service as strength_sleep
from nemuri_services.tiered_memory.handlers import service as tiered_memory
from nemuri_services.trainer.handlers import service as trainer
from nemuri_services.tutor.handlers import service as tutor

SERVICES: dict[str, Service] = {
    each.name: each
    for each in (
        projector,
        intake,
        orchestrator,
        specialist,
        attribution,
        routing_memory,
        strength_sleep,
        trainer,
        tutor,
        affective_memory,
        affective_nightly,
        tiered_memory,
        query_api,
    )
}
USERS: dict[str, Service] = SERVICES | {each.name: each for each in (host, world)}
"""All of them and the processes of societies, which are no workers of the platform but users of the log like them."""
