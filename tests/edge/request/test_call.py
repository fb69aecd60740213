from common.http.fast_head import HeadReader
from edge.request.call import quick_call


def test_a_header_that_is_too_long_for_the_cache_is_read_of_each_request() -> None:
    reader = HeadReader()
    found: list[tuple[str, object]] = []
    for tag in ("pt", "de"):
        languages = ",".join([tag] * 300)
        head = reader.read_head(
            f"GET /v1/serve?slot=a HTTP/1.1\r\nHost: a\r\nAccept-Language: {languages}".encode()
        )
        assert head is not None
        found += quick_call(head, "slot=a", "192.0.2.1", 0).caller.signals

    assert found == [("languages", ("pt",)), ("languages", ("de",))]
