"""State machines: a table from (status, verb) to the next status. A refusal lists the allowed verbs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from common.values.errors import Detail, ErrorCode, Refused


@dataclass(frozen=True, slots=True)
class Transitions:
    """
    Transitions of one kind of object; ``noun`` names it in messages.

    ``hints``: by status, a sentence for the refusal about ways out of that status other than verbs.
    """

    noun: str
    table: Mapping[tuple[str, str], str]
    hints: Mapping[str, str] = field(default_factory=dict)

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

    def _refusal(self, status: str, verb: str) -> Refused:
        allowed = self.verbs_from(status)
        ways = f"From here: {', '.join(allowed)}." if allowed else "Nothing leads on from here."
        hint = self.hints.get(status)
        return Refused(
            ErrorCode.INVALID_STATE,
            f"The {self.noun} is {status} and cannot {verb}. {ways}{f' {hint}' if hint else ''}",
            param="status",
            details=tuple(
                Detail("status", name, f"{name} leads to {self.table[(status, name)]}")
                for name in allowed
            ),
        )
