"""The door of the society: what it adds to the core."""

from nemuri_infra.process.extensions import Extension

EXTENSION = Extension(
    name="society",
    commands="nemuri_society.cli.society",
    failures="nemuri_society.cli.failures:FAILURES",
    processes={"host": "nemuri_society.simulation.handlers:host", "world": "nemuri_society.simulation.handlers:world"},
    stores="nemuri_society.stores.provisioned_stores:provisioned_stores",
    operator_rights="nemuri_society.simulation.rights:operator_rights",
    settings="nemuri_society.operations.settings:SocietySettings",
    prompts="nemuri_society.cognition",
    pages="nemuri_society.window.views.societies:PAGES",
    backup="nemuri_society.operations.backup",
    erasure="nemuri_society.operations.erasure",
)
"""The value of the entry point `society` of the group `nemuri.extensions`."""
