/* What the native cache is told by who answered a call in its place. */

#ifndef PLACARD_INSERT_H
#define PLACARD_INSERT_H

#include "edge/fastpath/serve_cache/lookup.h"

/* put_client(text, site, device, group, kind) */
static PyObject *native_cache_keep_reader(NativeServeCache *self, PyObject *args)
{
    const char *text;
    Py_ssize_t length;
    PyObject *site, *device;
    unsigned long long group, kind;
    if (!PyArg_ParseTuple(args, "y#O!OKK", &text, &length, &MetSiteType, &site, &device, &group, &kind))
        return NULL;
    Reader *reader = new_thing(sizeof(Reader), 0, text, length);
    if (!reader)
        return NULL;
    reader->site = (NativeKey *)Py_NewRef(site);
    reader->device = Py_NewRef(device);
    reader->group = group, reader->kind = kind;
    keep_thing(&self->readers, &reader->name);
    Py_RETURN_NONE;
}

/* put_address(peer, forwarded_for, network, country, kind, edition) */
static PyObject *native_cache_keep_source(NativeServeCache *self, PyObject *args)
{
    const char *said;
    Py_ssize_t said_length;
    PyObject *peer, *network, *country;
    unsigned long long kind;
    long long edition;
    char key[2 * MAX_ADDRESS_CHARS + 1];
    if (!PyArg_ParseTuple(args, "Uy#OOKL", &peer, &said, &said_length, &network, &country, &kind, &edition))
        return NULL;
    Py_ssize_t length = source_key(said, said_length, peer, key);
    if (length < 0 && PyErr_Occurred())
        return NULL;
    if (length < 0)
        Py_RETURN_NONE;
    Source *source = new_thing(sizeof(Source), 0, key, length);
    if (!source)
        return NULL;
    source->network = Py_NewRef(network), source->country = Py_NewRef(country);
    source->kind = kind, source->edition = edition;
    keep_thing(&self->sources, &source->name);
    Py_RETURN_NONE;
}

/* put_page(group, text, line, left) */
static PyObject *native_cache_keep_page(NativeServeCache *self, PyObject *args)
{
    unsigned long long group;
    const char *text, *left;
    Py_ssize_t length, left_length;
    NativeSlotSegment *line;
    if (!PyArg_ParseTuple(args, "Ky#O!y#", &group, &text, &length, &MetLineType, &line, &left, &left_length))
        return NULL;
    size_t bytes = (size_t)line->words * 8;
    if (line->turn < 0 || left_length != (Py_ssize_t)bytes)
        Py_RETURN_NONE;
    Page *page = new_thing(sizeof(Page) + bytes, group, text, length);
    if (!page)
        return NULL;
    const Page *before = find_hashed(&self->pages, page->name.hash, group, text, length);
    page->number = before ? before->number : ++self->pages_made;
    page->line = (NativeSlotSegment *)Py_NewRef(line);
    memcpy(page->left, left, bytes);
    keep_thing(&self->pages, &page->name);
    Py_RETURN_NONE;
}

/* Whom *kind* leaves of *line*, where *bits* are of it and it is not over; -1 with an error set. */
static int keep_left_of(NativeServeCache *self, NativeSlotSegment *line, uint64_t kind, const char *bits, Py_ssize_t length)
{
    size_t bytes = (size_t)line->words * 8;
    if (line->turn < 0 || length != (Py_ssize_t)bytes)
        return 0;
    Left *left = new_thing(sizeof(Left) + bytes, kind, (const char *)&line->number, sizeof(uint64_t));
    if (!left)
        return -1;
    memcpy(left->left, bits, bytes);
    keep_thing(&self->lefts, &left->name);
    return 0;
}

/* put_mask(line, reader_kind, source_kind, left) */
static PyObject *native_cache_keep_left(NativeServeCache *self, PyObject *args)
{
    unsigned long long reader_kind, source_kind;
    const char *bits;
    Py_ssize_t length;
    NativeSlotSegment *line;
    if (!PyArg_ParseTuple(args, "O!KKy#", &MetLineType, &line, &reader_kind, &source_kind, &bits, &length))
        return NULL;
    if (keep_left_of(self, line, kind_of(reader_kind, source_kind), bits, length))
        return NULL;
    Py_RETURN_NONE;
}

/* put_next_segment(group, text, line, left_by_page, reader_kind, source_kind, left) */
static PyObject *native_cache_keep_further(NativeServeCache *self, PyObject *args)
{
    unsigned long long group, reader_kind, source_kind;
    const char *text, *by_page, *left;
    Py_ssize_t length, by_page_length, left_length;
    NativeSlotSegment *line;
    if (!PyArg_ParseTuple(args, "Ky#O!y#KKy#", &group, &text, &length, &MetLineType, &line, &by_page,
                          &by_page_length, &reader_kind, &source_kind, &left, &left_length))
        return NULL;
    const Page *page = find_thing(&self->pages, group, text, length);
    if (!page)
        Py_RETURN_NONE;
    if (keep_left_of(self, line, kind_of_page(page), by_page, by_page_length) ||
        keep_left_of(self, line, kind_of(reader_kind, source_kind), left, left_length))
        return NULL;
    Py_RETURN_NONE;
}

#endif
