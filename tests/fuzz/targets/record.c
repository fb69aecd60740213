/* The input is a record of the event log. */

#include <stdint.h>

#include "control/events/ingest/record_scan.h"
#include "tests/fuzz/targets/require.h"

#define INSTANTS 1000000000000LL      /* 13 digits, the first of them not 0 */
#define COUNTS 1000000000000000000LL  /* 18 digits at most */

static int lies_in(Piece piece, const char *record, size_t size)
{
    return piece.from >= record && piece.size >= 0 && (size_t)(piece.from - record) + (size_t)piece.size <= size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ScannedRecord found;
    const char *record = (const char *)data;
    if (!scan_record(record, (ssize_t)size, &found))
        return 0;
    REQUIRE(lies_in(found.writer, record, size) && lies_in(found.agent, record, size));
    REQUIRE(lies_in(found.country_and_device, record, size));
    for (int number = 0; number < SHARED_PIECES; number++)
        REQUIRE(lies_in(found.shared[number], record, size) && found.shared[number].size > 0);
    REQUIRE(!found.network.from || (lies_in(found.network, record, size) && found.network.size > 0));
    REQUIRE(!found.client.from || (lies_in(found.client, record, size) && found.client.size % 2 == 0));
    REQUIRE(found.sequence >= 0 && found.sequence < COUNTS);
    REQUIRE(found.snapshot_version >= 0 && found.snapshot_version < COUNTS);
    REQUIRE(found.issued_ms >= INSTANTS && found.issued_ms < 10 * INSTANTS);
    REQUIRE(found.at_ms >= INSTANTS && found.at_ms < 10 * INSTANTS);
    return 0;
}
