"""Checks of this machine: names of settings, key file, folders and their space, open files, public addresses."""

import os
import resource
import shutil
import stat
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from common.http.fd_limit import NEEDED_FILES
from common.service.secrets import KeyFileInvalid
from common.service.settings import find_unknown_settings
from control.foundation.settings import ControlSettings
from control.operations.doctor.finding import Finding, error, ok, warning

_GIB = 1 << 30
_LOW_SHARE = 0.1


def check_machine(settings: ControlSettings) -> list[Finding]:
    return [
        *check_names(),
        check_key_file(settings),
        check_open_files(),
        check_folder("machine.state", settings.state),
        *check_addresses(settings),
    ]


def check_names() -> list[Finding]:
    """One warning for each variable, and each file of secrets, that begins with `PLACARD_` and is no setting."""
    check = "settings.unknown"
    unknown = find_unknown_settings()
    if not unknown:
        return [ok(check, "Every variable that begins with PLACARD_ is known.")]
    return [
        warning(check, f"{one.name} is no setting, and is ignored.", one.advice) for one in unknown
    ]


def check_key_file(settings: ControlSettings) -> Finding:
    check = "machine.key_file"
    path = settings.key_file
    try:
        settings.key_ring()
        mode = path.stat().st_mode
    except (KeyFileInvalid, OSError) as failure:
        remedy = "Restore it from the backup, or make one: `python -m control keys --help`."
        return error(check, f"{failure}", remedy)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        text = f"{path} has mode {stat.S_IMODE(mode):o}: other users of this machine can read it."
        return warning(check, text, f"chmod 600 {path}")
    return ok(check, f"{path} can be read, by its owner alone.")


def check_open_files() -> Finding:
    """A process raises its own limit to the system's maximum, so only that counts."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most == resource.RLIM_INFINITY:
        return ok("machine.open_files", "A process may open any number of files.")
    text = f"A process may open {most} files."
    if most < NEEDED_FILES:
        remedy = (
            f"Raise the limit to {NEEDED_FILES} or more (`LimitNOFILE=` of systemd, `ulimit -Hn`)."
        )
        return warning("machine.open_files", text, remedy)
    return ok("machine.open_files", text)


def check_folder(check: str, folder: Path) -> Finding:
    """A folder that does not exist yet is made at the first start, in the nearest one that exists."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
    if not os.access(nearest, os.W_OK | os.X_OK):
        return error(check, f"{nearest} cannot be written.", "Give this user write permission.")
    space = shutil.disk_usage(nearest)
    text = f"{nearest} has {space.free / _GIB:.1f} GiB free."
    if space.free < _GIB:
        return error(check, text, "Free space: below 1 GiB uploads and exports fail.")
    if space.free < _LOW_SHARE * space.total and space.free < 10 * _GIB:
        return warning(check, text, "Free space, or move PLACARD_STATE to a larger disk.")
    return ok(check, text)


def check_addresses(settings: ControlSettings) -> Iterator[Finding]:
    """Public addresses are in every answer and mail, so a wrong one breaks clients elsewhere."""
    names = ("control_url", "edge_live_url", "edge_test_url", "assets_url")
    for name in names:
        url = urlsplit(getattr(settings, name))
        check, variable = f"address.{name}", f"PLACARD_{name.upper()}"
        if url.scheme == "https" or _is_loopback(url.hostname or ""):
            yield ok(check, f"{variable} is {url.geturl()}.")
        else:
            text = f"{variable} is {url.geturl()}: browsers refuse ads and cookies without https."
            yield error(check, text, "Put a proxy that terminates TLS in front, and name its URL.")
    control, assets = urlsplit(settings.control_url), urlsplit(settings.assets_url)
    if control.netloc == assets.netloc:
        text = "Assets are served from the dashboard's host, where an uploaded file could read its cookies."
        remedy = "Give PLACARD_ASSETS_URL a host of its own."
        yield error("address.assets_host", text, remedy)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
