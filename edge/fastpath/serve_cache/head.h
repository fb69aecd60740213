/*
 * Splits a head of ``GET /v1/serve?`` into parts, as `head_parts.py` does; its source is the specification.
 * No Python object is involved, so that it can be fuzzed alone.
 */

#ifndef PLACARD_HEAD_H
#define PLACARD_HEAD_H

#include <sys/types.h>

#include "edge/fastpath/http1/framing.h"

#define MAX_CACHED_HEAD_BYTES 8192

typedef struct {
    ssize_t page_length, consent_length, stable_length, forwarded_length, request_id_length;
    const char *forwarded_for, *request_id; /* in the head; NULL where there is none */
    char page[MAX_CACHED_HEAD_BYTES], consent[MAX_CACHED_HEAD_BYTES], stable[MAX_CACHED_HEAD_BYTES];
} HeadParts;

/* *head*: *length* bytes that begin with `SERVE_START`. Returns 0 where the slow path must parse the request. */
int read_head_parts(const char *head, ssize_t length, HeadParts *parts);

/* Whether every byte from *text* to *end* is between *least* and '~'. */
int is_printable(const char *text, const char *end, int least);

#endif
