"""The declaration of a targeting kind. What parses, decides, explains, records or serves targeting follows from it."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any

from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.messages import Message


class Condition:
    """
    What one campaign or ad requires of one dimension. ``included``: one of these values must be among the signals;
    empty: no restriction. ``excluded``: none of these may be.

    Of a conjunction: ``included`` has key and values of each condition, and all of these must match; ``excluded`` has
    pairs.
    """

    __slots__ = ("excluded", "included")

    def __init__(self, included: Collection[Any], excluded: Collection[Any] = ()) -> None:
        self.included = included
        self.excluded = excluded


class Dimension:
    """
    One thing that a kind compares: signals of the opportunity with conditions of campaigns and ads.

    ``signals``: the fields of `Signals` that it reads, each with its type. ``of_client``: they come from headers or the
    address; False: from the query. The edge caches what a query excludes separately from what a client excludes.
    """

    is_conjunction = False

    def __init__(self, signals: Mapping[str, Any], *, of_client: bool) -> None:
        self.signals = signals
        self.of_client = of_client

    def parse(self, stored: Any) -> Condition:
        """*stored*: the kind's JSON; the API has validated its shape."""
        raise NotImplementedError

    def matches(self, condition: Condition, signals: Signals) -> bool:
        """The rule, as a person reads it. An unknown value fails an include and passes an exclude."""
        raise NotImplementedError

    def targeted(self, condition: Condition) -> Collection[Hashable]:
        """Returns the values that *condition* names, in the form of `project`."""
        return (*condition.included, *condition.excluded)

    def new_targets(self) -> Any:
        """Returns an empty container for values of `targeted`: a set, or for a query another with ``update``."""
        return set()

    def project(self, signals: Signals, targeted: Any) -> Collection[Any]:
        """
        Returns the values of *signals* that are in *targeted*, a container of `new_targets`: a tuple for a client's
        dimension, else a frozenset.
        """
        raise NotImplementedError


class OneValue(Dimension):
    """
    A signal with at most one value, of type *of*: the stored list *one_of*, if it is not empty, contains the value, and
    *none_of* does not. ``paths``: the two lists; the second may be missing.
    """

    def __init__(
        self, signal: str, of: Any, one_of: str, none_of: str = "", *, of_client: bool
    ) -> None:
        super().__init__({signal: of | None}, of_client=of_client)
        self.signal = signal
        self.of = of
        self.paths = one_of, none_of

    def parse(self, stored: Any) -> Condition:
        one_of, none_of = self.paths
        return Condition(frozenset(stored.get(one_of, ())), frozenset(stored.get(none_of, ())))

    def matches(self, condition: Condition, signals: Signals) -> bool:
        value = getattr(signals, self.signal)
        if value in condition.excluded:
            return False
        return not condition.included or value in condition.included

    def project(self, signals: Signals, targeted: Any) -> Collection[Any]:
        value = getattr(signals, self.signal)
        found = (value,) if value in targeted else ()
        return found if self.of_client else frozenset(found)


class AnyWord(Dimension):
    """
    A signal of the query with any number of words, with the stored lists *any_of* and *none_of*.

    A compiled subclass may override `words_of` with the field itself, which takes a tenth of the time.
    """

    def __init__(self, signal: str, any_of: str, none_of: str) -> None:
        super().__init__({signal: frozenset[str]}, of_client=False)
        self.signal = signal
        self.paths = any_of, none_of

    def parse(self, stored: Any) -> Condition:
        any_of, none_of = self.paths
        return Condition(frozenset(stored.get(any_of, ())), frozenset(stored.get(none_of, ())))

    def words_of(self, signals: Signals) -> frozenset[str]:
        words: frozenset[str] = getattr(signals, self.signal)
        return words

    def matches(self, condition: Condition, signals: Signals) -> bool:
        words = self.words_of(signals)
        if not words.isdisjoint(condition.excluded):
            return False
        return not condition.included or not words.isdisjoint(condition.included)

    def project(self, signals: Signals, targeted: Any) -> Collection[Any]:
        words = self.words_of(signals)
        return words & targeted if words else words


class Parameter:
    """
    A query parameter of a serve request that sets *signal*, by default the one of its name.

    ``description``: of the parameter in the API; ``example``: a value, as the description shows it.
    ``choices``: its values, each with that of the signal; empty: the parameter is a comma-separated list of words, or
    where it ``is_key_values``, ``NAME.KEY=VALUE``.
    ``believed_only``: only servers may send it; ignored from others. ``personal``: used only with consent.
    """

    def __init__(
        self,
        name: str,
        signal: str = "",
        *,
        description: str,
        example: Any = None,
        choices: Mapping[str, object] | None = None,
        is_key_values: bool = False,
        believed_only: bool = False,
        personal: bool = False,
    ) -> None:
        self.name = name
        self.signal = signal or name
        self.description = description
        self.example = example
        self.choices = choices or {}
        self.is_key_values = is_key_values
        self.believed_only = believed_only
        self.personal = personal


class Header:
    """
    A request header that sets *signal*, of a dimension `of_client`: the edge caches it with the client.

    ``name``, ``description``: in the API. ``parse``: returns the signal of any text, None or empty where it is unknown;
    never raises. ``example``: a text with a known signal.
    """

    def __init__(
        self,
        name: str,
        signal: str,
        parse: Callable[[str], object],
        *,
        description: str,
        example: str,
    ) -> None:
        self.name = name
        self.signal = signal
        self.parse = parse
        self.description = description
        self.example = example


class TargetingKind:
    """
    ``name``: in the targeting of the API. ``reason``: of an ad that it drops, with what happened and what changes it.

    ``dimensions``: all of them must match; none for dayparts, which compare the time and no signal. ``parameter``,
    ``header``: None where the address or the user agent give the signals.
    """

    def __init__(
        self,
        name: str,
        reason: NoFillReason,
        text: Message,
        remedy: Message,
        dimensions: Sequence[Dimension],
        *,
        parameter: Parameter | None = None,
        header: Header | None = None,
    ) -> None:
        self.name = name
        self.reason = reason
        self.text = text
        self.remedy = remedy
        self.dimensions = tuple(dimensions)
        self.parameter = parameter
        self.header = header


def change_or_send(kind: str, parameter: str) -> Message:
    """The remedy of a kind whose signal is a query parameter."""
    return Message(
        "Change `targeting.{kind}`, or send `{parameter}`.", kind=kind, parameter=parameter
    )
