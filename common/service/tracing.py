"""
OpenTelemetry traces (ADR 111): the ``OTEL_*`` settings, and the form in which processes report finished spans.

The packages of the extra ``otel`` are imported only where traces are on (`common.service.otlp`).
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Annotated, Final, Literal, Protocol
from urllib.parse import urlsplit

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from common.values.trace_context import SpanRef

PPM: Final = 1_000_000
_PREFIX: Final = "OTEL_"
_EXPORTER: Final = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
_W3C: Final = "tracecontext"
_PARENT: Final = "parentbased_"

AttributeValue = str | int | float | bool


class SpanKind(StrEnum):
    SERVER = "SERVER"
    CONSUMER = "CONSUMER"


@dataclass(frozen=True, slots=True)
class FinishedSpan:
    """
    A span that ended. *parent_id*: the parent's span id; None: it begins its trace. Times in ns since the epoch.
    *links*: related spans, mostly of other traces.
    """

    name: str
    kind: SpanKind
    ref: SpanRef
    parent_id: int | None
    start_ns: int
    end_ns: int
    attributes: Mapping[str, AttributeValue]
    links: Sequence[SpanRef] = ()
    is_error: bool = False


class Tracer(Protocol):
    """Takes finished spans. It never waits, and never raises: spans that cannot be sent are dropped, and counted."""

    @property
    def exported(self) -> int:
        """Spans that the collector accepted."""
        ...

    @property
    def dropped(self) -> Mapping[str, int]:
        """Spans that were not sent, by reason: ``queue_full`` or ``export_failed``."""
        ...

    def report(self, span: FinishedSpan) -> None: ...


class TracingInvalid(Exception):
    """Traces are on and cannot work. The message names the variable, and says what to do."""


class TracingSettings(BaseSettings):
    """The variables of OpenTelemetry that this code reads. Those of the exporter and its batches are the SDK's."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", frozen=True
    )

    sdk_disabled: bool = False
    traces_exporter: Literal["otlp", "none"] = "otlp"
    exporter_otlp_endpoint: str = ""
    exporter_otlp_traces_endpoint: str = ""
    exporter_otlp_protocol: Literal["http/protobuf"] = "http/protobuf"
    exporter_otlp_traces_protocol: Literal["http/protobuf"] = "http/protobuf"
    propagators: str = _W3C
    traces_sampler: Literal[
        "always_on",
        "always_off",
        "traceidratio",
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
    ] = "parentbased_traceidratio"
    traces_sampler_arg: Annotated[float, Field(ge=0, le=1)] | None = None
    bsp_max_queue_size: int = Field(2048, ge=1)

    @property
    def endpoint(self) -> str:
        """The URL to which spans are sent; empty: traces are off."""
        if self.sdk_disabled or self.traces_exporter == "none":
            return ""
        base = self.exporter_otlp_endpoint
        own = f"{base.rstrip('/')}/v1/traces" if base else ""
        return self.exporter_otlp_traces_endpoint or own

    @property
    def follows_callers(self) -> bool:
        """Whether calls with a sampled ``traceparent`` are traced."""
        return self.traces_sampler.startswith(_PARENT)

    def sample_ppm(self, default_ppm: int) -> int:
        """Returns how many decisions in a million are traced; *default_ppm* where no variable says so."""
        sampler = self.traces_sampler.removeprefix(_PARENT)
        if sampler == "always_off":
            return 0
        if sampler == "always_on":
            return PPM
        ratio = self.traces_sampler_arg
        return default_ppm if ratio is None else round(ratio * PPM)


def read_tracing() -> TracingSettings | None:
    """Reads ``OTEL_*``; returns None where traces are off. Raises `TracingInvalid`."""
    try:
        settings = TracingSettings()
    except ValidationError as error:
        first = error.errors()[0]
        name = _PREFIX + str(first["loc"][0]).upper()
        raise TracingInvalid(f"{name}: {first['msg']}.") from error
    if not settings.endpoint:
        return None
    if urlsplit(settings.endpoint).scheme not in ("http", "https"):
        raise TracingInvalid(
            "OTEL_EXPORTER_OTLP_ENDPOINT: it must be `http://HOST:PORT` or `https://HOST:PORT`."
        )
    if _W3C not in settings.propagators.split(","):
        raise TracingInvalid(
            f"OTEL_PROPAGATORS: {settings.propagators} lacks `{_W3C}`, the only header that is read. "
            "Add it, or remove the variable."
        )
    if not _is_installed():
        raise TracingInvalid(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but the extra `otel` is not installed. "
            "Run `pip install 'placard-server[otel]'`, or remove the variable."
        )
    return settings


def _is_installed() -> bool:
    try:
        return find_spec(_EXPORTER) is not None
    except ModuleNotFoundError:
        return False


@asynccontextmanager
async def open_tracer(
    settings: TracingSettings | None, service_name: str
) -> AsyncIterator[Tracer | None]:
    """
    Yields None where *settings* are None. Spans that wait at the end are sent for two seconds at most. Raises
    `TracingInvalid`.
    """
    if settings is None:
        yield None
        return
    from common.service.otlp import OtlpTracer

    tracer = OtlpTracer(settings, service_name)
    try:
        yield tracer
    finally:
        await tracer.close()
