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

/* Python's hash of bytes is keyed by a secret of the process, so that nobody can aim at a row. */
static uint64_t hash_of(uint64_t about, const char *text, Py_ssize_t length)
{
    uint64_t hash = (uint64_t)_Py_HashBytes(text, length) ^ about * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    return (hash ^ hash >> 27) | 1; /* 0: a free place */
}

/* *rows*: a power of two. Returns -1 with an error set where memory is exhausted. */
static int open_cache(Cache *cache, size_t rows, void (*evict)(Name *))
{
    cache->rows = PyMem_Calloc(rows, sizeof(Row));
    cache->mask = rows - 1;
    cache->evict = evict;
    if (cache->rows)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static void close_cache(Cache *cache)
{
    for (uint64_t number = 0; cache->rows && number <= cache->mask; number++)
        for (int place = 0; place < PLACES; place++)
            if (cache->rows[number].entries[place])
                cache->evict(cache->rows[number].entries[place]);
    PyMem_Free(cache->rows);
    cache->rows = NULL;
}

static inline int is_named(const Name *name, uint64_t about, const char *text, Py_ssize_t length)
{
    return name->about == about && name->length == length && !memcmp(name->text, text, (size_t)length);
}

static inline void swap_places(Row *row, int one, int other)
{
    uint64_t hash = row->hashes[one];
    Name *entry = row->entries[one];
    row->hashes[one] = row->hashes[other], row->entries[one] = row->entries[other];
    row->hashes[other] = hash, row->entries[other] = entry;
}

/* Prefetches the row of *hash* into the processor's cache, ahead of the lookup. */
static inline void fetch_row(const Cache *cache, uint64_t hash)
{
    const char *row = (const char *)&cache->rows[hash >> 1 & cache->mask];
    __builtin_prefetch(row);
    __builtin_prefetch(row + sizeof(Row) / 2);
}

/* Returns NULL where no entry has that key. *hash*: the key's `hash_of`. */
static void *find_hashed(Cache *cache, uint64_t hash, uint64_t about, const char *text, Py_ssize_t length)
{
    Row *row = &cache->rows[hash >> 1 & cache->mask];
    for (int place = 0; place < PLACES; place++) {
        if (row->hashes[place] != hash || !is_named(row->entries[place], about, text, length))
            continue;
        Name *found = row->entries[place];
        if (place)
            swap_places(row, place, place - 1);
        return found;
    }
    return NULL;
}

static void *find_entry(Cache *cache, uint64_t about, const char *text, Py_ssize_t length)
{
    return find_hashed(cache, hash_of(about, text, length), about, text, length);
}

/* Allocates an entry of *size* bytes with its name; NULL with an error set where memory is exhausted. */
static void *new_entry(size_t size, uint64_t about, const char *text, Py_ssize_t length)
{
    Name *name = PyMem_Calloc(1, size + (size_t)length);
    if (!name)
        return PyErr_NoMemory();
    name->text = (char *)name + size;
    memcpy(name->text, text, (size_t)length);
    name->about = about;
    name->length = (uint32_t)length;
    name->hash = hash_of(about, text, length);
    return name;
}

/* Replaces the entry of the same name, takes a free place, or evicts the row's last entry. The cache owns *entry*. */
static void insert_entry(Cache *cache, Name *entry)
{
    Row *row = &cache->rows[entry->hash >> 1 & cache->mask];
    Name *gone = NULL;
    int place = 0;
    while (place < PLACES && row->hashes[place] &&
           !(row->hashes[place] == entry->hash &&
             is_named(row->entries[place], entry->about, entry->text, entry->length)))
        place++;
    if (place == PLACES) {
        gone = row->entries[--place];
        for (; place > ENTRANCE; place--)
            row->hashes[place] = row->hashes[place - 1], row->entries[place] = row->entries[place - 1];
    } else {
        gone = row->entries[place];
    }
    row->hashes[place] = entry->hash;
    row->entries[place] = entry;
    if (gone)
        cache->evict(gone);
}

#endif
