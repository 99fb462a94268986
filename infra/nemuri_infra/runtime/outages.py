"""Which errors say that something is missing, and which that something is wrong."""

from nats.errors import BadHeaderError, BadSubjectError, JsonParseError, MaxPayloadError
from nats.errors import Error as NatsError
from nats.js.errors import BadObjectMetaError, InvalidKeyError, InvalidObjectNameError, LinkIsABucketError

from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.models.protocol import ModelUnavailable
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.stores.objects import IncompleteObjectError

WAITING: tuple[type[BaseException], ...] = (*OUTAGES, NatsError, BehindError, ConflictError, ModelUnavailable)
"""What only says that something is missing for now: tried again without limit, but for the two lists that follow."""
AT_FAULT = (
    BadHeaderError, BadSubjectError, JsonParseError, MaxPayloadError, BadObjectMetaError, InvalidKeyError,
    InvalidObjectNameError, LinkIsABucketError,
)  # fmt: skip
"""What a client of the log's server raises without asking it: the same the next time."""
SOON = (IncompleteObjectError,)
"""What is missing for a moment or for good: waited for as long as `input_patience` says, and then a fault."""


def is_waiting(error: BaseException) -> bool:
    """Whether the error only says that something is missing for now."""
    return isinstance(error, WAITING) and not isinstance(error, AT_FAULT)
