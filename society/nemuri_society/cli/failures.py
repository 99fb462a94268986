"""Failures of the commands that become one line."""

from nemuri_society.minecraft.node_modules import MinecraftUnavailable
from nemuri_society.operations.export import ExportError
from nemuri_society.operations.society_file import SocietyFileError
from nemuri_society.stores.society_states import SocietyError

FAILURES = (SocietyError, SocietyFileError, MinecraftUnavailable, ExportError)
