from __future__ import annotations

import pytest

from client.sdk.errors import Closed, ConnectionLost, NoServer, Refused, ReplyTimeout, SessionError
from protocol.replies import Error


def test_refused_carries_the_fields_of_the_reply() -> None:
    refused = Refused(Error(id=1, code="rate_limited", text="too many messages", retry_after=2.5))
    assert (str(refused), refused.code, refused.retry_after) == ("too many messages", "rate_limited", 2.5)
    assert refused.snapshot is None


@pytest.mark.parametrize("kind", [Closed, ConnectionLost, NoServer, Refused, ReplyTimeout])
def test_every_error_is_a_session_error(kind: type[Exception]) -> None:
    assert issubclass(kind, SessionError)
