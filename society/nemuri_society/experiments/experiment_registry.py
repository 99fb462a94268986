"""The society experiments by name: sizes, claims and caveats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from nemuri.experiments.report import CheckedClaim, ExperimentReport, Sample, build_report
from nemuri.experiments.runs import run_repeats
from nemuri_society.experiments import item_progression, likeability, memes, specialisation, taxes
from nemuri_society.experiments.experiment_society import Setting


@dataclass(frozen=True, slots=True)
class Experiment:
    """The definition of a society experiment."""

    sample: Callable[[int, int, Setting], Sample]
    """A function from (seed, repeat, setting) to the measurements of this repeat."""
    claims: Sequence[CheckedClaim]
    title: str
    label: str
    """The caveat: the meaning and the limits of the figures without a language model."""
    modules: tuple[str, ...]
    """Modules that can be left out."""
    usual: Setting
    """Default size. All runs together take a few minutes on two idle cores."""
    paper: Setting
    """Size in the paper."""
    runs: int = 8
    fewest: int = 3
    """Minimum number of agents."""
    shortest: int = 60
    """Minimum duration in seconds."""


EXPERIMENTS: Final = {
    "items": Experiment(
        item_progression.sample,
        item_progression.CLAIMS,
        "Item progression: number of different items that agents held",
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
        "timeline, ledger and controls are exact; opinions are scripted, so the size of their change is set, not found",
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
        "curves and the graph of exposure are of this world; the infectiousness of words is set, not found",
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
) -> ExperimentReport:
    """Run the experiment `runs` times in `processes` processes (0: in this one), and return its report.

    The result depends on the seed, not on `processes`. `progress` is called with the numbers of finished and of all
    runs.
    """
    experiment = EXPERIMENTS[name]
    progress(0, runs)
    samples: dict[int, Sample] = {}
    for repeat, found in run_repeats(partial(one, name, seed, setting=setting), runs, processes):
        samples[repeat] = found
        progress(len(samples), runs)
    return build_report(
        name, [samples[index] for index in range(runs)], experiment.claims, seed=seed, tasks=setting.seconds
    )


def one(name: str, seed: int, repeat: int, setting: Setting) -> Sample:
    """Return the measurements of one run."""
    return EXPERIMENTS[name].sample(seed, repeat, setting)


def as_json(report: ExperimentReport, setting: Setting, runs: int) -> dict[str, Any]:
    """Return a report as JSON values, with its size and its caveat."""
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
