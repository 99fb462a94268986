"""The OS user that PostgreSQL runs as."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRY = """
import sys
from pathlib import Path
from nemuri_infra.embedded import os_user
os_user.DATABASE_USER = sys.argv[1]
print(os_user.database_account(Path(sys.argv[2])))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may create users")
def test_many_that_create_the_user_at_once_create_one(tmp_path: Path) -> None:
    """Two useradd at once both succeed, and one of them takes the user's number away from the other."""
    name = f"nemuri-try-{os.getpid()}"
    command = [sys.executable, "-c", TRY, name, str(tmp_path / "none")]
    try:
        tries = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        told = {each.communicate()[0] for each in tries}
        assert [each.returncode for each in tries] == [0, 0, 0, 0]
        assert len(told) == 1
    finally:
        subprocess.run(["userdel", name], check=False, capture_output=True)
