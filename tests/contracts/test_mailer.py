"""One suite for every mailer: what is handed over arrives, whole and as written; what fails says which way."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest
import pytest_asyncio

from common.values.clock import FixedClock
from control.adapters.eml_mailer import EmlMailer
from control.adapters.smtp_mailer import SmtpMailer, StartTls, parse_smtp_url
from control.ports.mail import Mail, Mailer, MailRefused, MailUnavailable, MailUrlInvalid, NoMailer
from deploy.standalone.sockets import find_free_ports
from tests.support.builders import NOW_MS
from tests.support.mail_server import MailServer, mail_server

SENDER = "Placard <placard@placard.example>"
ID = "<01940b3e-0000-7000-8000-0000000000a1@placard.example>"
MAIL = Mail(
    to="ana@acme.example",
    subject="Grüße: choose",
    text="Zeile eins\n\n.punkt\nhttps://x.example/?token=a=b\n",
)
CLOCK = FixedClock(NOW_MS)


@dataclass(frozen=True, slots=True)
class Post:
    """A mailer, and what reached its other end."""

    mailer: Mailer
    arrived: Callable[[], list[EmailMessage]]


@pytest_asyncio.fixture
async def server() -> AsyncIterator[MailServer]:
    async with mail_server() as running:
        yield running


def _smtp(url: str, *, timeout_s: float = 20) -> SmtpMailer:
    return SmtpMailer(parse_smtp_url(url), sender=SENDER, clock=CLOCK, timeout_s=timeout_s)


def _read(folder: Path) -> list[EmailMessage]:
    return [
        message_from_bytes(path.read_bytes(), policy=SMTP) for path in sorted(folder.glob("*.eml"))
    ]


def _folders_with_mails(top: Path) -> list[Path]:
    return [path.parent for path in top.rglob("*.eml")]


@pytest.fixture(params=["smtp", "folder"])
def post(request: pytest.FixtureRequest, server: MailServer, tmp_path: Path) -> Post:
    if request.param == "smtp":
        return Post(_smtp(server.url), lambda: server.taken)
    folder = tmp_path / "mail"
    return Post(EmlMailer(folder, sender=SENDER, clock=CLOCK), lambda: _read(folder))


async def test_a_check_sends_nothing(post: Post) -> None:
    await post.mailer.check()
    assert post.arrived() == []


async def test_a_check_of_a_server_that_is_away_is_unavailable() -> None:
    (port,) = find_free_ports(1)
    with pytest.raises(MailUnavailable):
        await _smtp(f"smtp://127.0.0.1:{port}").check()


async def test_a_mail_arrives_as_it_was_written(post: Post) -> None:
    await post.mailer.send(MAIL, message_id=ID)
    await post.mailer.close()

    (message,) = post.arrived()
    assert message["To"] == MAIL.to
    assert message["From"] == SENDER
    assert message["Subject"] == MAIL.subject
    assert message["Message-ID"] == ID
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"].datetime == CLOCK.now().replace(microsecond=0)
    assert message.get_content().replace("\r\n", "\n") == MAIL.text


async def test_a_mail_contains_nothing_to_fetch_or_run(post: Post) -> None:
    await post.mailer.send(MAIL, message_id=ID)

    (message,) = post.arrived()
    assert message.get_content_type() == "text/plain"
    assert not message.is_multipart()


async def test_a_mail_with_html_arrives_as_text_and_html(post: Post) -> None:
    await post.mailer.send(replace(MAIL, html="<p>Olá</p>"), message_id=ID)

    (message,) = post.arrived()
    kinds = [part.get_content_type() for part in message.iter_parts()]
    html = message.get_body(("html",))
    assert kinds == ["text/plain", "text/html"]
    assert html is not None
    assert html.get_content().strip() == "<p>Olá</p>"


@pytest.mark.parametrize(
    "forged",
    [
        Mail(to="ana@acme.example\r\nBcc: all@acme.example", subject="Hello", text="x"),
        Mail(to="ana@acme.example", subject="Hello\r\nBcc: all@acme.example", text="x"),
        Mail(to="ana@acme.example", subject="Hello\n\nbody", text="x"),
    ],
)
async def test_no_header_can_be_forged(post: Post, forged: Mail) -> None:
    with pytest.raises(MailRefused):
        await post.mailer.send(forged, message_id=ID)

    assert post.arrived() == []


async def test_a_mail_sent_again_has_the_same_identity(post: Post) -> None:
    await post.mailer.send(MAIL, message_id=ID)
    await post.mailer.send(MAIL, message_id=ID)

    assert {message["Message-ID"] for message in post.arrived()} == {ID}


async def test_a_folder_holds_one_file_a_mail_readable_by_its_owner_only(tmp_path: Path) -> None:
    folder = EmlMailer(tmp_path / "mail", sender=SENDER, clock=CLOCK)
    await folder.send(MAIL, message_id=ID)
    await folder.send(MAIL, message_id=ID)

    (path,) = (tmp_path / "mail").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_a_message_id_leads_to_no_other_folder(tmp_path: Path) -> None:
    folder = EmlMailer(tmp_path / "mail", sender=SENDER, clock=CLOCK)
    await folder.send(MAIL, message_id="<../../etc/passwd@x>")

    assert _folders_with_mails(tmp_path) == [tmp_path / "mail"]


async def test_a_folder_that_cannot_be_written_is_retried_later(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("no folder")

    with pytest.raises(MailUnavailable, match="PLACARD_MAIL_URL"):
        await EmlMailer(tmp_path / "mail", sender=SENDER, clock=CLOCK).send(MAIL, message_id=ID)


async def test_an_unavailable_server_is_retried_later() -> None:
    with pytest.raises(MailUnavailable, match="PLACARD_MAIL_URL"):
        await _smtp(f"smtp://127.0.0.1:{find_free_ports(1)[0]}").send(MAIL, message_id=ID)


async def test_a_server_that_hangs_is_retried_later(server: MailServer) -> None:
    server.hangs = True

    with pytest.raises(MailUnavailable):
        await _smtp(server.url, timeout_s=0.2).send(MAIL, message_id=ID)


@pytest.mark.parametrize("place", ["on_recipient", "on_data"])
async def test_an_answer_of_4xx_is_retried_later(server: MailServer, place: str) -> None:
    setattr(server, place, "451 try again later")

    with pytest.raises(MailUnavailable, match="451"):
        await _smtp(server.url).send(MAIL, message_id=ID)


@pytest.mark.parametrize("place", ["on_recipient", "on_data"])
async def test_an_answer_of_5xx_is_final(server: MailServer, place: str) -> None:
    setattr(server, place, "550 no such mailbox")

    with pytest.raises(MailRefused, match="550"):
        await _smtp(server.url).send(MAIL, message_id=ID)


async def test_a_password_is_never_sent_in_clear(server: MailServer) -> None:
    """The server offers no TLS: the mail waits for somebody to mend that."""
    with pytest.raises(MailUnavailable):
        await _smtp(f"smtp://user:hunter2secret@127.0.0.1:{server.port}").send(MAIL, message_id=ID)

    assert server.taken == []


async def test_where_no_mailer_is_wired_mails_wait() -> None:
    with pytest.raises(MailUnavailable):
        await NoMailer().send(MAIL, message_id=ID)
    await NoMailer().close()


@pytest.mark.parametrize(
    ("url", "port", "starttls", "is_tls"),
    [
        ("smtp://mail.example", 587, StartTls.OPTIONAL, False),
        ("smtp://u:p@mail.example:2525", 2525, StartTls.REQUIRED, False),
        ("smtp://u:p@mail.example?starttls=never", 587, StartTls.NEVER, False),
        ("smtps://u:p@mail.example", 465, StartTls.REQUIRED, True),
    ],
)
def test_a_url_gives_host_port_and_encryption(
    url: str,
    port: int,
    starttls: StartTls,
    is_tls: bool,  # noqa: FBT001 - a column of the table
) -> None:
    server = parse_smtp_url(url)

    assert (server.host, server.port, server.starttls, server.is_tls) == (
        "mail.example",
        port,
        starttls,
        is_tls,
    )


def test_user_and_password_are_percent_decoded_and_not_shown() -> None:
    server = parse_smtp_url("smtps://ana%40acme:p%3Ass@mail.example")

    assert (server.user, server.password) == ("ana@acme", "p:ss")
    assert "p:ss" not in repr(server)


@pytest.mark.parametrize(
    "url",
    [
        "http://mail.example",
        "smtp://",
        "smtp://u:hunter2@mail.example?tls=yes",
        "smtp://mail.example?starttls=maybe",
        "smtp://mail.example:notaport",
        "smtp://mail.example/path",
    ],
)
def test_an_invalid_url_is_refused_without_printing_its_password(url: str) -> None:
    with pytest.raises(MailUrlInvalid) as refused:
        parse_smtp_url(url)

    assert "PLACARD_MAIL_URL" in str(refused.value)
    assert "hunter2" not in str(refused.value)
