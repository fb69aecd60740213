"""The screen that a start prints at its end."""

from pathlib import Path

from deploy.standalone.demo import Demo

_SCREEN = """
  Placard runs.  Ctrl-C stops it; the data stays in {state}

  Dashboard    {demo.dashboard_url}
  Demo page    {demo.demo_page_url}
  Live edge    {demo.edge_live_url}
  Test edge    {demo.edge_test_url}

  Sign in      {email}
  Password     {password}

{keys}

  Serve an ad:

curl -i -H 'X-Service-Key: {key}' '{demo.edge_test_url}/v1/serve?slot=banner'

  Serve one and track its impression (204):

curl -s -H 'X-Service-Key: {key}' '{demo.edge_test_url}/v1/serve?slot=banner' \\
 | python3 -c 'import json, sys; print(json.dumps({{"token": json.load(sys.stdin)["track_token"], "event": "impression"}}))' \\
 | curl -i -H 'X-Service-Key: {key}' -H 'Content-Type: application/json' -d @- '{demo.edge_test_url}/v1/track'

  See it arrive:

curl -s -H 'Authorization: Bearer {demo_ak}' '{demo.control_url}/v1/integration/events?limit=3'

  All of this is in {state}/demo.json; the servers' own logs are in {state}/*/*.log
  Emails are files in {state}/mail, unless PLACARD_MAIL_URL names a server
"""  # noqa: E501 - a line to paste must be one line


def render_screen(demo: Demo, state: Path) -> str:
    keys = "\n".join(f"  {name:<12} {key['key']}" for name, key in demo.keys.items())
    return _SCREEN.format(
        demo=demo,
        state=state,
        keys=keys,
        email=demo.owner["email"],
        password=demo.owner["password"],
        key=demo.keys["pk_test"]["key"],
        demo_ak=demo.keys["ak_test"]["key"],
    )
