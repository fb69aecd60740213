"""Requests that two servers may read differently: behind each a second could hide. All ask for ``/echo``."""

_POST = b"POST /echo HTTP/1.1\r\nHost: test\r\n"
_CHUNKED = _POST + b"Transfer-Encoding: chunked\r\n\r\n"

SMUGGLING = {
    "space before the colon of Content-Length": _POST + b"Content-Length : 38\r\n\r\n",
    "space before the colon of Transfer-Encoding": (
        b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding : chunked\r\n\r\n"
    ),
    "folded line": b"POST /echo HTTP/1.1\r\nHost: test\r\nX-A: b\r\n Content-Length: 38\r\n\r\n",
    "line feed inside a header": b"POST /echo HTTP/1.1\r\nHost: test\r\nX-A: b\nContent-Length: 38\r\n\r\n",
    "carriage return inside a header": _POST + b"X-A: b\rContent-Length: 38\r\n\r\n",
    "two Content-Lengths": _POST + b"Content-Length: 0\r\nContent-Length: 38\r\n\r\n",
    "Content-Length and Transfer-Encoding": (
        b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 38\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "list in Content-Length": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 0, 38\r\n\r\n",
    "signed Content-Length": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: +0\r\n\r\n",
    "underscore in Content-Length": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 0_0\r\n\r\n",
    "empty Content-Length": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length:\r\n\r\n",
    "full-width digits in Content-Length": (
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: ０\r\n\r\n".encode()
    ),
    "no-break space before Content-Length": (
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length:\u00a00\r\n\r\n".encode()
    ),
    "no-break space before chunked": _POST
    + "Transfer-Encoding: \u00a0chunked\r\n\r\n0\r\n\r\n".encode(),
    "ideographic space before Host": ("GET /echo HTTP/1.1\r\nHost: \u3000test\r\n\r\n".encode()),
    "two Hosts": b"GET /echo HTTP/1.1\r\nHost: test\r\nHost: other\r\n\r\n",
    "no Host": b"GET /echo HTTP/1.1\r\nX-A: b\r\n\r\n",
    "no header at all": b"GET /echo HTTP/1.1\r\n\r\n",
    "path in Host": b"GET /echo HTTP/1.1\r\nHost: test/evil\r\n\r\n",
    "absolute target": b"GET http://other/echo HTTP/1.1\r\nHost: test\r\n\r\n",
    "space in the target": b"GET /echo /x HTTP/1.1\r\nHost: test\r\n\r\n",
    "tab in the request line": b"GET\t/echo\tHTTP/1.1\r\nHost: test\r\n\r\n",
    "HTTP/1.2": b"GET /echo HTTP/1.2\r\nHost: test\r\n\r\n",
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "header without a colon": b"GET /echo HTTP/1.1\r\nHost: test\r\nnonsense\r\n\r\n",
    "empty header name": b"GET /echo HTTP/1.1\r\nHost: test\r\n: x\r\n\r\n",
    "NUL in a header": b"GET /echo HTTP/1.1\r\nHost: test\r\nX-A: b\x00c\r\n\r\n",
    "non-ASCII target": "GET /échö HTTP/1.1\r\nHost: test\r\n\r\n".encode(),
    "empty line first": b"\r\nGET /echo HTTP/1.1\r\nHost: test\r\n\r\n",
    "bare line feeds throughout": b"GET /echo HTTP/1.1\nHost: test\n\n",
    "TLS hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "too many headers": b"GET /echo HTTP/1.1\r\nHost: test\r\n" + b"X-A: b\r\n" * 200 + b"\r\n",
    "gzip transfer coding": b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "upper-case chunked": b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
    "chunked in HTTP/1.0": b"POST /echo HTTP/1.0\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunk size 0x3": (
        b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n"
    ),
    "chunk size with a space": (
        b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n 3\r\nabc\r\n0\r\n\r\n"
    ),
    "chunk extension": (
        b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n"
    ),
    "chunk data not ended by CRLF": (
        b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcXX0\r\n\r\n"
    ),
    "chunk trailer": (
        b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: b\r\n\r\n"
    ),
    "tab before the colon": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length\t: 38\r\n\r\n",
    "space inside a header name": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent Length: 38\r\n\r\n",
    "folded first header": b"GET /echo HTTP/1.1\r\n Host: test\r\n\r\n",
    "space before the colon of Host": b"GET /echo HTTP/1.1\r\nHost : test\r\n\r\n",
    "negative Content-Length": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\n",
    "hexadecimal Content-Length": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 0x26\r\n\r\n",
    "fractional Content-Length": b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 0.0\r\n\r\n",
    "endless Content-Length": _POST + b"Content-Length: 999999999999999999999999\r\n\r\n",
    "the same Content-Length twice": _POST + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "Transfer-Encoding before Content-Length": _POST
    + b"Transfer-Encoding: chunked\r\nContent-Length: 38\r\n\r\n0\r\n\r\n",
    "two Transfer-Encodings": _POST
    + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "identity transfer coding": b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: identity\r\n\r\n",
    "unknown transfer coding": _POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "vertical tab before chunked": _POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "negative chunk size": _CHUNKED + b"-1\r\nabc\r\n0\r\n\r\n",
    "signed chunk size": _CHUNKED + b"+3\r\nabc\r\n0\r\n\r\n",
    "underscore in a chunk size": _CHUNKED + b"0_3\r\nabc\r\n0\r\n\r\n",
    "empty chunk size": _CHUNKED + b"\r\nabc\r\n0\r\n\r\n",
    "endless chunk size": _CHUNKED + b"10000000000000000\r\nabc\r\n0\r\n\r\n",
    "chunk size ended by a line feed": _CHUNKED + b"3\nabc\n0\n\n",
    "NUL in a header name": b"GET /echo HTTP/1.1\r\nHost: test\r\nX\x00A: b\r\n\r\n",
    "NUL in the target": b"GET /echo\x00 HTTP/1.1\r\nHost: test\r\n\r\n",
    "DEL in a header": b"GET /echo HTTP/1.1\r\nHost: test\r\nX-A: \x7f\r\n\r\n",
    "CONNECT": b"CONNECT other:443 HTTP/1.1\r\nHost: test\r\n\r\n",
    "asterisk of another method than OPTIONS": b"GET * HTTP/1.1\r\nHost: test\r\n\r\n",
    "fragment in the target": b"GET /echo#/x HTTP/1.1\r\nHost: test\r\n\r\n",
    "target without a slash": b"GET echo HTTP/1.1\r\nHost: test\r\n\r\n",
    "two spaces before the target": b"GET  /echo HTTP/1.1\r\nHost: test\r\n\r\n",
    "space after the version": b"GET /echo HTTP/1.1 \r\nHost: test\r\n\r\n",
    "carriage return twice": b"GET /echo HTTP/1.1\r\r\nHost: test\r\n\r\n",
    "lower-case method": b"get /echo HTTP/1.1\r\nHost: test\r\n\r\n",
    "lower-case version": b"GET /echo http/1.1\r\nHost: test\r\n\r\n",
    "no version": b"GET /echo\r\nHost: test\r\n\r\n",
    "HTTP/1.10": b"GET /echo HTTP/1.10\r\nHost: test\r\n\r\n",
    "user in Host": b"GET /echo HTTP/1.1\r\nHost: a@test\r\n\r\n",
    "list in Host": b"GET /echo HTTP/1.1\r\nHost: test, other\r\n\r\n",
}


def shapes_for(get_target: bytes, post_target: bytes) -> dict[str, bytes]:
    """The same shapes, asking for what a real server has."""
    return {
        name: shape.replace(b"POST /echo", b"POST " + post_target).replace(b"/echo", get_target)
        for name, shape in SMUGGLING.items()
    }
