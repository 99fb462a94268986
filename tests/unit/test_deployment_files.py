"""The deployment files are generated from the registry of services."""

from pathlib import Path

import pytest
import yaml

from nemuri.platform import deployment_files
from nemuri.platform.deployment_files import COMPOSE, VALUES, VALUES_SCHEMA, generated_files, write
from nemuri_contracts.subjects import Subjects
from nemuri_infra.runtime.permissions import Permissions
from nemuri_infra.runtime.service import Service
from nemuri_services.service_registry import CATALOGUE, SERVICES, users

ROOT = Path(__file__).parents[2]


def test_the_files_are_those_that_the_generator_writes() -> None:
    """The committed files equal the generated ones; otherwise run `make generate`."""
    for path, text in generated_files(ROOT).items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, path


def test_every_folder_with_handlers_is_in_the_catalogue() -> None:
    """Every folder of `services` with handlers is in the catalogue."""
    folders = {path.parent.name for path in (ROOT / "services" / "nemuri_services").glob("*/handlers.py")}
    assert folders == {*CATALOGUE}


def test_a_new_service_is_in_every_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that is in the registry gets a container, and is one of the chart's services, scaled on its lag."""
    new = Service("dream-journal", lag_per_replica=7)
    new.handlers = SERVICES["intake"].handlers
    monkeypatch.setattr(deployment_files, "SERVICES", {**SERVICES, new.name: new})
    compose, values, schema = (yaml.safe_load(generated_files(ROOT)[path]) for path in (COMPOSE, VALUES, VALUES_SCHEMA))
    assert compose["services"][new.name]["command"] == ["nemuri", "worker", new.name]
    assert values["services"].keys() == {*SERVICES, new.name}
    assert values["services"][new.name] == {"consumer": new.name, "lag": 7}
    assert new.name in schema["properties"]["services"]["propertyNames"]["enum"]


def test_every_service_with_a_consumer_is_scaled() -> None:
    """Every service is scaled on the lag of its one consumer, except the projector and the sender of webhooks, of which
    one process works at a time.
    """
    services = yaml.safe_load(generated_files(ROOT)[VALUES])["services"]
    assert {name for name, service in services.items() if "consumer" in service} == SERVICES.keys() - {
        "projector",
        "webhooks",
    }


def test_a_file_without_the_marking_comments_is_refused(tmp_path: Path) -> None:
    """The generator raises `ValueError` and writes nothing if a file lacks the comments that mark the generated
    part.
    """
    (tmp_path / COMPOSE).write_text("services:\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"docker-compose\.yml has no part between the lines"):
        write(tmp_path)
    assert (tmp_path / COMPOSE).read_text(encoding="utf-8") == "services:\n"


def test_names_with_hyphens_stay_unique_over_namespaces() -> None:
    """No role's name ends in a hyphen and another role's name.

    Otherwise users of two namespaces could have the same name.
    """
    roles = Permissions(Subjects("nemuri"), users()).roles().keys()
    assert [(one, other) for one in roles for other in roles if one.endswith(f"-{other}")] == []
