/*
 * Finds the pieces of a record of an ad event in one pass, as `scan.py` does; its source is the specification. No
 * Python object is involved, so that it can be fuzzed alone.
 */

#ifndef PLACARD_RECORD_SCAN_H
#define PLACARD_RECORD_SCAN_H

#include <sys/types.h>

#define TOKEN_ID_BYTES 16
#define PERSON_BYTES 8
#define SHARED_PIECES 4

typedef struct {
    const char *from; /* in the record; NULL where it is null there */
    ssize_t size;
} Piece;

typedef struct {
    Piece writer, agent, country_and_device, network, client;
    Piece shared[SHARED_PIECES]; /* what many records have in common */
    unsigned char token_id[TOKEN_ID_BYTES], person[PERSON_BYTES];
    long long sequence, issued_ms, at_ms, snapshot_version;
    int has_person;
} ScannedRecord;

/* Returns 0 where the record is not in the shape and order that the edge writes; it is then parsed as JSON. */
int scan_record(const char *record, ssize_t size, ScannedRecord *found);

#endif
