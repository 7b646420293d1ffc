"""Settings come from flags or the environment; invalid ones are reported in one sentence."""

from __future__ import annotations

import socket
from dataclasses import fields
from pathlib import Path

import pytest

from parlour.cli.main import main
from server.config import BadSetting, Settings, read_settings, ssh_address

OPERATING = (Path(__file__).parents[2] / "docs" / "operating.md").read_text("utf-8")


def test_flag_overrides_variable_and_variable_overrides_default() -> None:
    environment = {"PARLOUR_PORT": "9000", "PARLOUR_HOST": "0.0.0.0", "PARLOUR_DEFLATE": "yes"}
    settings = read_settings({"port": "9001"}, environment)
    assert (settings.port, settings.host, settings.deflate, settings.auth) == (9001, "0.0.0.0", True, "guests")


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("port", "many", "--port must be a whole number"),
        ("port", "70000", "--port must be between 0 and 65535"),
        ("port", "-1", "--port must be between 0 and 65535"),
        ("rate", "nan", "--rate must be between 0.1 and"),
        ("rate", "inf", "--rate must be between 0.1 and"),
        ("burst", "1.5", "--burst must be a whole number"),
        ("db_pool", "1", "--db-pool must be between 2 and"),
        ("auth", "everyone", "--auth must be one of guests, tokens"),
        ("deflate", "perhaps", "--deflate must be yes or no"),
        ("ssh", "yes", "--ssh must be a port such as 2222, or HOST:PORT, not 'yes'"),
        ("ssh", "localhost:99999", "--ssh must be a port such as 2222"),
        ("tls_cert", "/nowhere.pem", "belong together: give both"),
    ],
)
def test_invalid_value_is_rejected(name: str, text: str, why: str) -> None:
    with pytest.raises(BadSetting, match=why):
        read_settings({name: text}, {})


def test_ssh_has_the_host_of_the_server_or_its_own() -> None:
    assert ssh_address(Settings(ssh="2222", host="192.0.2.1")) == ("192.0.2.1", 2222)
    assert ssh_address(Settings(ssh="[::]:22")) == ("::", 22)


def test_startup_errors_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_RATE", "fast")
    assert main(["serve", "--db", str(tmp_path / "x.db")]) == 2
    assert capsys.readouterr().err == "parlour: PARLOUR_RATE must be a number, not 'fast'\n"
    monkeypatch.delenv("PARLOUR_RATE")
    assert main(["serve", "--db", str(tmp_path / "no" / "x.db")]) == 2
    assert "cannot use the database" in capsys.readouterr().err
    assert main(["serve", "--port", "0", "--host", "999.1.1.1", "--db", str(tmp_path / "x.db")]) == 2
    assert "cannot listen on 999.1.1.1:0: this machine has no such address: use --host" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port), "--db", str(tmp_path / "x.db")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"parlour: port {port} of 127.0.0.1 is in use")
    assert error.endswith("choose another port with --port\n")


def test_defaults_in_the_documentation_are_current() -> None:
    settings = Settings()
    for name in ("rate", "burst", "connections_per_address", "rooms_per_player", "name_length", "hello_timeout"):
        assert f"{getattr(settings, name):g}" in OPERATING
        assert f"--{name.replace('_', '-')}" in OPERATING


def test_every_setting_has_a_help_text() -> None:
    assert all(entry.metadata["help"] for entry in fields(Settings))
