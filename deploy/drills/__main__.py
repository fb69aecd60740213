"""
``python -m deploy.drills NAME…``: runs drills on servers of their own and prints a line of JSON for each.

Exit code 0 if nothing acknowledged was lost and nothing counted twice, 1 otherwise, 2 if this machine cannot run one.
Without a name it lists them.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from deploy.drills.backup import restore_backup
from deploy.drills.clock import move_the_clock
from deploy.drills.disk import DrillImpossible
from deploy.drills.figures import Figures
from deploy.drills.full_disks import (
    fill_the_disk_of_an_edge,
    fill_the_disk_of_kafka,
    fill_the_disk_of_postgres,
)
from deploy.drills.key_file import rotate_and_lose_the_key_file
from deploy.drills.outages import lose_kafka, lose_postgres, lose_redis
from deploy.drills.region import lose_the_region
from deploy.drills.servers import lose_all_servers
from deploy.standalone.errors import StartError

DRILLS: Final[dict[str, Callable[[], Coroutine[Any, Any, Figures]]]] = {
    "redis-lost": lose_redis,
    "kafka-lost": lose_kafka,
    "postgres-lost": lose_postgres,
    "backup-restore": restore_backup,
    "key-file": rotate_and_lose_the_key_file,
    "disk-full-edge": fill_the_disk_of_an_edge,
    "disk-full-postgres": fill_the_disk_of_postgres,
    "disk-full-kafka": fill_the_disk_of_kafka,
    "clock-jump": move_the_clock,
    "region-lost": lose_the_region,
    "servers-lost": lose_all_servers,
}
_FAILED, _IMPOSSIBLE = 1, 2


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in DRILLS]
    if unknown or not names:
        sys.stderr.write(f"Drills: {', '.join(DRILLS)}. Unknown: {', '.join(unknown) or 'none'}.\n")
        return _IMPOSSIBLE if unknown else 0
    code = 0
    for name in names:
        try:
            figures = asyncio.run(DRILLS[name]())
        except (DrillImpossible, StartError) as error:
            sys.stderr.write(f"{name}: {error}\n")
            return _IMPOSSIBLE
        sys.stdout.write(f"{json.dumps(figures.to_json())}\n")
        sys.stdout.flush()
        code = code if figures.is_passed else _FAILED
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
