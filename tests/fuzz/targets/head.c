/* The input is the head of a serve request, without its empty line. */

#include <stdint.h>
#include <string.h>

#include "edge/fastpath/serve_cache/head.h"
#include "edge/fastpath/serve_cache/keyed_hash.h"
#include "tests/fuzz/targets/require.h"

static int lies_in(const char *part, ssize_t length, const char *head, size_t size)
{
    return part >= head && length >= 0 && (size_t)(part - head) + (size_t)length <= size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const HashKey KEY = {{1, 2}};
    static HeadParts parts;
    volatile uint64_t hash;
    const char *head = (const char *)data;
    if (!read_head_parts(head, (ssize_t)size, &parts))
        return 0;
    REQUIRE(size <= MAX_CACHED_HEAD_BYTES);
    REQUIRE(parts.page_length >= 0 && parts.consent_length >= 0);
    REQUIRE((size_t)parts.page_length + (size_t)parts.consent_length <= size);
    REQUIRE(parts.stable_length >= 0 && (size_t)parts.stable_length <= size);
    REQUIRE(is_printable(parts.page, parts.page + parts.page_length, '!'));
    REQUIRE(is_printable(parts.consent, parts.consent + parts.consent_length, '!'));
    if (parts.forwarded_for)
        REQUIRE(lies_in(parts.forwarded_for, parts.forwarded_length, head, size) &&
                is_printable(parts.forwarded_for, parts.forwarded_for + parts.forwarded_length, ' '));
    if (parts.request_id)
        REQUIRE(lies_in(parts.request_id, parts.request_id_length, head, size) &&
                is_printable(parts.request_id, parts.request_id + parts.request_id_length, ' '));
    hash = keyed_hash(&KEY, size, parts.stable, (size_t)parts.stable_length); /* reads no byte beyond */
    (void)hash;
    return 0;
}
