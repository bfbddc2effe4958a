"""Secrets at rest: readable with any of the keys, written with the first, and a key is made by a command."""

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.encryption import Cipher, Unreadable, new_key
from bot.settings import BadSettings

TOKEN = "xoxb-very-secret"


def test_what_was_encrypted_can_be_read_and_does_not_show_it() -> None:
    cipher = Cipher(new_key())

    assert TOKEN not in cipher.encrypt(TOKEN)
    assert cipher.decrypt(cipher.encrypt(TOKEN)) == TOKEN
    assert cipher.encrypt(TOKEN) != cipher.encrypt(TOKEN)


def test_an_older_key_still_reads_until_it_is_renewed() -> None:
    old, new = new_key(), new_key()
    written = Cipher(old).encrypt(TOKEN)

    both = Cipher(f"{new}, {old}")

    assert both.decrypt(written) == TOKEN
    assert Cipher(new).decrypt(both.renew(written)) == TOKEN
    assert both.renew(both.renew(written)) != written
    assert Cipher(old).renew(written) == written


def test_another_key_reads_nothing() -> None:
    with pytest.raises(Unreadable):
        Cipher(new_key()).decrypt(Cipher(new_key()).encrypt(TOKEN))


@pytest.mark.parametrize(
    "keys", ["", "abc", ",", "ключ", "A" * 44, pytest.param(f"{new_key()},abc", id="a good one and a bad one")]
)
def test_what_is_no_key_is_named_without_showing_it(keys: str) -> None:
    with pytest.raises(BadSettings) as bad:
        Cipher(keys)

    assert str(bad.value) == "PARLEY_ENCRYPTION_KEY is wrong: make one with `parley secret`."


def test_the_command_makes_a_key_that_can_be_used() -> None:
    printed = CliRunner().invoke(app, ["secret"])

    assert Cipher(printed.stdout).decrypt(Cipher(printed.stdout).encrypt(TOKEN)) == TOKEN
