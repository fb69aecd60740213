"""
In which turn the candidates that fit are asked: priority, then value, then chance by weight; the first that passes the
last gates wins.
"""

from collections.abc import Iterable, Iterator

from common.decision.chance import mixed
from common.decision.index import Candidate
from common.decision.question import Question
from common.decision.ranking import pick


def in_turn(groups: Iterable[tuple[Candidate, ...]], question: Question) -> Iterator[Candidate]:
    """Equals in an order drawn by weight without replacement, so that who passes wins in proportion to its weight."""
    for group in groups:
        if len(group) == 1:
            yield group[0]
            continue
        waiting = list(group)
        draw = 0
        while waiting:
            position = pick([c.ad.weight for c in waiting], mixed(question.seed, draw))
            yield waiting.pop(position)
            draw += 1
