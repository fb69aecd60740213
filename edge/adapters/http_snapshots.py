"""
Pulls snapshots from the control plane over its internal HTTP, for when Redis fails.

Every call has a time limit, and both sides authenticate (`common.snapshot.pull_auth`). No call is retried here.
"""

import asyncio
import ssl
import zlib
from collections.abc import Mapping, Sequence

import httpcore
import orjson

from common.service.internal_tls import InternalTls, InternalTlsInvalid
from common.service.secrets import KeyRing
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import (
    Delta,
    FullState,
    Heartbeat,
    parse_full,
    parse_full_header,
    parse_heartbeat,
    parse_message,
)
from common.snapshot.pull_auth import (
    ANSWER_PROOF,
    MAX_BYTES,
    MAX_DELTAS,
    SignedPull,
    answer_holds,
    deltas_target,
    full_target,
    head_target,
    parse_parts,
    sign_pull,
    workers_target,
)
from common.values.clock import Clock
from common.values.environment import Environment
from edge.ports import SnapshotSourceUnavailable

_CALL_S = 3.0
_FULL_S = 30.0
_CLOSED = (httpcore.ReadError, httpcore.RemoteProtocolError, httpcore.WriteError)
"""In TLS 1.3 a client learns after its handshake that its certificate is refused."""
_OK = 200
_NOT_FOUND = 404


class HttpSnapshotPull:
    def __init__(
        self,
        url: str,
        keys: KeyRing,
        environment: Environment,
        clock: Clock,
        *,
        call_s: float = _CALL_S,
        tls: InternalTls | None = None,
    ) -> None:
        """
        *url*: scheme, host and port. *call_s*: the longest wait for anything but a full state. *tls*: the certificate
        shown to publish, and the authority of publish's; None: the system's authorities, where *url* is https.
        """
        self.reports_failed = 0
        self._url = url.rstrip("/")
        self._keys = keys
        self._environment = environment
        self._clock = clock
        self._call_s = call_s
        self._tls = tls
        self._stamp: object = None
        self._http = _open_pool(None)

    async def head(self) -> Heartbeat | None:
        raw = await self._get(head_target(self._environment), self._call_s)
        return None if raw is None else parse_heartbeat(raw)

    async def full(self) -> FullState | None:
        raw = await self._get(full_target(self._environment), _FULL_S)
        return None if raw is None else await asyncio.to_thread(_parse_full, raw)

    async def deltas(self, after: int, through: int) -> Sequence[Delta] | None:
        if after >= through:
            return []
        if through - after > MAX_DELTAS:
            return None
        raw = await self._get(deltas_target(self._environment, after, through), self._call_s)
        if raw is None:
            return None
        found = await asyncio.to_thread(_parse_deltas, raw)
        if [delta.version for delta in found] != list(range(after + 1, through + 1)):
            raise SnapshotInvalid(f"deltas {after + 1} to {through} were asked for, others came")
        return found

    async def report(self, statuses: Mapping[str, bytes]) -> bool:
        body = b"[" + b",".join(statuses.values()) + b"]"
        try:
            found = await self._request(
                "POST", workers_target(self._environment), body, self._call_s
            )
        except (SnapshotSourceUnavailable, SnapshotInvalid):
            found = None
        if found is None:
            self.reports_failed += 1
        return found is not None

    async def close(self) -> None:
        await self._http.aclose()

    async def _get(self, target: str, within_s: float) -> bytes | None:
        return await self._request("GET", target, b"", within_s)

    async def _request(
        self, method: str, target: str, body: bytes, within_s: float
    ) -> bytes | None:
        """The authenticated body of a 200, None for a 404. Raises `SnapshotSourceUnavailable`, `SnapshotInvalid`."""
        proof = sign_pull(self._keys, SignedPull(method, target, body), self._clock.now_ms())
        try:
            async with asyncio.timeout(within_s):
                answer, found = await self._send(method, target, body, proof)
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise self._unavailable(self._explain(error)) from error
        except InternalTlsInvalid as error:
            raise self._unavailable(str(error)) from error
        except (OSError, TimeoutError) as error:
            raise self._unavailable(str(error) or f"no answer within {within_s} s") from error
        if answer.status == _NOT_FOUND:
            return None
        if answer.status != _OK:
            raise self._unavailable(f"it answered {answer.status}: {_message(found)}")
        if not await asyncio.to_thread(answer_holds, self._keys, proof, found, _proof_of(answer)):
            raise SnapshotInvalid("the answer's proof is wrong: it is not of the control plane")
        return found

    async def _send(
        self, method: str, target: str, body: bytes, proof: str
    ) -> tuple[httpcore.Response, bytes]:
        headers: list[tuple[bytes | str, bytes | str]] = [("Authorization", proof)]
        if body:
            headers.append(("Content-Length", str(len(body))))
        await self._renew_certificate()
        request = self._http.stream(
            method, f"{self._url}{target}", headers=headers, content=body or None
        )
        async with request as answer:
            found = bytearray()
            async for part in answer.aiter_stream():
                found += part
                if len(found) > MAX_BYTES:
                    raise SnapshotInvalid(f"the answer has more than {MAX_BYTES} bytes")
            return answer, bytes(found)

    async def _renew_certificate(self) -> None:
        """Connects anew where a file changed. A call in progress on the former connections fails, and is repeated."""
        if self._tls is None:
            return
        stamp = await asyncio.to_thread(self._tls.stamp)
        if stamp != self._stamp:
            context = await asyncio.to_thread(self._tls.open_client)
            former, self._http, self._stamp = self._http, _open_pool(context), stamp
            await former.aclose()

    def _explain(self, error: Exception) -> str:
        if self._tls is not None and isinstance(error, _CLOSED):
            return (
                f"it closed the connection; it may refuse {self._tls.certificate_file} ({error!r})"
            )
        return repr(error)

    def _unavailable(self, reason: str) -> SnapshotSourceUnavailable:
        return SnapshotSourceUnavailable(f"Publish (PLACARD_SNAPSHOT_URL {self._url}): {reason}")


def _open_pool(tls: ssl.SSLContext | None) -> httpcore.AsyncConnectionPool:
    return httpcore.AsyncConnectionPool(ssl_context=tls, max_connections=2, keepalive_expiry=20.0)


def _parse_full(raw: bytes) -> FullState:
    parts = parse_parts(raw)
    if not parts:
        raise SnapshotInvalid("a full state without its header")
    header = parse_full_header(parts[0])
    if header.chunks != len(parts) - 1:
        raise SnapshotInvalid(f"{len(parts) - 1} of {header.chunks} chunks came")
    return parse_full(header, parts[1:])


def _parse_deltas(raw: bytes) -> list[Delta]:
    try:
        parts = parse_parts(zlib.decompress(raw))
    except zlib.error as error:
        raise SnapshotInvalid(f"deltas cannot be read: {error}") from error
    found = []
    for part in parts:
        message = parse_message(part)
        if not isinstance(message, Delta):
            raise SnapshotInvalid("among the deltas is another message")
        found.append(message)
    return found


def _proof_of(answer: httpcore.Response) -> str | None:
    wanted = ANSWER_PROOF.lower().encode()
    found = next((value for name, value in answer.headers if name.lower() == wanted), None)
    return None if found is None else found.decode("latin-1")


def _message(body: bytes) -> str:
    """The message of the error envelope."""
    try:
        return str(orjson.loads(body)["error"]["message"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return "no reason given"
