"""Tests of the name of a project, read from the files of git."""

import subprocess
from pathlib import Path

import pytest

from nemuri.hook.project import project_of


def git(place: Path, *arguments: str) -> None:
    """Run git in a directory."""
    subprocess.run(["git", "-C", str(place), *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    place = tmp_path / "bakery"
    (place / "src").mkdir(parents=True)
    git(place, "init", "--quiet")
    person = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    git(place, *person, "commit", "--quiet", "--allow-empty", "--message", "begin")
    return place


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/ann/bakery.git",
        "https://ann:s3cret@Example.org/ann/bakery",
        "ssh://git@example.org:2222/ann/bakery.git",
        "git@example.org:ann/bakery.git",
    ],
)
def test_all_ways_to_reach_a_remote_are_one_project(repository: Path, url: str) -> None:
    """A project has the address of its remote, without scheme, user, password and port, in every directory of it."""
    git(repository, "remote", "add", "upstream", "https://example.org/other/bakery")
    git(repository, "remote", "add", "origin", url)
    assert project_of(str(repository / "src")) == project_of(str(repository)) == "example.org/ann/bakery"


def test_a_worktree_belongs_to_the_project_of_its_repository(repository: Path, tmp_path: Path) -> None:
    """A worktree in another directory has the remote of its repository."""
    git(repository, "remote", "add", "origin", "https://example.org/ann/bakery")
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "beside"))
    assert project_of(str(tmp_path / "beside")) == "example.org/ann/bakery"


def test_without_a_remote_a_project_is_its_directory(repository: Path, tmp_path: Path) -> None:
    """A repository without a remote is named by its root, another directory by itself. A damaged file is no error."""
    assert project_of(str(repository / "src")) == str(repository)
    plain = tmp_path / "notes"
    assert project_of(str(plain)) == str(plain)
    (repository / ".git" / "config").write_bytes(b"\xff[[[")
    assert project_of(str(repository)) == str(repository)


@pytest.mark.parametrize("directory", [None, 7, "", "relative", str(Path.home()), "/"])
def test_a_home_directory_is_no_project(directory: object) -> None:
    """A home directory, the root, and what is not an absolute path are no projects."""
    assert project_of(directory) is None
