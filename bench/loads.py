"""Loads on a server: durable moves, echo round trips, and many clients that connect at once.

`PythonLoad` needs nothing else, but it is slower than the server it measures: the rates it shows are too low, while the
CPU time of the server is right. `CompiledLoad` runs a load generator that the user provides, see `GENERATOR_HELP`.
"""

from __future__ import annotations

import asyncio
import json
import time
from argparse import ArgumentParser
from collections.abc import Callable
from os import environ
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple, Protocol

from bench.processes import Cpu, Server
from client.loadtest.matches import REPLY_TIMEOUT_S, Match, Tally, ask, measure, open_matches, percentile
from client.loadtest.sockets import Client, connect, masked
from protocol.commands import Hello

GENERATOR_VARIABLE = "BENCH_GENERATOR"
GENERATOR_HELP = (
    "a compiled load generator, called as GENERATOR echo|game|storm KEY=VALUE… with the keys port, secs, warm, "
    "spid (the server's process), conns, proto and conf (a file with `match role path` lines), and prints one JSON "
    f"object with rate, p50, p99 (µs), main_us_per and kids_us_per (default: ${GENERATOR_VARIABLE}, else Python)"
)
MOVE_BYTES = 44  # message of the echo
ECHO_CONNECTIONS = 400
SETTLING_POLL_S = 0.05
WARM_UP_S = 0.5
CONNECTING_AT_ONCE = 100


class Measured(NamedTuple):
    """Operations per second, the CPU time of each, and the delay of the slower ones."""

    rate: float
    cpu: Cpu
    p50_ms: float = 0.0
    p99_ms: float = 0.0


class Load(Protocol):
    """What a benchmark needs of a load generator. Several servers can take turns."""

    async def echo(self, server: Server, seconds: float) -> Measured:
        """Measure the round trips of a server that echoes."""

    async def moves(self, server: Server, seconds: float, matches: int, warm_up_s: float = WARM_UP_S) -> Measured:
        """Measure durable moves, after some that do not count. A move counts when the opponent has received it."""

    async def storm(self, server: Server, connections: int, hello: bool) -> Measured:
        """Measure clients that connect all at once and wait for one reply: to `hello`, or to an echo."""


def add_generator_argument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--generator", metavar="PROGRAM", default=environ.get(GENERATOR_VARIABLE, ""), help=GENERATOR_HELP
    )


def load_of(generator: str) -> Load:
    """Return the load of `--generator`."""
    return CompiledLoad(generator) if generator else PythonLoad()


class PythonLoad:
    """Clients in this process. The matches on a server stay open from one measurement to the next."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, int], tuple[Tally, list[Match]]] = {}

    async def echo(self, server: Server, seconds: float) -> Measured:
        clients = [await connect(server.url) for _ in range(ECHO_CONNECTIONS)]
        count, running, frame = 0, True, masked(bytes(MOVE_BYTES))

        def reader(client: Client) -> Callable[[bytes], None]:
            def read(payload: bytes) -> None:
                nonlocal count
                count += 1
                if running:
                    client.send(frame)

            return read

        for client in clients:
            client.on_message = reader(client)
            client.send(frame)
        await asyncio.sleep(WARM_UP_S)
        before, began, cpu = count, time.perf_counter(), server.cpu()
        await asyncio.sleep(seconds)
        measured = Measured(
            (count - before) / (time.perf_counter() - began), server.cpu().per(count - before, since=cpu)
        )
        running = False
        await asyncio.sleep(0.2)
        for client in clients:
            client.transport.close()
        return measured

    async def moves(self, server: Server, seconds: float, matches: int, warm_up_s: float = WARM_UP_S) -> Measured:
        key = server.pid, matches
        if key not in self._open:
            tally = Tally()
            opened = await open_matches(server.url, matches, tally)
            await in_turn(server, opened, matches, tally, warm_up_s)
            self._open[key] = tally, opened
        tally, opened = self._open[key]
        return await in_turn(server, opened, matches, tally, seconds)

    async def storm(self, server: Server, connections: int, hello: bool) -> Measured:
        began, cpu, turn = time.perf_counter(), server.cpu(), asyncio.Semaphore(CONNECTING_AT_ONCE)

        async def arrive() -> Client:
            async with turn:
                client = await connect(server.url)
                if hello:
                    await ask(client, Hello(id=1))
                else:
                    await echo_once(client)
            return client

        clients = await asyncio.gather(*[arrive() for _ in range(connections)])
        seconds = time.perf_counter() - began
        measured = Measured(connections / seconds, server.cpu().per(connections, since=cpu))
        for client in clients:
            client.transport.close()
        return measured


async def echo_once(client: Client) -> None:
    """Wait for one echo."""
    echoed = asyncio.get_running_loop().create_future()
    client.on_message = echoed.set_result
    client.send(masked(bytes(MOVE_BYTES)))
    await asyncio.wait_for(echoed, REPLY_TIMEOUT_S)


async def in_turn(server: Server, matches: list[Match], in_flight: int, tally: Tally, seconds: float) -> Measured:
    """Play with `in_flight` moves at any time. The matches can continue afterwards. Fails on any error."""
    for match in matches:
        match.playing = True
    cpu, before = server.cpu(), tally.moves
    for match in matches[:in_flight]:
        match.move()
    rate, delays = await measure(tally, seconds)
    spent = server.cpu().per(tally.moves - before, since=cpu)
    assert not tally.errors, tally.errors[0]
    for match in matches:
        match.playing = False
    async with asyncio.timeout(REPLY_TIMEOUT_S):  # for the last moves and for rematches
        while not all(match.settled for match in matches):  # noqa: ASYNC110
            await asyncio.sleep(SETTLING_POLL_S)
    return Measured(rate, spent, percentile(delays, 50), percentile(delays, 99))


class CompiledLoad:
    """Clients in a compiled program, started for each measurement."""

    def __init__(self, program: str) -> None:
        self._program = program

    async def echo(self, server: Server, seconds: float) -> Measured:
        return self._measured(await self._run("echo", server, secs=seconds, warm=WARM_UP_S, conns=ECHO_CONNECTIONS))

    async def moves(self, server: Server, seconds: float, matches: int, warm_up_s: float = WARM_UP_S) -> Measured:
        with NamedTemporaryFile("w", suffix=".conf") as conf:
            conf.writelines(f"{match} {seat} /ws\n" for match in range(matches) for seat in (0, 1))
            conf.flush()
            output = await self._run("game", server, proto="parlour", conf=conf.name, secs=seconds, warm=warm_up_s)
        assert not output["errors"], output
        return self._measured(output)

    async def storm(self, server: Server, connections: int, hello: bool) -> Measured:
        cpu = server.cpu()
        proto = "parlour" if hello else "raw"
        output = await self._run("storm", server, proto=proto, path="/ws", conns=connections, secs=REPLY_TIMEOUT_S)
        assert output["done"] == connections, output
        return Measured(connections / output["all_s"], server.cpu().per(connections, since=cpu))

    async def _run(self, mode: str, server: Server, **options: object) -> Any:
        """Return the output of the generator. Raises RuntimeError if it fails."""
        arguments = [f"{key}={value}" for key, value in {"port": server.port, "spid": server.pid, **options}.items()]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(self._program, mode, *arguments, stdout=pipe, stderr=pipe)
        output, problem = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"{self._program} failed: {problem.decode().strip()}")
        return json.loads(output)

    @staticmethod
    def _measured(output: Any) -> Measured:
        cpu = Cpu(output["main_us_per"], output["kids_us_per"])
        return Measured(output["rate"], cpu, output["p50"] / 1000, output["p99"] / 1000)
