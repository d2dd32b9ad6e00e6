"""The scheduler of a sweep and what starts its workers, in one process beside whoever asks.

Its argument is a folder for what it writes, which it removes in the end. It reads one line of JSON, the environment of
each worker, and answers with one, where its scheduler listens and what opens it. From then on it lives as long as its
standard input is open: whoever asked may end it, be killed, or forget it, and no worker is left. In a process of its
own it does not import the script that asked, as processes started by a script do, and a window is not slowed by it.

Everything it says to its workers goes through TLS with keys that are made at each start and stand in no file: on a
machine of many people nobody else can have the workers compute.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import Any

HERE = "127.0.0.1"
QUIET = {"distributed.admin.tick.interval": "500ms", "distributed.worker.profile.enabled": False}
"""Of what Dask's processes do beside the work: the cores are the cases'."""
LOSSES = 1
"""Workers that may end under a case beside the first, until it is told of: each takes seconds to be replaced."""


def main() -> None:
    line = sys.stdin.readline()
    code = _serve(json.loads(line)) if line else 1  # whoever asked is gone
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    os._exit(code)  # workers of this machine end with the process that started them


def _serve(asked: dict[str, Any]) -> int:
    """The exit code, once nobody asks any more."""
    try:
        import dask  # an extra: whoever starts this has looked for it

        here = {"temporary-directory": sys.argv[1]}  # else a folder of a known name where everybody writes
        dask.config.set({"distributed.scheduler.allowed-failures": LOSSES, **here, **QUIET})
        cluster, keys = _slurm(asked) if asked["slurm"] else _local(asked)
    except Exception as error:  # of Dask, or of Slurm's commands: a sentence for whoever asked
        print(json.dumps({"error": " ".join(str(error).split()) or type(error).__name__}), flush=True)
        return 1
    print(json.dumps({"address": cluster.scheduler_address, "keys": keys}), flush=True)
    sys.stdin.read()
    if asked["slurm"]:
        cluster.close()  # its jobs are ended by Slurm
    return 0


def _local(asked: dict[str, Any]) -> tuple[Any, dict[str, str]]:
    from distributed import Nanny, Scheduler, SpecCluster
    from distributed.security import Security

    security = Security.temporary()
    common: dict[str, Any] = {"host": HERE, "protocol": "tls://", "security": security, "dashboard": False}
    # No limit of memory: Dask would pause and end cases by its own guess, the system does so by need.
    worker = {**common, "nthreads": 1, "memory_limit": 0, "local_directory": sys.argv[1]}
    cluster = SpecCluster(
        scheduler={"cls": Scheduler, "options": {**common, "port": 0}},
        workers={
            place: {"cls": Nanny, "options": {**worker, "env": env}} for place, env in enumerate(asked["workers"])
        },
        security=security,
        silence_logs=False,
    )
    return cluster, _keys(security)


def _slurm(asked: dict[str, Any]) -> tuple[Any, dict[str, str]]:
    """Jobs as this person's ``jobqueue.yaml`` says, a worker of one thread in each."""
    import dask
    from dask_jobqueue import SLURMCluster
    from distributed.security import Security

    security = Security.temporary()
    shared = dask.config.get("jobqueue.slurm.shared-temp-directory", None) or os.getcwd()
    cluster = SLURMCluster(
        n_workers=asked["slurm"], processes=1, security=security, protocol="tls://", shared_temp_directory=shared,
        worker_extra_args=["--nthreads", "1", "--memory-limit", "0"], silence_logs=False,
        scheduler_options={"dashboard": False},
    )  # fmt: skip
    return cluster, _keys(security)


def _keys(security: Any) -> dict[str, str]:
    return {name: getattr(security, name) for name in ("tls_ca_file", "tls_client_key", "tls_client_cert")}
