"""A network of namespaces, in which packets between a node and the rest can be dropped without a trace.

    this process ── router ── node

The router drops what goes to or comes from an address. Neither side gets an error, as with a broken switch: TCP
repeats its packets, at growing intervals.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest

HERE, THERE = "198.18", "198.19"  # addresses for tests of networks, see RFC 2544
_numbers = count(1)


class Network:
    """The namespaces of the router and of the node."""

    def __init__(self) -> None:
        name = f"parlour-{os.getpid()}-{next(_numbers)}"
        self._router, self._place = f"{name}-router", f"{name}-node"
        self._link = f"parlour{os.getpid()}"
        subnet = os.getpid() % 250  # for several tests at a time
        self.player, self.broker, self.database, self._gateway_here = (f"{HERE}.{subnet}.{n}" for n in (1, 2, 3, 254))
        self.node, self._gateway_there = (f"{THERE}.{subnet}.{n}" for n in (1, 254))

    @property
    def launcher(self) -> tuple[str, ...]:
        """The command that runs a program at the node's place."""
        return "ip", "netns", "exec", self._place

    def open(self) -> None:
        """Create everything. Raises CalledProcessError if the kernel does not allow it."""
        router, node, link = self._router, self._place, self._link
        for name in (router, node):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", link, "type", "veth", "peer", "name", "outer", "netns", router)
        ip("-n", router, "link", "add", "inner", "type", "veth", "peer", "name", "eth0", "netns", node)
        for address in (self.player, self.broker, self.database):
            ip("address", "add", f"{address}/24", "dev", link)
        ip("-n", router, "address", "add", f"{self._gateway_here}/24", "dev", "outer")
        ip("-n", router, "address", "add", f"{self._gateway_there}/24", "dev", "inner")
        ip("-n", node, "address", "add", f"{self.node}/24", "dev", "eth0")
        ip("link", "set", link, "up")
        for name, device in ((router, "outer"), (router, "inner"), (node, "eth0")):
            ip("-n", name, "link", "set", device, "up")
        ip("route", "add", f"{self.node}/32", "via", self._gateway_here)
        ip("-n", node, "route", "add", "default", "via", self._gateway_there)
        ip("netns", "exec", router, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        ip("-n", router, "rule", "add", "from", "198.51.100.1", "blackhole")  # whether the kernel can drop packets

    def close(self) -> None:
        for name in (self._router, self._place):
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", self._link], check=False, stderr=subprocess.DEVNULL)

    @contextmanager
    def cut(self, address: str) -> Iterator[None]:
        """Drop all packets between the node and an address."""
        ip("-n", self._router, "rule", "add", "from", address, "blackhole")
        ip("-n", self._router, "rule", "add", "to", address, "blackhole")
        try:
            yield
        finally:
            ip("-n", self._router, "rule", "del", "from", address, "blackhole")
            ip("-n", self._router, "rule", "del", "to", address, "blackhole")


@contextmanager
def network() -> Iterator[Network]:
    """Yield a network. Skips the test if this user or this kernel cannot have one."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("namespaces of the network need root and the command ip")
    made = Network()
    try:
        try:
            made.open()
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no namespaces of the network: {error.stderr.strip()}")
        yield made
    finally:
        made.close()


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
