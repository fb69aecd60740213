"""
A mail before it is written: its sentences as messages, which are written in the language of the user who gets it.

All mails have one layout, as HTML and as plain text. A mail loads nothing and counts nothing: no picture, no script, no
address but its own link.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from common.values.messages import Message
from control.foundation.languages import Language
from control.foundation.message_translation import Translate, translate_in
from control.ports.mail import Mail

_LAYOUT = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
).get_template("letter.html")
SENDER = "Placard"


class Recipient(NamedTuple):
    """``language``: a `Language`, as a row holds it; None: not chosen, English."""

    email: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """Text without markup. Names that users chose are parameters, quoted by `control.identity.users.names`."""

    subject: Message
    """Without parameters: nobody can write to others in a subject."""
    body: tuple[Message, ...]
    link: tuple[Message, str] | None = None
    """The label of its button, and its address."""
    items: tuple[Message, ...] = ()
    """Lines of data below the body, without words."""
    after: tuple[Message, ...] = ()
    """Below the link."""


def write_letter(letter: Letter, to: Recipient) -> Mail:
    language = Language(to.language or Language.EN)
    translate = translate_in(language.folder)
    subject = translate(letter.subject)
    html = _LAYOUT.render(
        letter=letter, translated=translate, subject=subject, language=language.value, sender=SENDER
    )
    text = "\n\n".join(_paragraphs(letter, translate))
    return Mail(to=to.email, subject=subject, text=f"{text}\n", html=html)


def _paragraphs(letter: Letter, translate: Translate) -> Iterator[str]:
    """Of the plain text. The subject stands in its header only."""
    yield from (translate(one) for one in letter.body)
    if letter.items:
        yield "\n".join(f"- {translate(one)}" for one in letter.items)
    if letter.link is not None:
        button, url = letter.link
        yield f"{translate(button)}:\n{url}"
    yield from (translate(one) for one in letter.after)
