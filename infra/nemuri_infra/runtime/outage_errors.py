"""The errors that mean that a dependency is missing. All other errors are faults of the event or its handler."""

from nats.errors import BadHeaderError, BadSubjectError, JsonParseError, MaxPayloadError
from nats.errors import Error as NatsError
from nats.js.errors import BadObjectMetaError, InvalidKeyError, InvalidObjectNameError, LinkIsABucketError

from nemuri_infra.bus.archive_segment import ArchiveError
from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.stores.objects import IncompleteObjectError

OUTAGE_ERRORS: tuple[type[BaseException], ...] = (
    *OUTAGES, NatsError, ArchiveError, BehindError, ConflictError, ModelUnavailable,
)  # fmt: skip
"""Errors that mean that a dependency is missing. The event is then retried without limit.

Some subclasses of these errors are treated differently: those in `PERMANENT_CLIENT_ERRORS` and
`INCOMPLETE_INPUT_ERRORS` are not retried without limit.
"""
PERMANENT_CLIENT_ERRORS = (
    BadHeaderError, BadSubjectError, JsonParseError, MaxPayloadError, BadObjectMetaError, InvalidKeyError,
    InvalidObjectNameError, LinkIsABucketError,
)  # fmt: skip
"""Errors that the NATS client raises without asking the server. A retry would fail in the same way."""
INCOMPLETE_INPUT_ERRORS = (IncompleteObjectError,)
"""Errors that mean that pieces of an input are missing, which may arrive soon or never.

The event is retried for `input_patience` seconds and then given up.
"""


def is_outage(error: BaseException) -> bool:
    """Return whether the error means that a dependency is missing, rather than a fault."""
    return isinstance(error, OUTAGE_ERRORS) and not isinstance(error, PERMANENT_CLIENT_ERRORS)
