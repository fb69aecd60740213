"""The entry point of the command."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from getpass import getpass

from placard.command_line import login
from placard.command_line.commands import Commands, UsageError
from placard.command_line.output import Output
from placard.command_line.parser import parser
from placard.command_line.profiles import Profile, ProfileError, ProfileFile
from placard.errors import ApiError, PlacardError

_REFUSED, _MISUSED, _INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0; 1 if the service refused or could not be reached; 2 for wrong arguments or settings."""
    given = parser().parse_args(arguments)
    try:
        _run(given)
        sys.stdout.flush()
    except (UsageError, ProfileError, ValueError) as error:
        return _fail(str(error), _MISUSED)
    except PlacardError as error:
        return _fail(_describe(error), _REFUSED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (KeyboardInterrupt, EOFError):
        return _INTERRUPTED
    return 0


def _run(given: Namespace) -> None:
    output = Output(lambda text: print(text, flush=True), as_json=given.json)
    file = ProfileFile.usual(os.environ)
    stored = file.get(given.profile)
    if given.command == "login":
        named = Profile(base_url=given.base_url or "", edge_url=given.edge_url or "")
        variables = Profile().with_variables(os.environ)
        profile = login.complete(
            stored, variables.with_fields_of(named), ask=input, ask_secret=getpass
        )
        accepted = login.check(profile)
        file.put(given.profile, profile)
        output.item({"profile": given.profile, "file": str(file.path), **accepted})
        return
    commands = Commands(stored.with_variables(os.environ), output)
    name = "trigger" if given.command == "test" else given.command
    getattr(commands, name)(given)


def _describe(error: PlacardError) -> str:
    if not isinstance(error, ApiError):
        return str(error)
    fields = [f"\n  {one.get('param')}: {one['message']}" for one in error.details]
    request = f" (request {error.request_id})" if error.request_id else ""
    return f"{error}{request}{''.join(fields)}"


def _fail(message: str, code: int) -> int:
    print(f"placard: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
