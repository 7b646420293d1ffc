"""Measure how much load your server can take: random players play games, and watchers watch them.

parlour loadtest
parlour loadtest --matches 100 --watchers 200 --seconds 20
parlour loadtest --url wss://parlour.example.org/ws --i-own-this-server

Test only your own servers. A server limits messages per second, connections per address and new
rooms per minute. For a test at full speed (--think 0), start the server without these limits:

parlour serve --rate 1e9 --burst 1000000 --connections-per-address 100000 --rooms-per-minute 100000
"""

from __future__ import annotations

import asyncio
import time
from argparse import ArgumentParser, Namespace

from parlour.errors import UserError
from runtime.printable import print_line

MAX_MATCHES, MAX_WATCHERS, MAX_TEST_S = 1000, 5000, 600.0


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--url", default="ws://127.0.0.1:8765/ws", help="the server (default: %(default)s)")
    parser.add_argument("--matches", metavar="N", type=int, default=20, help="concurrent games (default: %(default)s)")
    parser.add_argument(
        "--watchers", metavar="N", type=int, default=0, help="watchers, spread over the games (default: %(default)s)"
    )
    parser.add_argument("--seconds", metavar="S", type=float, default=10.0, help="duration (default: %(default)s)")
    parser.add_argument(
        "--think",
        metavar="S",
        type=float,
        default=0.1,
        help="average seconds before each move; 0 for full speed (default: %(default)s)",
    )
    parser.add_argument(
        "--i-own-this-server", action="store_true", help="confirm that a server on another machine is yours"
    )


def run(args: Namespace) -> int:
    from client.sdk.errors import NoServer
    from client.sdk.transport import error_text
    from client.sdk.url import is_local, websocket_url

    for name, value, high in (
        ("matches", args.matches, MAX_MATCHES),
        ("watchers", args.watchers, MAX_WATCHERS),
        ("seconds", args.seconds, MAX_TEST_S),
    ):
        low = 0 if name == "watchers" else 1
        if not low <= value <= high:
            raise UserError(f"--{name} must be between {low} and {high:g}")
    if not 0 <= args.think <= 60:
        raise UserError("--think must be between 0 and 60 seconds")
    try:
        url = websocket_url(args.url)
    except NoServer as error:
        raise UserError(str(error)) from None
    if not is_local(url) and not args.i_own_this_server:
        raise UserError(f"{url} is not on this machine; if it is your server, add --i-own-this-server")
    try:
        return asyncio.run(measure(url, args))
    except TimeoutError:
        raise UserError(f"cannot test {url}: the server did not answer in time; try fewer --matches") from None
    except OSError as error:
        how = "start a server there with 'parlour serve', or check --url"
        raise UserError(f"cannot test {url}: {error_text(error)}; {how}") from None
    except RuntimeError as error:
        raise UserError(f"cannot test {url}: {error}") from None


async def measure(url: str, args: Namespace) -> int:
    """Run the test, print the results, and return 1 if there were errors."""
    from client.loadtest.matches import Tally, open_matches, percentile, play
    from client.loadtest.watchers import Watchers

    tally, watchers = Tally(), Watchers()
    matches = await open_matches(url, args.matches, tally, args.think)
    await watchers.open(url, matches, args.watchers)
    began, before = time.perf_counter(), watchers.deliveries
    rate, delays = await play(matches, tally, args.seconds)
    deliveries = (watchers.deliveries - before) / (time.perf_counter() - began)
    watchers.close()
    lost = sum(client.closed for match in matches for client in match.players)
    print_line(f"moves        {rate:.0f}/s, each durable and received by the opponent")
    p50, p90, p99 = (percentile(delays, percent) for percent in (50, 90, 99))
    print_line(f"latency      p50 {p50:.1f} ms, p90 {p90:.1f} ms, p99 {p99:.1f} ms")
    print_line(f"deliveries   {deliveries:.0f}/s to {args.watchers} watchers")
    print_line(f"errors       {len(tally.errors)}, connections lost {lost}")
    for text in sorted({describe(error) for error in tally.errors})[:5]:
        print_line(f"             {text}")
    return 1 if tally.errors or lost or not delays else 0


def describe(error: bytes) -> str:
    from protocol.codec import MSGPACK
    from protocol.replies import Error

    message = MSGPACK.decode_server_message(error)
    return f"{message.code}: {message.text}" if isinstance(message, Error) else "?"
