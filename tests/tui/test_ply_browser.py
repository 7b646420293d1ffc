"""Browsing the plies of a game."""

from __future__ import annotations

from client.tui.models.ply_browser import PlyBrowser


def test_new_moves_do_not_interrupt_browsing() -> None:
    browser = PlyBrowser()
    assert browser.ply(5) == 5
    browser.step(-2, 5)
    assert (browser.ply(5), browser.ply(9)) == (3, 3)
    browser.return_to_live()
    assert browser.ply(9) == 9
    browser.go(-4, 9)
    assert browser.ply(9) == 0
    browser.go(8, 9)
    assert browser.ply(4) == 4  # moves were taken back


def test_latest_ply_is_live_while_the_game_is_running() -> None:
    lives = []
    browser = PlyBrowser()
    for ply, ended in ((3, False), (9, False), (99, False), (9, True)):
        browser.go(ply, 9, ended)
        lives.append(browser.live)
    assert lives == [False, True, True, False]
