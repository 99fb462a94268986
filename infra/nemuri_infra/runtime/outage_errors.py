"""The errors that mean a missing dependency. All other errors are faults of the event."""

from nats.errors import BadHeaderError, BadSubjectError, JsonParseError, MaxPayloadError
from nats.errors import Error as NatsError
from nats.js.errors import BadObjectMetaError, InvalidKeyError, InvalidObjectNameError, LinkIsABucketError

from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.models.protocol import ModelUnavailable
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.stores.objects import IncompleteObjectError

OUTAGE_ERRORS: tuple[type[BaseException], ...] = (*OUTAGES, NatsError, BehindError, ConflictError, ModelUnavailable)
"""Errors that mean a missing dependency. The event is retried without limit.

The errors in `PERMANENT_CLIENT_ERRORS` and `INCOMPLETE_INPUT_ERRORS` are subclasses of these errors, but their events
are not retried without limit.
"""
PERMANENT_CLIENT_ERRORS = (
    BadHeaderError, BadSubjectError, JsonParseError, MaxPayloadError, BadObjectMetaError, InvalidKeyError,
    InvalidObjectNameError, LinkIsABucketError,
)  # fmt: skip
"""Errors that the NATS client raises without asking the server. A retry would fail in the same way."""
INCOMPLETE_INPUT_ERRORS = (IncompleteObjectError,)
"""Errors of an input whose missing pieces may arrive soon or never.

The event is retried for `input_patience` seconds and then given up.
"""


def is_outage(error: BaseException) -> bool:
    """Return whether the error means a missing dependency rather than a fault."""
    return isinstance(error, OUTAGE_ERRORS) and not isinstance(error, PERMANENT_CLIENT_ERRORS)
