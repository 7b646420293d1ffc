"""Limits per IP address: open connections, from the TCP handshake on, and a budget and a pace for what costs much."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from runtime.token_bucket import TokenBuckets
from server.config import Settings

EXTRA_CONNECTIONS = 8  # per address, over the limit: refused with HTTP 429; any more are dropped
IPV6_NETWORK_BITS = 64  # a client can use any address of such a network, so they count as one
RATE_IN_CONNECTIONS = 10  # an address may spend as much per second on weighty commands as this many connections,
BURST_IN_CONNECTIONS = 4  # and at once as much as this many
PACE = 1000.0  # messages per second, by weight, that are handled for an address: about 5 % of the event loop's time
PACE_IN_BUDGETS = 3.0  # but at least this many times what its budget earns
UNPACED_MESSAGES = 40.0  # by weight, that are handled at once: to reload a page takes no longer than without a pace
CONNECTION_WEIGHT = 4  # 130 µs to send a page, 190 µs to open a WebSocket
PROMPT_S = 0.05  # a request that comes later has a pace of its own
MAX_CONNECT_DELAY_S = 2.0  # connections that would have to wait longer for an answer are dropped, which takes 30 µs

CONNECTIONS, COMMANDS = "connections", "commands"  # what is shared with other workers
Share = Callable[[str, str, float], None]  # what, address, number


class Accepted(NamedTuple):
    """A connection that is not dropped."""

    answer_at: float  # when its request may be answered
    full: bool  # the address had too many connections for another WebSocket; some may have closed since


class IpLimits:
    """Number of open connections of each address, and its budget for commands that cost more than a move.

    The limits hold for all workers of a machine together. `share` tells the other workers what counts here: the number
    of connections of an address, or what it has spent.
    """

    def __init__(self, settings: Settings) -> None:
        self._max = settings.connections_per_address
        self.share: Share = lambda what, key, number: None
        self._counts: Counter[str] = Counter()
        self._by_worker: dict[str, dict[str, int]] = {}  # other worker: address: connections
        self._elsewhere: Counter[str] = Counter()  # address: connections to other workers
        rate = RATE_IN_CONNECTIONS * settings.rate
        self._budgets = TokenBuckets(rate, float(BURST_IN_CONNECTIONS * settings.burst))
        pace = max(PACE, PACE_IN_BUDGETS * rate, CONNECTION_WEIGHT * self._max)  # all connections within a second
        self._paces = TokenBuckets(pace, UNPACED_MESSAGES)
        self._late_requests = TokenBuckets(pace / CONNECTION_WEIGHT, UNPACED_MESSAGES / CONNECTION_WEIGHT)

    def accept(self, address: str, now: float) -> Accepted | None:
        """Count a connection, or return None if it should be dropped."""
        count = self._total(address) + 1
        if count > self._max + EXTRA_CONNECTIONS:
            return None
        delay_s = self._paces.of(address, now).delay_up_to(MAX_CONNECT_DELAY_S, CONNECTION_WEIGHT, now)
        if delay_s is None:
            return None
        self.add(address)
        return Accepted(now + delay_s, count > self._max)

    def delay_late_request(self, address: str, now: float) -> float:
        """Return the seconds to wait before a request is answered that comes long after its connection.

        An address can open connections first, and send all their requests at once: these wait for each other.
        """
        return self._late_requests.of(address, now).delay(1.0, now)

    def add(self, address: str) -> None:
        """Count a connection."""
        self._counts[address] += 1
        self.share(CONNECTIONS, address, self._counts[address])

    def is_exceeded(self, address: str) -> bool:
        """Return whether an address has too many connections to open another WebSocket."""
        return self._total(address) > self._max

    def _total(self, address: str) -> int:
        return self._counts[address] + self._elsewhere[address]

    def remove(self, address: str) -> None:
        """Forget a connection. An empty address was never counted."""
        if address:
            self._counts[address] -= 1
            self.share(CONNECTIONS, address, self._counts[address])
            if not self._counts[address]:
                del self._counts[address]

    def charge(self, address: str, weight: float, now: float) -> float:
        """Spend the budget of an address. Return 0.0, or the seconds to wait if it is used up."""
        seconds = self._budgets.of(address, now).owe(weight, now)
        if not seconds:
            self.share(COMMANDS, address, weight)
        return seconds

    def charge_command(self, address: str, weight: int, now: float) -> tuple[float, float]:
        """Spend the budget of an address for a command, of which its message has paid 1.

        Return the seconds to wait if the budget is used up, otherwise 0.0, and the seconds to wait before the work.
        """
        refused_s = self.charge(address, weight - 1, now)
        return (refused_s, 0.0) if refused_s else (0.0, self.pace(address, weight, now))

    def charge_done(self, address: str, weight: float, max_debt_s: float, now: float) -> None:
        """Spend the budget of an address for work that is done, and owe at most the tokens of `max_debt_s`."""
        self._budgets.of(address, now).spend_up_to(max_debt_s, weight, now)
        self.share(COMMANDS, address, weight)

    def pace(self, address: str, weight: float, now: float) -> float:
        """Return the seconds to wait before work of this weight, so that the work for an address leaves pauses.

        The budget says how much work there may be; what is allowed at once is spread out. Other workers are not told:
        each has an event loop of its own.
        """
        return self._paces.of(address, now).delay(weight, now)

    # -- other workers

    def counts(self) -> dict[str, float]:
        """Return the number of open connections of each address at this worker."""
        return dict(self._counts)

    def count_elsewhere(self, worker: str, counts: Mapping[str, float]) -> None:
        """Replace the number of connections that some addresses have at another worker."""
        known = self._by_worker.setdefault(worker, {})
        for address, count in counts.items():
            self._elsewhere[address] += int(count) - known.pop(address, 0)
            if count:
                known[address] = int(count)
            if not self._elsewhere[address]:
                del self._elsewhere[address]

    def forget_worker(self, worker: str) -> None:
        """Forget the connections of a worker that has ended."""
        self.count_elsewhere(worker, dict.fromkeys(self._by_worker.get(worker, ()), 0))
        self._by_worker.pop(worker, None)

    def spend_elsewhere(self, weights: Mapping[str, float], now: float) -> None:
        """Take what addresses have spent at another worker from their budgets."""
        for address, weight in weights.items():
            self._budgets.of(address, now).spend(weight, now)


def client_address(socket_address: str, forwarded: Sequence[str]) -> str:
    """Return the last address in the X-Forwarded-For headers, which the proxy has set, or else that of the socket."""
    return (forwarded[-1].rpartition(",")[2].strip() if forwarded else "") or socket_address


def counted_address(text: str) -> str:
    """Return what an address counts as: an IPv6 address as its network, any other text as it is."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, IPV6_NETWORK_BITS), strict=False))
