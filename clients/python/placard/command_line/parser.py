"""The words of the command line."""

import argparse

from placard.version import VERSION

_EVENTS = ("impression", "click", "conversion")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="placard", description="The Placard ad server from a shell, by its public API."
    )
    made.add_argument("--version", action="version", version=f"placard {VERSION}")
    made.add_argument("--profile", default="default", help="of the settings that login stores")
    made.add_argument("--json", action="store_true", help="JSON instead of tables")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _login(commands.add_parser("login", help="store addresses and keys, after checking them"))
    _serve(commands.add_parser("serve", help="request an ad for a slot"))
    _track(commands.add_parser("track", help="report an event of a served ad"))
    _events(commands.add_parser("events", help="list events, or follow them as they come"))
    _campaigns(commands.add_parser("campaigns", help="list, create, activate and pause campaigns"))
    _report(commands.add_parser("report", help="figures of delivery"))
    explain = commands.add_parser("explain", help="why a decision went as it did")
    explain.add_argument("decision", help="decision_id of a serve response, or X-Decision-Id")
    test = commands.add_parser("test", help="what only a test key can do")
    _trigger(test.add_subparsers(dest="action", required=True).add_parser("trigger"))
    return made


def _login(made: argparse.ArgumentParser) -> None:
    made.add_argument("--base-url", help="of the management API, https://…")
    made.add_argument("--edge-url", help="of the edge whose environment the keys have")
    made.epilog = (
        "Without flags and variables, everything is asked for, and an empty answer keeps what is stored. "
        "Keys are asked for, or read from PLACARD_MANAGEMENT_KEY and PLACARD_EDGE_KEY, so that they "
        "stand neither in the shell's history nor in the list of processes."
    )


def _visitor(made: argparse.ArgumentParser) -> None:
    made.add_argument("--ip", help="the visitor's address")
    made.add_argument("--ua", help="the visitor's user agent")


def _serve(made: argparse.ArgumentParser) -> None:
    made.add_argument("slot", help="key or id")
    _visitor(made)
    made.add_argument("--uid", help="your own opaque id of the visitor")
    made.add_argument("--lang", help="as in Accept-Language")
    made.add_argument("--format", help="only an ad of this format")
    made.add_argument("--keyword", action="append", default=[], help="of the page; repeat for more")
    made.add_argument(
        "--kv", action="append", default=[], metavar="NAME=VALUE", help="key-value; repeat for more"
    )
    for name in ("gdpr", "coppa", "npa"):
        made.add_argument(f"--{name}", choices=("0", "1"))
    made.add_argument("--lgpd", help="0, 1 or a TC string")
    for name in ("gdpr-consent", "gpp", "gpp-sid", "us-privacy"):
        made.add_argument(f"--{name}")
    made.add_argument("--debug", action="store_true", help="with all candidates and their reasons")
    made.add_argument("--scenario", help="simulate this outcome; test keys only")


def _track(made: argparse.ArgumentParser) -> None:
    made.add_argument("token", help="the ad's track_token")
    made.add_argument("event", nargs="?", default="impression")
    _visitor(made)
    made.add_argument("--value-cents", type=int)
    made.add_argument("--currency", help="ISO 4217")
    made.add_argument("--order-id")


def _events(made: argparse.ArgumentParser) -> None:
    made.add_argument("--follow", action="store_true", help="go on with new events, without end")
    made.add_argument("--kind", choices=_EVENTS)
    made.add_argument("--valid", choices=("true", "false"))
    made.add_argument(
        "--limit", type=int, default=20, help="without --follow: how many, at most 100"
    )
    made.add_argument("--cursor-file", help="with --follow: where the position is kept")


def _campaigns(made: argparse.ArgumentParser) -> None:
    actions = made.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list")
    listed.add_argument("--status")
    listed.add_argument("--limit", type=int, default=20, help="how many at most")
    created = actions.add_parser("create")
    created.add_argument(
        "-f", "--file", required=True, help="JSON of the campaign; - for standard input"
    )
    created.add_argument("--idempotency-key", help="a second call with it creates nothing")
    for verb in ("get", "activate", "pause", "resume", "archive"):
        actions.add_parser(verb).add_argument("id")


def _report(made: argparse.ArgumentParser) -> None:
    made.add_argument("--from", dest="since", required=True, help="ISO date or time")
    made.add_argument("--to", dest="until", help="ISO date or time; not included")
    made.add_argument("--granularity", choices=("hour", "day", "week", "month", "total"))
    made.add_argument("--group-by", default="", help="comma-separated: campaign,ad,slot,country…")
    made.add_argument("--metrics", default="impressions,clicks,conversions,spend_cents")


def _trigger(made: argparse.ArgumentParser) -> None:
    made.description = "Serves an ad with a test key, and makes the event happen."
    made.add_argument("event", choices=_EVENTS)
    made.add_argument("--slot", default="demo-always-fill")
    _visitor(made)
