"""Checks of the mail server, and of where assets and exports are stored."""

import asyncio

from common.service.asset_folder import find_local_folder
from common.service.secrets import KeyFileInvalid
from common.values.clock import SystemClock
from control.foundation.settings import ControlSettings
from control.foundation.store_folder import find_folder
from control.operations.doctor.finding import Finding, error, note, ok
from control.operations.doctor.machine import check_folder
from control.ports.assets import StoreInvalid, StoreUnavailable
from control.ports.exports import ExportsUnavailable
from control.ports.mail import MailUnavailable, MailUrlInvalid
from control.wiring import open_assets, open_exports, open_mailer

_CALL_S = 5.0
_NAME = "doctor"
"""An object that does not exist: a store that reports that is reachable, and accepts our key."""


async def check_mail(settings: ControlSettings) -> list[Finding]:
    if not settings.mail_url.startswith("smtp"):
        text = "Mails are written to files and not sent."
        remedy = "Set PLACARD_MAIL_URL to an SMTP server in production."
        return [note("mail.server", text, remedy)]
    found = [_check_sender(settings.mail_from)]
    try:
        async with asyncio.timeout(_CALL_S):
            await open_mailer(settings, SystemClock()).check()
    except (MailUnavailable, MailUrlInvalid, TimeoutError) as failure:
        text = f"The mail server cannot be used: {failure or 'it does not respond'}."
        return [*found, error("mail.server", text, "Correct PLACARD_MAIL_URL.")]
    return [*found, ok("mail.server", "The mail server accepts our sign-in.")]


def _check_sender(sender: str) -> Finding:
    if "@localhost" in sender:
        text = f"Mails are sent from {sender}, which mail servers refuse."
        return error("mail.sender", text, "Set PLACARD_MAIL_FROM to an address of your domain.")
    return ok("mail.sender", f"Mails are sent from {sender}.")


async def check_stores(settings: ControlSettings) -> list[Finding]:
    return [await _check_assets(settings), await _check_exports(settings)]


async def _check_assets(settings: ControlSettings) -> Finding:
    check, variable = "stores.assets", "PLACARD_ASSETS_STORE"
    try:
        folder = find_local_folder(settings.assets_store, settings.state)
        if folder is not None:
            return check_folder(check, folder)
        await open_assets(settings, settings.key_ring(), SystemClock()).size(_NAME)
    except (KeyFileInvalid, StoreInvalid, StoreUnavailable) as failure:
        return error(check, f"{variable}: {failure}", f"Correct {variable} or the bucket's rights.")
    return ok(check, "The bucket of assets responds.")


async def _check_exports(settings: ControlSettings) -> Finding:
    check, variable = "stores.exports", "PLACARD_EXPORTS_STORE"
    try:
        folder = find_folder(settings.exports_store, settings.state)
        if folder is not None:
            return check_folder(check, folder)
        await open_exports(settings, settings.key_ring(), SystemClock()).remove(_NAME)
    except (KeyFileInvalid, StoreInvalid, ExportsUnavailable) as failure:
        return error(check, f"{variable}: {failure}", f"Correct {variable} or the bucket's rights.")
    return ok(check, "The bucket of exports responds.")
