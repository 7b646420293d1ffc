"""Accounts for tests, created directly in the store."""

from __future__ import annotations

from server.app import Running
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest


async def account(server: Running, name: str) -> str:
    """Create an account and return its token."""
    token = f"token of {name}"
    assert await server.app.store.add_account(name, f"p-{name}", token, 1)
    return token


async def members(server: Running, connect_guest: ConnectGuest, *names: str) -> list[Guest]:
    """Create accounts and connect a client for each."""
    return [await connect_guest(server.url, token=await account(server, name)) for name in names]
