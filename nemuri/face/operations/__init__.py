"""What operators do with the log and its views."""

from nemuri.face.operations.archive import export_log, import_log
from nemuri.face.operations.errors import OperationError
from nemuri.face.operations.reembed import Reembedded, reembed
from nemuri.face.operations.views import Rebuilt, Verified, rebuild, verify

__all__ = [
    "OperationError",
    "Rebuilt",
    "Reembedded",
    "Verified",
    "export_log",
    "import_log",
    "rebuild",
    "reembed",
    "verify",
]
