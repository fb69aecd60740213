"""Who may go where: a table from (status, verb) to the next status, and the refusal that names what is allowed."""

from collections.abc import Mapping
from dataclasses import dataclass

from common.errors import Detail, ErrorCode, Refused


@dataclass(frozen=True, slots=True)
class Transitions:
    """The life of one kind of object; ``noun`` names it in messages."""

    noun: str
    table: Mapping[tuple[str, str], str]

    def after(self, status: str, verb: str) -> str:
        """The status *verb* leads to. Raises 409 `invalid_state`; its details name the verbs allowed from here."""
        found = self.table.get((status, verb))
        if found is None:
            raise self._refusal(status, verb)
        return found

    def verbs_from(self, status: str) -> tuple[str, ...]:
        return tuple(verb for start, verb in self.table if start == status)

    def _refusal(self, status: str, verb: str) -> Refused:
        allowed = self.verbs_from(status)
        hint = f"From here: {', '.join(allowed)}." if allowed else "Nothing leads on from here."
        return Refused(
            ErrorCode.INVALID_STATE,
            f"The {self.noun} is {status} and cannot {verb}. {hint}",
            param="status",
            details=tuple(
                Detail("status", name, f"{name} leads to {self.table[(status, name)]}")
                for name in allowed
            ),
        )
