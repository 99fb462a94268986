"""The stores of societies that are provisioned with a namespace."""

from fractions import Fraction

from nemuri_infra.runtime.extension_stores import ExtensionStore
from nemuri_society.stores.society_states import checkpoints_bucket, societies_bucket


def provisioned_stores(namespace: str) -> tuple[ExtensionStore, ...]:
    """Return the bucket of the states of all societies, and the object store of their checkpoints."""
    return (
        ExtensionStore("societies", societies_bucket(namespace), Fraction(1, 32)),
        ExtensionStore("checkpoints", checkpoints_bucket(namespace), Fraction(1, 32), objects=True),
    )
