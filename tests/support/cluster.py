"""A PostgreSQL server of a test's own, which can be restarted under Parley's feet."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


def find_binaries() -> Path | None:
    """Where `initdb` and `pg_ctl` are, if they are here at all."""
    if config := shutil.which("pg_config"):
        told = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
        if (Path(told) / "initdb").exists():
            return Path(told)
    return _BINARIES[-1] if _BINARIES else None


class Cluster:
    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        # Not pytest's own directory: the server's user may not enter it.
        self.directory = Path(tempfile.mkdtemp(prefix="parley-pg-"))
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres")
        data = ("-D", f"{self.directory}/data")
        self._run("initdb", *data, "-U", "parley", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        self._control = ("pg_ctl", *data, "-w", "-l", f"{self.directory}/log")
        self._run(*self._control, "-o", f"-k {self.directory} -h '' -F", "start")

    def restart(self) -> None:
        """As if it had been killed and started again."""
        self._run(*self._control, "-m", "immediate", "restart")

    def close(self) -> None:
        self._run(*self._control, "-m", "immediate", "stop")
        shutil.rmtree(self.directory)

    def url_of(self, database: str) -> str:
        return f"postgresql://parley@/{database}?host={self.directory}"

    def create(self, database: str) -> str:
        with psycopg.connect(self.url_of("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database}")
        return self.url_of(database)

    def _run(self, program: str, *arguments: str) -> None:
        as_postgres = ("runuser", "-u", "postgres", "--") if os.getuid() == 0 else ()
        subprocess.run(
            [*as_postgres, str(self._binaries / program), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.directory,
        )
