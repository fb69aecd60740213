/*
 * SipHash-1-3 (Aumasson and Bernstein, 2012) of a number and a text, with a key. Clients choose the texts: without the
 * key of the process nobody can aim at a row of a cache.
 */

#ifndef PLACARD_KEYED_HASH_H
#define PLACARD_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t words[2];
} HashKey;

/* The hash of the 8 bytes of *about*, then of *text*. */
uint64_t keyed_hash(const HashKey *key, uint64_t about, const char *text, size_t length);

#endif
