"""Errors that validators of request models raise. Their message reaches pages with its parts, through pydantic."""

from typing import Final

from pydantic_core import PydanticCustomError

from common.values.messages import Message

MESSAGE: Final = "message"
"""Name of the message in the context of a pydantic error (``ctx``)."""


def field_error(code: str, message: Message) -> PydanticCustomError:
    """*code*: that of the detail in the response, ``currency_unknown``. Raise the result in a validator."""
    return PydanticCustomError(code, f"{{{MESSAGE}}}", {MESSAGE: message})
