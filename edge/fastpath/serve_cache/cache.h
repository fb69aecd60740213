/*
 * A bounded hash table of entries by their bytes. It is set-associative like a processor's cache: rows of a few places.
 * An entry that is found moves one place towards the front of its row. A new entry takes a place in the middle of a
 * full row, and the last entry is evicted.
 */

#ifndef PLACARD_CACHE_H
#define PLACARD_CACHE_H

#include <Python.h>
#include <stdint.h>
#include <string.h>

#define PLACES 8
#define ENTRANCE 4

typedef struct {
    uint64_t hash, about; /* *about*: a number that is part of the key */
    uint32_t length;
    char *text;
} Name;

/* Each entry begins with its `Name`; the text of the name is stored right behind the entry. */
typedef struct {
    uint64_t hashes[PLACES];
    Name *entries[PLACES];
} Row;

typedef struct {
    Row *rows;
    uint64_t mask;
    void (*evict)(Name *);
} Cache;

/* Draws the key of `hash_of`. Returns -1 with an error set. */
int draw_hash_key(void);

/* *rows*: a power of two. Returns -1 with an error set where memory is exhausted. */
int open_cache(Cache *cache, size_t rows, void (*evict)(Name *));

/* Evicts every entry. */
void close_cache(Cache *cache);

/* Never 0. *about*: a number that is part of the key. */
uint64_t hash_of(uint64_t about, const char *text, Py_ssize_t length);

/* Returns NULL where no entry has that key. *hash*: the key's `hash_of`. */
void *find_hashed(Cache *cache, uint64_t hash, uint64_t about, const char *text, Py_ssize_t length);

void *find_entry(Cache *cache, uint64_t about, const char *text, Py_ssize_t length);

/* Allocates an entry of *size* bytes with its name; NULL with an error set where memory is exhausted. */
void *new_entry(size_t size, uint64_t about, const char *text, Py_ssize_t length);

/* Replaces the entry of the same name, takes a free place, or evicts the row's last entry. The cache owns *entry*. */
void insert_entry(Cache *cache, Name *entry);

/* Prefetches the row of *hash* into the processor's cache, ahead of the lookup. Inline: two instructions. */
static inline void fetch_row(const Cache *cache, uint64_t hash)
{
    const char *row = (const char *)&cache->rows[hash >> 1 & cache->mask];
    __builtin_prefetch(row);
    __builtin_prefetch(row + sizeof(Row) / 2);
}

#endif
