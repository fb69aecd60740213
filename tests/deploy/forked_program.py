"""`python -m tests.deploy.forked_program`: prints ids that no other process may repeat, and with `wait` goes on."""

import sys
import time

from common.http.answer import chosen_id
from common.values.ids import new_id

print(new_id(), chosen_id(None), flush=True)
if sys.argv[1:] == ["wait"]:
    time.sleep(60)
sys.exit(3)
