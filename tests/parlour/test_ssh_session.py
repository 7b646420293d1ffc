"""Which commands an SSH session runs. The limits of its process are tested in tests/e2e/test_ssh.py."""

from __future__ import annotations

from argparse import Namespace

import pytest

from parlour.cli.commands import play, rooms, watch
from parlour.cli.main import COMMANDS, parser_of
from parlour.cli.ssh_session import ALLOWED, run
from parlour.errors import UserError
from server.ssh.spec import SessionSpec


def spec(command: str, terminal: bool = True) -> SessionSpec:
    return SessionSpec(command, "ws://127.0.0.1:1/ws", "bob", "voucher", "cert.pem", 1, terminal, 1, 1)


@pytest.mark.parametrize(
    ("command", "module"),
    [("", play), ("play conga --vs 'search@5'", play), ("parlour rooms --json", rooms), ("watch abc --plain", watch)],
)
def test_command_runs_for_the_server_and_the_player_of_the_session(
    command: str, module: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Namespace] = []

    def note(args: Namespace) -> int:
        ran.append(args)
        return 0

    monkeypatch.setattr(module, "run", note)
    assert run(spec(command)) == 0
    [args] = ran
    shown = (args.url, args.name, args.tls_trust, args.voucher, args.token)
    assert shown == ("ws://127.0.0.1:1/ws", "bob", "cert.pem", "voucher", "")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("bash", "there is no command 'bash' over SSH"),
        ("serve", "there is no command 'serve' over SSH"),
        ("play conga; id", "unknown option or extra argument: id"),
        ("rooms --url ws://example.org", "--url is not available over SSH"),
        ("rooms --ur=x", "--url is not available over SSH"),
        ("rooms --name eve", "--name is not available over SSH"),
        ("play conga --token x", "--token is not available over SSH"),
        ("play conga --tls-trust /etc/passwd", "--tls-trust is not available over SSH"),
        ("play --private", "--private is not available over SSH"),
        ("play conga --hotseat", "--hotseat is not available over SSH"),
        ("play --puzzles /etc/passwd", "--puzzles takes one of conga"),
        ("watch --demo conga evil.py greedy", "--demo is not available over SSH"),
        ("watch 'a", "the quotes of the command do not match"),
    ],
)
def test_other_commands_and_options_are_refused(command: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (play, rooms, watch):
        monkeypatch.setattr(module, "run", lambda args: pytest.fail("it was run"))
    with pytest.raises(UserError) as refused:
        run(spec(command))
    assert str(refused.value).startswith(why)


@pytest.mark.parametrize("command", ["tv", "watch", "watch abc"])
def test_full_screen_needs_a_terminal(command: str) -> None:
    with pytest.raises(UserError, match="this command needs a terminal: write ssh -t HOST"):
        run(spec(command, terminal=False))


def test_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(spec("help")) == 0
    assert "ssh -t HOST play conga" in capsys.readouterr().out


def test_allowed_arguments_exist() -> None:
    for name, allowed in ALLOWED.items():
        assert name in COMMANDS
        assert allowed <= {action.dest for action in parser_of(name)._actions}
