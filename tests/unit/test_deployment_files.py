"""The deployment files are generated from the registry of services."""

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from nemuri.platform import deployment_files
from nemuri.platform.deployment_files import COMPOSE, KUBERNETES, generated_files, write
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
    """A service that is in the registry gets a container, a deployment, a secret and a scaled object."""
    new = Service("dream-journal", lag_per_replica=7)
    new.handlers = SERVICES["intake"].handlers
    monkeypatch.setattr(deployment_files, "SERVICES", {**SERVICES, new.name: new})
    files = {path: yaml.safe_load_all(text) for path, text in generated_files(ROOT).items()}
    [compose], [kustomization] = files[COMPOSE], files[KUBERNETES / "kustomization.yaml"]
    deployments, scaled = (_by_name(files[KUBERNETES / each]) for each in ("services.yaml", "scaling.yaml"))

    assert compose["services"][new.name]["command"] == ["nemuri", "worker", new.name]
    assert {"name": f"nemuri-{new.name}", "envs": [f"secrets/nemuri-{new.name}/nemuri.env"]} in kustomization[
        "secretGenerator"
    ]
    assert deployments.keys() == {*SERVICES, new.name}
    kubernetes_validate.validate(deployments[new.name], "1.32", strict=True)
    assert scaled[new.name]["spec"]["triggers"][0]["metadata"]["lagThreshold"] == "7"


def test_no_service_stops_before_its_successor_is_ready() -> None:
    """Every service is replaced without a pause, also the projector, whose tables are replaced when they are
    complete.
    """
    files = {path: yaml.safe_load_all(text) for path, text in generated_files(ROOT).items()}
    manifests = _by_name(files[KUBERNETES / "services.yaml"])
    assert [name for name in SERVICES if "strategy" in manifests[name]["spec"]] == []


def test_every_service_but_the_projector_is_scaled() -> None:
    """Every service is scaled on the lag of its one consumer, except the projector, which is the only writer."""
    scaled = _by_name(yaml.safe_load_all(generated_files(ROOT)[KUBERNETES / "scaling.yaml"]))
    assert scaled.keys() == SERVICES.keys() - {"projector"}


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


def _by_name(documents: Any) -> dict[str, Any]:
    return {document["metadata"]["name"]: document for document in documents}
