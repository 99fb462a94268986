"""The experiments on societies by name: how large each is, what it claims, and what its figures are not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from nemuri.experiments.report import Claim, Report, Sample, reported
from nemuri.experiments.runs import repeated
from nemuri.experiments.society import item_progression, likeability, memes, specialisation, taxes
from nemuri.experiments.society.experiment_society import Setting


@dataclass(frozen=True, slots=True)
class Experiment:
    """Something that can be found out about a society."""

    sample: Callable[[int, int, Setting], Sample]
    """(seed, repeat, setting) to what this repeat measures."""
    claims: Sequence[Claim]
    title: str
    label: str
    """What its figures are, and are not, without a language model."""
    modules: tuple[str, ...]
    """The modules that it can go without."""
    usual: Setting
    """How large it is unless said otherwise: a few minutes for all runs on two idle cores."""
    paper: Setting
    """How large it is in the paper."""
    runs: int = 8
    fewest: int = 3
    """Agents at least."""
    shortest: int = 60
    """Seconds at least."""


EXPERIMENTS: Final = {
    "items": Experiment(
        item_progression.sample,
        item_progression.CLAIMS,
        "Item progression: different items that agents ever held",
        f"scripted planner, injected hallucination rate {item_progression.HALLUCINATION}: the relative effect of an"
        " ablation, no more",
        item_progression.MODULES,
        usual=Setting(5, 600),
        paper=Setting(25, 1_800),
        fewest=1,
    ),
    "likeability": Experiment(
        likeability.sample,
        likeability.CLAIMS,
        "Likeability: true against perceived, from words alone",
        "a test of the estimator: words and tastes are scripted, so the effect is partly by construction",
        likeability.MODULES,
        usual=Setting(16, 600),
        paper=Setting(50, 14_400),
        fewest=12,
        shortest=120,
    ),
    "specialisation": Experiment(
        specialisation.sample,
        specialisation.CLAIMS,
        "Specialisation: roles from rolling goals",
        "entropy and persistence of a scripted goal chooser that sees what others do, against one that does not",
        specialisation.MODULES,
        usual=Setting(12, 1_200),
        paper=Setting(30, 1_200),
        shortest=360,
    ),
    "taxes": Experiment(
        taxes.sample,
        taxes.CLAIMS,
        "The tax vote: what is paid before and under a law that was voted on",
        "timeline, ledger and controls are exact; opinions are scripted, so how far they move is set and not found",
        taxes.MODULES,
        usual=Setting(29, 1_200),
        paper=Setting(29, 1_200),
        fewest=5,
        shortest=240,
    ),
    "memes": Experiment(
        memes.sample,
        memes.CLAIMS,
        "Memes and a religion: what spreads by talk within earshot",
        "curves and the graph of exposure are of this world; how catching words are is set and not found",
        memes.MODULES,
        usual=Setting(80, 1_200),
        paper=Setting(500, 9_000),
        fewest=24,
        shortest=120,
    ),
}


def run(
    name: str,
    setting: Setting,
    *,
    seed: int,
    runs: int,
    processes: int,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Report:
    """The experiment so many times, in so many processes (this one for 0); the same for the same seed."""
    experiment = EXPERIMENTS[name]
    progress(0, runs)
    samples: dict[int, Sample] = {}
    for repeat, found in repeated(partial(one, name, seed, setting=setting), runs, processes):
        samples[repeat] = found
        progress(len(samples), runs)
    return reported(name, [samples[each] for each in range(runs)], experiment.claims, seed=seed, tasks=setting.seconds)


def one(name: str, seed: int, repeat: int, setting: Setting) -> Sample:
    """What one run measures."""
    return EXPERIMENTS[name].sample(seed, repeat, setting)


def as_json(report: Report, setting: Setting, runs: int) -> dict[str, Any]:
    """All of a report as JSON values, with how large it was and what it is not."""
    found = report.as_json()
    del found["tasks"]
    return {
        **found,
        "agents": setting.agents,
        "seconds": setting.seconds,
        "runs": runs,
        "without": list(setting.without),
        "label": EXPERIMENTS[report.experiment].label,
    }
