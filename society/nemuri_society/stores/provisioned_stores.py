"""The stores of societies that are provisioned with a namespace."""

from fractions import Fraction

from nemuri_infra.runtime.extension_stores import ExtensionStore, RecordLimits
from nemuri_society.stores.society_record import MAX_AGE_SECONDS, MAX_BATCHES, record_stream, record_subjects
from nemuri_society.stores.society_states import checkpoints_bucket, societies_bucket


def provisioned_stores(namespace: str) -> tuple[ExtensionStore, ...]:
    """Return the bucket of the states of all societies, the object store of their checkpoints, and the stream of their
    records.
    """
    record = RecordLimits((record_subjects(namespace),), MAX_AGE_SECONDS, MAX_BATCHES)
    return (
        ExtensionStore("societies", societies_bucket(namespace), Fraction(1, 64)),
        ExtensionStore("checkpoints", checkpoints_bucket(namespace), Fraction(1, 64), objects=True),
        ExtensionStore("records", record_stream(namespace), Fraction(1, 32), record=record),
    )
