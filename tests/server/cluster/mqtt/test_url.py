"""The address of the broker and the topic prefix."""

from __future__ import annotations

import pytest

from server.cluster.bus import BusError
from server.cluster.mqtt.url import Topics, broker_address
from server.config import Settings


def test_url_has_the_address_of_the_broker_and_a_prefix() -> None:
    at = broker_address(Settings(bus="mqtt://ann:p%40ss@broker"))
    assert (at.host, at.port, at.user, at.password, at.tls) == ("broker", 1883, "ann", "p@ss", None)
    at = broker_address(Settings(bus="mqtts://broker:99", bus_user="ben", bus_password="x"))
    assert (at.port, at.user, at.password, at.tls is None) == (99, "ben", "x", False)
    for bus, ca, why in [
        ("broker:1883", "", "an address like"),
        ("http://broker", "", "an address like"),
        ("mqtt://broker:port", "", "not a valid address"),
        ("mqtts://broker", "/nowhere.pem", "cannot be used"),
    ]:
        with pytest.raises(BusError, match=why):
            broker_address(Settings(bus=bus, bus_ca=ca))
    with pytest.raises(BusError, match="beginning of a topic"):
        Topics("all/#")
