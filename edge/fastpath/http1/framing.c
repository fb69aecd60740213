#define _GNU_SOURCE
#include "edge/fastpath/http1/framing.h"

#include <string.h>

int starts_serve_request(const char *bytes, ssize_t length, ssize_t at)
{
    const ssize_t size = sizeof(SERVE_START) - 1;
    return length - at >= size && !memcmp(bytes + at, SERVE_START, (size_t)size);
}

ssize_t find_head_end(const char *bytes, ssize_t length, ssize_t at)
{
    const char *end = memmem(bytes + at, (size_t)(length - at), HEAD_END, HEAD_END_BYTES);
    return end && end - bytes - at < MAX_HEAD_BYTES ? end - bytes : -1;
}
