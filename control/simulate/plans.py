"""What a campaign was to have delivered by an instant, as it was meant from the beginning."""

from control.simulate.scenario import HOUR_MS
from control.simulate.world import Order, World


def planned_micros(world: World, order: Order, now_ms: int) -> int:
    raise NotImplementedError
