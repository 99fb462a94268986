"""Every service there is, by name."""

from nemuri.infra.reactions import Service
from nemuri.services.affect.app import service as affect
from nemuri.services.attribution.app import service as attribution
from nemuri.services.chronicler.app import service as chronicler
from nemuri.services.herald.app import service as herald
from nemuri.services.intake.app import service as intake
from nemuri.services.night.app import service as night
from nemuri.services.orchestrator.app import service as orchestrator
from nemuri.services.projector.app import service as projector
from nemuri.services.sleep.app import service as sleep
from nemuri.services.society.roles import host, world
from nemuri.services.specialist.app import service as specialist
from nemuri.services.tiers.app import service as tiers
from nemuri.services.trainer.app import service as trainer
from nemuri.services.tutor.app import service as tutor

SERVICES: dict[str, Service] = {
    each.name: each
    for each in (
        projector,
        intake,
        orchestrator,
        specialist,
        attribution,
        chronicler,
        sleep,
        trainer,
        tutor,
        affect,
        night,
        tiers,
        herald,
    )
}
USERS: dict[str, Service] = SERVICES | {each.name: each for each in (host, world)}
"""All of them and the processes of societies, which are no workers of the platform but users of the log like them."""
