/* The input is what arrives on a connection: requests one behind the other. */

#include <stdint.h>
#include <string.h>

#include "edge/fastpath/http1/framing.h"
#include "tests/fuzz/targets/require.h"

static ssize_t find_slowly(const char *bytes, ssize_t length, ssize_t at)
{
    for (ssize_t end = at; end + HEAD_END_BYTES <= length; end++)
        if (!memcmp(bytes + end, HEAD_END, HEAD_END_BYTES))
            return end - at < MAX_HEAD_BYTES ? end : -1;
    return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    ssize_t length = (ssize_t)size, done = 0;
    while (starts_serve_request(bytes, length, done)) {
        ssize_t end = find_head_end(bytes, length, done);
        REQUIRE(end == find_slowly(bytes, length, done));
        if (end < 0)
            break;
        REQUIRE(end >= done && end + HEAD_END_BYTES <= length);
        done = end + HEAD_END_BYTES;
    }
    return 0;
}
