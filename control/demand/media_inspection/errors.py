"""Why a file is rejected as an asset, in words for its sender."""

from common.values.messages import Message


class FileRefused(Exception):
    """The message says what is wrong and what to send instead."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message
