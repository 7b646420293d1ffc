"""Vouchers are accepted only as they were signed, and only until they expire."""

from __future__ import annotations

import pytest

from server.vouchers import Voucher, read_voucher, sign_voucher

KEY = b"k" * 32
VOUCHER = Voucher("192.0.2.7", "Zoë", 3, 1000)


def test_signed_voucher_is_read_until_it_expires() -> None:
    signed = sign_voucher(VOUCHER, KEY)
    assert signed.isascii(), "it is a value of an HTTP header"
    assert read_voucher(signed, KEY, 999) == VOUCHER
    assert read_voucher(signed, KEY, 1000) is None


@pytest.mark.parametrize("text", ["", ".", "x", "x.y", "\udcff.\udcff", "é.é", "x" * 100_000])
def test_other_texts_are_refused(text: str) -> None:
    assert read_voucher(text, KEY, 0) is None


def test_changed_voucher_is_refused() -> None:
    signed = sign_voucher(VOUCHER, KEY)
    payload, _, signature = signed.partition(".")
    other = sign_voucher(VOUCHER._replace(address="192.0.2.8"), KEY).partition(".")[0]
    for text in (f"{other}.{signature}", f"{payload}.{signature[:-1]}", signed + "x", sign_voucher(VOUCHER, b"other")):
        assert read_voucher(text, KEY, 0) is None
