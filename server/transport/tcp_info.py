"""The round trip that the kernel measures on a TCP connection."""

from __future__ import annotations

import asyncio
import socket
import sys

RTT_OFFSET_BYTES = 68  # of tcpi_rtt in the tcp_info struct of Linux, which only grows at its end
RTT_END_BYTES = RTT_OFFSET_BYTES + 4


def kernel_rtt_s(transport: asyncio.BaseTransport) -> float | None:
    """Return the kernel's smoothed round trip in seconds, or None if the platform does not tell.

    The kernel of the client acknowledges data by itself, so a program cannot stretch this time.
    """
    sock = transport.get_extra_info("socket")
    if sys.platform != "linux" or sock is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, RTT_END_BYTES)
    except OSError:  # not a TCP socket, or closed
        return None
    if len(info) < RTT_END_BYTES:
        return None
    return int.from_bytes(info[RTT_OFFSET_BYTES:RTT_END_BYTES], sys.byteorder) / 1e6
