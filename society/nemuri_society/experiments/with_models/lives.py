"""Running and measuring the societies of an experiment with a language model.

A society that has lived to the end is measured from its record and not run again, so an experiment that was interrupted
goes on with what is missing.
"""

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable, Mapping

from nemuri.experiments.report import ExperimentReport, Sample, build_report
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.settings import Settings
from nemuri_society.experiments.with_models.life import ModelExperiment, ModelUse
from nemuri_society.experiments.with_models.trials import Trial
from nemuri_society.operations.lifecycle import SocietyFigures, create_society, run_society
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.stores.society_record import SocietyRecord, StoredEvent
from nemuri_society.stores.society_states import SocietyError, States


async def lived_already(log: Log, trial: Trial) -> bool:
    """Return True if the society of a trial has lived to its end, and False if it does not exist.

    Raises `SocietyError` if there is another society of this name, or one that has not lived to its end or stopped
    thinking. Its budget may have been changed.
    """
    name = trial.society.name
    try:
        there = await read_society(await States.open(log, name))
    except SocietyError:
        return False
    advice = f"delete it with `nemuri society delete {name}`, or give another --seed"
    if there.model_copy(update={"budget": trial.society.budget}) != trial.society:
        raise SocietyError(f"society {name!r} exists and was made with other options; {advice}")
    ends = [event async for event in SocietyRecord(log, name).events() if event.kind == "end"]
    if not ends or max(end.second for end in ends) < trial.seconds:
        raise SocietyError(f"society {name!r} exists, but its life was broken off; {advice}")
    if paused := ends[-1].values["report"]["paused"]:
        raise SocietyError(f"society {name!r} exists, but it stopped thinking ({paused}); {advice}")
    return True


async def live(
    log: Log,
    settings: Settings,
    trial: Trial,
    *,
    limit: int,
    stop: asyncio.Event,
    on_figures: Callable[[SocietyFigures], None],
) -> bool:
    """Create the society of a trial and run it to its end, with the steps that people take meanwhile.

    Returns False if `stop` was set before. Raises `SocietyError` if its budget was used up.
    """
    await create_society(log, trial.society)
    steps = None if trial.arm.intervene is None else trial.arm.intervene(log, trial.society, trial.seconds)
    stepping = None if steps is None else asyncio.ensure_future(steps)
    if stepping is not None:
        stepping.add_done_callback(lambda task: None if task.cancelled() or not task.exception() else stop.set())
    try:
        report = await run_society(
            log, trial.society, settings, seconds=trial.seconds, limit=limit, stop=stop, on_figures=on_figures
        )
        if stepping is not None and stepping.done():
            stepping.result()
    finally:
        if stepping is not None:
            await cancel_and_wait(stepping)
    if report.paused:
        raise SocietyError(
            f"society {trial.society.name!r} stopped thinking ({report.paused}); nothing is measured. Delete it with"
            f" `nemuri society delete {trial.society.name}`, and give a higher --budget"
        )
    return report.seconds >= trial.seconds


async def measured(
    events: AsyncIterable[StoredEvent], experiment: ModelExperiment, trial: Trial
) -> Mapping[str, float]:
    """Return the figures of a life from the events of its record, in one pass."""
    measures = experiment.measure(trial.society, trial.seconds), ModelUse(trial.society, trial.seconds)
    async for event in events:
        for measure in measures:
            measure.add(event)
    return {name: value for measure in measures for name, value in measure.figures().items()}


async def measure_all(
    log: Log, name: str, experiment: ModelExperiment, trials: Iterable[Trial], seed: int
) -> ExperimentReport:
    """Return the report of trials that have lived."""
    samples = dict[int, dict[tuple[str, str], float]]()
    seconds = 0.0
    for trial in trials:
        figures = await measured(SocietyRecord(log, trial.society.name).events(), experiment, trial)
        sample, seconds = samples.setdefault(trial.repeat, {}), trial.seconds
        sample |= {(measure, trial.condition): value for measure, value in figures.items()}
    in_order: list[Sample] = [samples[repeat] for repeat in sorted(samples)]
    return build_report(name, in_order, experiment.claims, seed=seed, tasks=round(seconds))
