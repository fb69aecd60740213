"""State machines: a table from (status, verb) to the next status. A refusal lists the allowed verbs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message


@dataclass(frozen=True, slots=True)
class Transitions:
    """
    Transitions of one kind of object; ``noun`` names it in messages.

    ``hints``: by status, a sentence for the refusal about ways out of that status other than verbs.
    """

    noun: str
    table: Mapping[tuple[str, str], str]
    hints: Mapping[str, Message] = field(default_factory=dict)

    def after(self, status: str, verb: str) -> str:
        """
        Returns the status after *verb*.

        Raises 409 `invalid_state`, whose details list the verbs allowed from *status*.
        """
        found = self.table.get((status, verb))
        if found is None:
            raise self._refusal(status, verb)
        return found

    def verbs_from(self, status: str) -> tuple[str, ...]:
        return tuple(verb for start, verb in self.table if start == status)

    def details_of(self, status: str, verbs: Iterable[str]) -> tuple[Detail, ...]:
        """The details of a refusal that name *verbs*, which are allowed from *status*."""
        return tuple(
            Detail(
                "status",
                verb,
                Message(
                    "`{verb}` leads to `{next_status}`.",
                    verb=verb,
                    next_status=self.table[status, verb],
                ),
            )
            for verb in verbs
        )

    def _refusal(self, status: str, verb: str) -> Refused:
        allowed = self.verbs_from(status)
        ways = (
            Message("Possible actions: {verbs}.", verbs=", ".join(allowed))
            if allowed
            else Message("No action is possible in this status.")
        )
        hint = self.hints.get(status)
        return Refused(
            ErrorCode.INVALID_STATE,
            Message.joined(
                [
                    Message(
                        "The {noun} is `{status}`, so `{verb}` is not possible.",
                        noun=self.noun,
                        status=status,
                        verb=verb,
                    ),
                    ways,
                    *([hint] if hint else []),
                ]
            ),
            param="status",
            details=self.details_of(status, allowed),
        )
