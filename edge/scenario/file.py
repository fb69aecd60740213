"""A scenario file: which answers the fake edge gives, by operation and by slot."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from common.contract.scenarios import (
    ERROR,
    EXPIRED,
    KILL_SWITCH,
    NO_FILLS,
    SDK_TOO_OLD,
    SLOW,
    SLOW_S,
    TENANT_SUSPENDED,
)
from common.values.errors import STATUS, ErrorCode

_INSTALLED: Final = Path(__file__).with_name("answers.json")
"""Where the wheel puts the answers; a checkout has them in ``clients/contract``."""
_CHECKOUT: Final = Path(__file__).resolve().parents[2] / "clients" / "contract" / "answers.json"
_SAME_AS: Final = {
    ERROR: "internal",
    EXPIRED: "token_expired",
    KILL_SWITCH: "features_stopped",
    SDK_TOO_OLD: "features_outdated",
}
"""Test scenarios whose answer has another name in the contract."""
_MAX_DELAY_MS: Final = 600_000


class ScenarioInvalid(Exception):
    """The message names the file and each wrong field, and lists the values that it may have."""


class Step(BaseModel):
    """One answer: a named one, or a response of its own."""

    model_config = ConfigDict(extra="forbid")

    answer: str | None = None
    delay_ms: int = Field(0, ge=0, le=_MAX_DELAY_MS)
    status: int | None = Field(None, ge=200, le=599)
    headers: dict[str, str] = {}
    body: Any = None
    text: str = ""


def _as_list(value: object) -> object:
    steps = value if isinstance(value, list) else [value]
    if not steps:
        raise ValueError("name at least one answer")
    return [{"answer": step} if isinstance(step, str) else step for step in steps]


Steps = Annotated[list[Step], BeforeValidator(_as_list)]


class Scenario(BaseModel):
    """Each list is answered in sequence; its last answer repeats."""

    model_config = ConfigDict(extra="forbid")

    keys: list[str] = Field([], description="Keys that are accepted; empty: every key.")
    features: Steps = [Step(answer="features")]
    serve: Steps = [Step(answer="banner")]
    slots: dict[str, Steps] = Field(
        {}, description="Answers of serve by slot, in place of `serve`."
    )
    track: Steps = [Step(answer="counted")]
    batch: Steps | None = Field(
        None, description="Of `track/batch`; default: as `track` for each event."
    )
    prepare: Steps = [Step(answer="prepared")]
    stitch: Steps = [Step(answer="stitched")]


def known_answers() -> dict[str, Any]:
    """By name: those of the contract, and one for each test scenario of serve and features."""
    path = _INSTALLED if _INSTALLED.is_file() else _CHECKOUT
    answers: dict[str, Any] = orjson.loads(path.read_bytes())
    answers |= {name: answers[same] for name, same in _SAME_AS.items()}
    for reason in NO_FILLS:
        answers[reason] = {"status": 204, "headers": {"X-No-Fill-Reason": reason}}
    message = "The account is suspended. Pay what is due or contact support, then try again."
    suspended = {"code": ErrorCode.TENANT_SUSPENDED, "message": message}
    answers[TENANT_SUSPENDED] = {
        "status": STATUS[ErrorCode.TENANT_SUSPENDED],
        "body": {"error": {**answers["key_revoked"]["body"]["error"], **suspended}},
    }
    answers[SLOW] = {**answers["banner"], "delay_ms": round(SLOW_S * 1000)}
    return answers


def read_scenario(path: Path) -> Scenario:
    """A TOML file, or JSON if its name ends in ``.json``. Raises `ScenarioInvalid`."""
    try:
        text = path.read_text("utf-8")
        data = orjson.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        scenario = Scenario.model_validate(data)
    except OSError as error:
        raise ScenarioInvalid(f"{path}: cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ScenarioInvalid("\n".join(f"{path}: {line}" for line in lines)) from error
    except ValueError as error:
        raise ScenarioInvalid(f"{path}: {error}.") from error
    _check(path, scenario)
    return scenario


def answer_of(step: Step, answers: dict[str, Any]) -> dict[str, Any]:
    """In the form of the contract's answers, with ``delay_ms``."""
    if step.answer is not None:
        found = answers[step.answer]
        return {**found, "delay_ms": step.delay_ms or found.get("delay_ms", 0)}
    own: dict[str, Any] = {
        "status": step.status,
        "headers": step.headers,
        "delay_ms": step.delay_ms,
    }
    return own | ({"text": step.text} if step.body is None else {"body": step.body})


def _check(path: Path, scenario: Scenario) -> None:
    answers = known_answers()
    named = {
        name: getattr(scenario, name)
        for name in Scenario.model_fields
        if name not in {"keys", "slots"}
    }
    named |= {f"slots.{slot}": steps for slot, steps in scenario.slots.items()}
    for place, steps in named.items():
        for step in steps or []:
            if (step.answer is None) == (step.status is None):
                raise ScenarioInvalid(
                    f"{path}: {place}: give each answer either `answer` or `status`."
                )
            if step.answer is not None and step.answer not in answers:
                known = ", ".join(sorted(answers))
                raise ScenarioInvalid(
                    f"{path}: {place}: no answer is named {step.answer!r}. Known: {known}."
                )
