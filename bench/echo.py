"""The bare server that Parlour is compared with: echo and broadcast, with only websockets and uvloop.

Prints its URL. A client that sends "broadcast N SIZE" makes it send N messages to all clients.
"""

from __future__ import annotations

import asyncio
import time

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve


async def main() -> None:
    clients: set[ServerConnection] = set()

    async def handle(connection: ServerConnection) -> None:
        clients.add(connection)
        try:
            async for message in connection:
                if isinstance(message, bytes) and message.startswith(b"broadcast "):
                    _, count, size = message.split()
                    await send_to_all(int(count), bytes(int(size)))
                else:
                    await connection.send(message)
        finally:
            clients.discard(connection)

    async def send_to_all(count: int, payload: bytes) -> None:
        began = time.perf_counter()
        for _ in range(count):
            broadcast(clients, payload)
            await asyncio.sleep(0)
        print(f"broadcast {time.perf_counter() - began:.3f}", flush=True)

    async with serve(handle, "127.0.0.1", 0, compression=None, backlog=4096) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"listening on ws://127.0.0.1:{port}/ws", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
