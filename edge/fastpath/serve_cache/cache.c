#include "edge/fastpath/serve_cache/cache.h"

#include <sys/random.h>

#include "edge/fastpath/serve_cache/keyed_hash.h"

static HashKey hash_key;

int draw_hash_key(void)
{
    if (getrandom(&hash_key, sizeof hash_key, 0) == sizeof hash_key)
        return 0;
    PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

uint64_t hash_of(uint64_t about, const char *text, Py_ssize_t length)
{
    return keyed_hash(&hash_key, about, text, (size_t)length) | 1; /* 0: a free place */
}

int open_cache(Cache *cache, size_t rows, void (*evict)(Name *))
{
    cache->rows = PyMem_Calloc(rows, sizeof(Row));
    cache->mask = rows - 1;
    cache->evict = evict;
    if (cache->rows)
        return 0;
    PyErr_NoMemory();
    return -1;
}

void close_cache(Cache *cache)
{
    for (uint64_t number = 0; cache->rows && number <= cache->mask; number++)
        for (int place = 0; place < PLACES; place++)
            if (cache->rows[number].entries[place])
                cache->evict(cache->rows[number].entries[place]);
    PyMem_Free(cache->rows);
    cache->rows = NULL;
}

static int is_named(const Name *name, uint64_t about, const char *text, Py_ssize_t length)
{
    return name->about == about && name->length == (size_t)length && !memcmp(name->text, text, (size_t)length);
}

static void swap_places(Row *row, int one, int other)
{
    uint64_t hash = row->hashes[one];
    Name *entry = row->entries[one];
    row->hashes[one] = row->hashes[other], row->entries[one] = row->entries[other];
    row->hashes[other] = hash, row->entries[other] = entry;
}

void *find_hashed(Cache *cache, uint64_t hash, uint64_t about, const char *text, Py_ssize_t length)
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

void *find_entry(Cache *cache, uint64_t about, const char *text, Py_ssize_t length)
{
    return find_hashed(cache, hash_of(about, text, length), about, text, length);
}

void *new_entry(size_t size, uint64_t about, const char *text, Py_ssize_t length)
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

void insert_entry(Cache *cache, Name *entry)
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
