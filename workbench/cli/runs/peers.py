"""``workbench bench peers``: other programs beside ours on the same problems, where they are installed."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from engines.api.device import DeviceInfo
from engines.api.errors import ProblemError, nearest_told
from engines.backend import open_backend
from workbench.bench.peers.cases import MODULES, case_of
from workbench.bench.peers.contest import FULL, QUICK, contest
from workbench.bench.peers.record import PeerRecord, PeersRecord, lines_of, load_now, to_csv, to_json
from workbench.cli import DONE, WRONG
from workbench.cli.runs.folder import refuse_strange
from workbench.storage.atomic import write_text

FILES = ("peers.json", "peers.csv")


def peers_command(options: Namespace) -> int:
    """Compare, time and print; ``--out``: peers.json and peers.csv, written after each size.

    Ends with the code of what is wrong where answers differ; a peer that is not there is none. Raises ProblemError."""
    names = chosen(options.engines[1:])
    if options.list:
        cases = [case_of(name) for name in names]
        width = max(map(len, names))
        print("\n".join(f"{case.id:{width}}  {case.title}, beside {case.peer}: {case.install}" for case in cases))
        options.answer["peers"] = [{"id": c.id, "title": c.title, "peer": c.peer, "install": c.install} for c in cases]
        return DONE
    if options.out is not None:
        refuse_strange(options.out, FILES)
    device, threads = place_of(options.device)
    print(f"{device.name}: ours beside peers, {threads} threads each where they compute on cores\n", flush=True)
    before = load_now()
    records: list[PeerRecord] = []
    for name in names:
        sizes = case_of(name).sizes[device.kind]
        for size in sizes[:1] if options.quick and not options.case else sizes:
            if options.case and size.name not in options.case:
                continue
            records.append(
                contest(case_of(name), MODULES[name], size, device, threads, QUICK if options.quick else FULL)
            )
            print("\n".join(lines_of(records[-1])), flush=True)
            keep(options, PeersRecord.of(device, threads, records, before))
    if not records:
        known = dict.fromkeys(size.name for name in names for size in case_of(name).sizes[device.kind])
        raise ProblemError(f"No size is called {' or '.join(options.case)} (there are: {', '.join(known)}).")
    if options.out is not None:
        print(f"written to {options.out}")
    return WRONG if any(one.wrong for one in records) else DONE


def chosen(names: list[str]) -> list[str]:
    """Those cases, or all. Raises ProblemError for a name that there is not."""
    for name in names:
        if name not in MODULES:
            raise ProblemError(f"There is no comparison '{name}'{nearest_told(name, MODULES)}.")
    return names or list(MODULES)


def place_of(name: str) -> tuple[DeviceInfo, int]:
    """The device, and the threads of whoever computes on cores. It is closed again: the sides open it themselves."""
    cpu = open_backend("cpu")
    threads = cpu.info.threads
    cpu.close()
    backend = open_backend(name)
    try:
        return backend.info, threads
    finally:
        backend.close()


def keep(options: Namespace, record: PeersRecord) -> None:
    text = to_json(record)
    options.answer["peers"] = json.loads(text)
    if options.out is not None:  # after each: the next may take long
        folder: Path = options.out
        for name, content in zip(FILES, (text, to_csv(record)), strict=True):
            write_text(folder / name, content)
