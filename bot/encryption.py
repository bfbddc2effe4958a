"""Secrets at rest: encrypted with the keys of PARLEY_ENCRYPTION_KEY, the newest first."""

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from bot.settings import BadSettings

NEW_KEY = "make one with `parley secret`"


class Cipher:
    """Encrypts with the first key, and reads what any of them has encrypted."""

    def __init__(self, keys: str) -> None:
        try:
            fernets = [Fernet(key.strip()) for key in keys.split(",")]
        except ValueError:
            raise BadSettings(f"PARLEY_ENCRYPTION_KEY is wrong: {NEW_KEY}.") from None
        self._newest, self._any = fernets[0], MultiFernet(fernets)

    def encrypt(self, text: str) -> str:
        return self._newest.encrypt(text.encode()).decode()

    def decrypt(self, text: str) -> str:
        """Raises Unreadable if none of the keys fits."""
        try:
            return self._any.decrypt(text).decode()
        except InvalidToken:
            raise Unreadable from None

    def renew(self, text: str) -> str:
        """The same, encrypted with the first key, if it was not."""
        try:
            self._newest.decrypt(text)
        except InvalidToken:
            return self.encrypt(self.decrypt(text))
        return text


class Unreadable(BadSettings):
    def __init__(self) -> None:
        super().__init__(
            "PARLEY_ENCRYPTION_KEY does not fit the tokens in the database: put the former key after it, with a comma."
        )


def new_key() -> str:
    return Fernet.generate_key().decode()
