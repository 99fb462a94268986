"""The operating system's user that PostgreSQL runs as is created once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CREATE_USER = """
import sys
from pathlib import Path
from nemuri_infra.embedded import os_user
os_user.DATABASE_USER = sys.argv[1]
print(os_user.database_account(Path(sys.argv[2])))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may create users")
def test_concurrent_creations_make_one_user(tmp_path: Path) -> None:
    """Four processes that create the user at the same time create one user, and all succeed."""
    name = f"nemuri-try-{os.getpid()}"
    command = [sys.executable, "-c", CREATE_USER, name, str(tmp_path / "none")]
    try:
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        accounts = {process.communicate()[0] for process in processes}
        assert [process.returncode for process in processes] == [0, 0, 0, 0]
        assert len(accounts) == 1
    finally:
        subprocess.run(["userdel", name], check=False, capture_output=True)
