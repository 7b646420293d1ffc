"""Names with a token, made as fast as tests like it."""

from __future__ import annotations

from server.app import Running
from tests.e2e.conftest import Come
from tests.e2e.guest import Guest


async def account(server: Running, name: str) -> str:
    """A new account's token."""
    token = f"token of {name}"
    assert await server.house.store.add_account(name, f"p-{name}", token, 1)
    return token


async def members(server: Running, come: Come, *names: str) -> list[Guest]:
    """Holders of accounts, connected."""
    return [await come(server.url, token=await account(server, name)) for name in names]
