/* Where requests begin and end in the bytes of a connection. No Python object is involved. */

#ifndef PLACARD_FRAMING_H
#define PLACARD_FRAMING_H

#include <sys/types.h>

#define SERVE_START "GET /v1/serve?"
#define HEAD_END "\r\n\r\n"
#define HEAD_END_BYTES 4
#define MAX_HEAD_BYTES 16384 /* `common.http.protocol` */

/* Whether the bytes from *at* begin a request of the fast path. */
int starts_serve_request(const char *bytes, ssize_t length, ssize_t at);

/*
 * Where the head from *at* ends, in front of `HEAD_END`. Returns -1 where the head is incomplete or longer than
 * `MAX_HEAD_BYTES`.
 */
ssize_t find_head_end(const char *bytes, ssize_t length, ssize_t at);

#endif
