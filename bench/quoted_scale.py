"""The measured figures of scale: the simulation beside the real parts, projectors by partitions, and the constants."""

from typing import Any, Final

from bench.figure import Figure


def _simulated(result: Any) -> str:
    names = ("folded_per_second", "lag_ms", "lag_p95_ms")
    return " / ".join(f"{result['largest_error'][name]:.0%}" for name in names)


def _constants(result: Any) -> str:
    task, fold = result["acts"]["task"], result["projector"]
    event = fold["decode_us"] + fold["fold"]["event_us"] + fold["database"]["event_us"]
    batch = fold["fold"]["batch_us"] + fold["database"]["batch_us"]
    fold_cost = f"{batch / 1e3:.1f} ms + {event / 1e3:.2f} ms an event"
    subject = result["log"]["subjects"]["server_memory_bytes_per_subject"]
    return f"{task['events']:.1f} events, {task['bytes']['log'] / 1e3:.1f} kB; {fold_cost}; {subject:.0f} bytes"


def _partitions(result: Any) -> str:
    ratios = result["four_over_one"]
    return (
        f"{ratios['events_per_second']:.2f}× / {ratios['cpu_us_per_event']:.2f}×; "
        f"{result['busiest_projector_over_one']:.2f}×; {result['differences']} of {result['rows']:,} rows differ"
    )


SCALE_FIGURES: Final = (
    Figure(
        "simulation of log and projector, largest error at rates on which nothing was fitted: events a second / median "
        "lag / p95",
        "scale_simulation",
        _simulated,
    ),
    Figure(
        "four projectors by partitions divided by one, two cores: events a second / CPU an event; CPU of the busiest "
        "of them",
        "scale_partitions",
        _partitions,
    ),
    Figure(
        "constants of scale: a task in the log; CPU of the projector and its database for a batch; memory of "
        "nats-server for a subject",
        "scale_constants",
        _constants,
    ),
)
