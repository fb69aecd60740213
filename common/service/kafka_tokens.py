"""The tokens with which a Kafka client signs in by OAUTHBEARER."""

import base64
from collections.abc import Callable
from time import monotonic
from typing import Any
from urllib.parse import urlencode

import httpcore
import orjson
from aiokafka.abc import AbstractTokenProvider
from aiokafka.errors import KafkaConnectionError

_TOKEN_CALL_S = 5.0
_RENEW_AT = 0.8
"""Part of a token's life after which another is requested."""
_USUAL_LIFE_S = 300.0
"""Life of a token whose answer does not give one."""
_OK = 200
_FETCH_ERRORS = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError)


class ClientCredentialsTokens(AbstractTokenProvider):  # type: ignore[misc]  # aiokafka has no types
    """
    Tokens of OAuth 2's client credentials grant (RFC 6749, section 4.4), each used for most of its life. A token that
    cannot be fetched is a `KafkaConnectionError`, which callers handle as a broker that is unavailable.
    """

    def __init__(
        self,
        url: str,
        client_id: str,
        secret: str,
        scope: str,
        *,
        now_s: Callable[[], float] = monotonic,
    ) -> None:
        self._url = url
        pair = f"{client_id}:{secret}".encode()
        self._headers: dict[bytes | str, bytes | str] = {
            "Authorization": f"Basic {base64.b64encode(pair).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        }
        form = {"grant_type": "client_credentials", **({"scope": scope} if scope else {})}
        self._form = urlencode(form).encode()
        self._now_s = now_s
        self._token = ""
        self._renew_s = float("-inf")

    async def token(self) -> str:
        if self._now_s() >= self._renew_s:
            sent_s = self._now_s()
            try:
                answer = await self._fetch()
                self._token = str(answer["access_token"])
                life_s = float(answer.get("expires_in", _USUAL_LIFE_S))
            except (*_FETCH_ERRORS, KeyError, TypeError, ValueError) as error:
                raise KafkaConnectionError(
                    f"no token from {self._url} (PLACARD_KAFKA_OAUTH_TOKEN_URL): {error!r}"
                ) from error
            self._renew_s = sent_s + _RENEW_AT * life_s
        return self._token

    async def _fetch(self) -> dict[str, Any]:
        limits = dict.fromkeys(("connect", "read", "write", "pool"), _TOKEN_CALL_S)
        async with httpcore.AsyncConnectionPool() as http:
            answer = await http.request(
                "POST",
                self._url,
                headers=self._headers,
                content=self._form,
                extensions={"timeout": limits},
            )
        if answer.status != _OK:
            raise ValueError(f"status {answer.status}")
        found: dict[str, Any] = orjson.loads(answer.content)
        return found
