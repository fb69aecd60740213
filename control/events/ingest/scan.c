/* `scan.py` in C: finds the same pieces of the same records in one pass. `scan.py` is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

typedef struct {
    const char *at, *end;
} Cursor;
typedef struct {
    const char *from;
    Py_ssize_t size;
} Piece;

#define SKIP(cursor, text) skip(cursor, text, sizeof(text) - 1)

static int skip(Cursor *cursor, const char *text, Py_ssize_t size)
{
    if (cursor->end - cursor->at < size || memcmp(cursor->at, text, size))
        return 0;
    cursor->at += size;
    return 1;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads *bytes* bytes in hexadecimal, packed into *into* unless that is NULL. */
static int hex(Cursor *cursor, Py_ssize_t bytes, unsigned char *into)
{
    if (cursor->end - cursor->at < 2 * bytes)
        return 0;
    for (Py_ssize_t n = 0; n < bytes; n++, cursor->at += 2) {
        int high = hex_digit(cursor->at[0]), low = hex_digit(cursor->at[1]);
        if (high < 0 || low < 0)
            return 0;
        if (into)
            into[n] = (unsigned char)(high << 4 | low);
    }
    return 1;
}

/* Skips hexadecimal digits and a closing quotation mark; returns the number of bytes, -1 if malformed. */
static Py_ssize_t quoted_hex(Cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && hex_digit(*cursor->at) >= 0)
        cursor->at++;
    Py_ssize_t size = cursor->at - start;
    return size % 2 == 0 && SKIP(cursor, "\"") ? size / 2 : -1;
}

static int uuid(Cursor *cursor, unsigned char *into)
{
    return hex(cursor, 4, into) && SKIP(cursor, "-") && hex(cursor, 2, into + 4) && SKIP(cursor, "-") &&
           hex(cursor, 2, into + 6) && SKIP(cursor, "-") && hex(cursor, 2, into + 8) && SKIP(cursor, "-") &&
           hex(cursor, 6, into + 10);
}

/* Reads a number of *least* to *most* digits, without a leading zero; *most* is 18 or less. */
static int count(Cursor *cursor, int least, int most, long long *value)
{
    const char *start = cursor->at;
    long long found = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9' && cursor->at - start < most)
        found = found * 10 + (*cursor->at++ - '0');
    Py_ssize_t size = cursor->at - start;
    *value = found;
    return size >= least && (size == 1 || *start != '0');
}

static int digits(Cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
        cursor->at++;
    return cursor->at > start;
}

/* Skips text without JSON escapes, and the closing quotation mark. */
static int plain(Cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at >= ' ' && *cursor->at <= '~' && *cursor->at != '"' &&
           *cursor->at != '\\')
        cursor->at++;
    return SKIP(cursor, "\"");
}

static int word(Cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && ((*cursor->at >= 'a' && *cursor->at <= 'z') || *cursor->at == '_'))
        cursor->at++;
    return cursor->at > start && SKIP(cursor, "\"");
}

static int text(Cursor *cursor)
{
    return SKIP(cursor, "null") || (SKIP(cursor, "\"") && plain(cursor));
}

/* Skips null, or quoted text with escaped quotation marks and backslashes. */
static int escaped(Cursor *cursor)
{
    if (SKIP(cursor, "null"))
        return 1;
    if (!SKIP(cursor, "\""))
        return 0;
    while (cursor->at < cursor->end && *cursor->at >= ' ' && *cursor->at <= '~' && *cursor->at != '"') {
        if (*cursor->at == '\\' &&
            (++cursor->at == cursor->end || (*cursor->at != '"' && *cursor->at != '\\')))
            return 0;
        cursor->at++;
    }
    return SKIP(cursor, "\"");
}

static int country(Cursor *cursor)
{
    if (SKIP(cursor, "null"))
        return 1;
    const char *start = cursor->at + 1;
    return SKIP(cursor, "\"") && word(cursor) && cursor->at - start == 3 && start[0] != '_' && start[1] != '_';
}

/* Finds a quoted network; for null, its size is 0 and *from* is NULL. */
static int network(Cursor *cursor, Piece *found)
{
    found->from = NULL;
    found->size = 0;
    if (SKIP(cursor, "null"))
        return 1;
    if (!SKIP(cursor, "\""))
        return 0;
    found->from = cursor->at;
    while (cursor->at < cursor->end &&
           (hex_digit(*cursor->at) >= 0 || *cursor->at == '.' || *cursor->at == '/' || *cursor->at == ':'))
        cursor->at++;
    found->size = cursor->at - found->from;
    return found->size > 0 && SKIP(cursor, "\"");
}

static int client(Cursor *cursor, Piece *found)
{
    found->from = NULL;
    found->size = 0;
    if (SKIP(cursor, "null"))
        return 1;
    if (!SKIP(cursor, "\""))
        return 0;
    found->from = cursor->at;
    Py_ssize_t bytes = quoted_hex(cursor);
    found->size = 2 * bytes;
    return bytes >= 1 && bytes <= 16;
}

static int person(Cursor *cursor, unsigned char *into, int *known)
{
    *known = !SKIP(cursor, "null");
    return !*known || (SKIP(cursor, "\"") && hex(cursor, 8, into) && SKIP(cursor, "\""));
}

static Piece since(const char *start, const Cursor *cursor)
{
    return (Piece){start, cursor->at - start};
}

static PyObject *joined(const Piece *pieces, int many)
{
    Py_ssize_t size = 0;
    for (int n = 0; n < many; n++)
        size += pieces[n].size;
    PyObject *found = PyBytes_FromStringAndSize(NULL, size);
    if (!found)
        return NULL;
    char *into = PyBytes_AS_STRING(found);
    for (int n = 0; n < many; into += pieces[n].size, n++)
        memcpy(into, pieces[n].from, pieces[n].size);
    return found;
}

static const char BEHIND[] = ",\"snapshot_version\":";

static PyObject *scan(PyObject *module, PyObject *raw)
{
    if (!PyBytes_Check(raw))
        return PyErr_Format(PyExc_TypeError, "scan takes bytes");
    const char *bytes = PyBytes_AS_STRING(raw), *start;
    Cursor c = {bytes, bytes + PyBytes_GET_SIZE(raw)};
    Piece writer, agent, reader, prefix, hash, alike[4];
    unsigned char token[16], who[8];
    long long sequence, issued_ms, at_ms, snapshot;
    int known;

    if (!SKIP(&c, "{\"v\":1,"))
        Py_RETURN_NONE;
    start = c.at;
    if (!(SKIP(&c, "\"edge\":\"") && plain(&c) && SKIP(&c, ",\"boot\":\"") && plain(&c)))
        Py_RETURN_NONE;
    writer = since(start, &c);
    if (!(SKIP(&c, ",\"seq\":") && count(&c, 1, 18, &sequence) && SKIP(&c, ",\"key\":\"") && quoted_hex(&c) >= 0 &&
          SKIP(&c, ",\"t\":\"event\",\"body\":{")))
        Py_RETURN_NONE;
    start = c.at;
    if (!(SKIP(&c, "\"kind\":\"") && word(&c) && SKIP(&c, ",")))
        Py_RETURN_NONE;
    alike[0] = since(start, &c);
    if (!(SKIP(&c, "\"token_id\":\"") && uuid(&c, token) && SKIP(&c, "\",\"issued_ms\":") &&
          count(&c, 13, 13, &issued_ms) && SKIP(&c, ",\"at_ms\":") && count(&c, 13, 13, &at_ms) && SKIP(&c, ",")))
        Py_RETURN_NONE;
    start = c.at;
    c.at = memmem(start, c.end - start, BEHIND, sizeof(BEHIND) - 1);
    if (!c.at)
        Py_RETURN_NONE;
    c.at++;
    alike[1] = since(start, &c);
    if (!(SKIP(&c, "\"snapshot_version\":") && count(&c, 1, 18, &snapshot) && SKIP(&c, ",\"facts\":{\"ip_prefix\":") &&
          network(&c, &prefix) && SKIP(&c, ",")))
        Py_RETURN_NONE;
    start = c.at;
    if (!(SKIP(&c, "\"user_agent_family\":") && text(&c) && SKIP(&c, ",\"user_agent_major\":") && text(&c) &&
          (!SKIP(&c, ",\"user_agent_pattern\":") || escaped(&c))))
        Py_RETURN_NONE;
    agent = since(start, &c);
    if (!(SKIP(&c, ",\"referrer_origin\":") && text(&c) && SKIP(&c, ",\"origin\":") && text(&c) && SKIP(&c, ",\"client_hash\":") && client(&c, &hash) &&
          SKIP(&c, ",\"prefetch\":") && (SKIP(&c, "true") || SKIP(&c, "false")) && SKIP(&c, "},")))
        Py_RETURN_NONE;
    start = c.at;
    if (!(SKIP(&c, "\"reason\":\"") && word(&c) && SKIP(&c, ",\"judge_version\":") && digits(&c) && SKIP(&c, ",")))
        Py_RETURN_NONE;
    alike[2] = since(start, &c);
    if (!SKIP(&c, "\"value_cents\":null,\"currency\":null,\"order_id\":null,"))
        Py_RETURN_NONE;
    start = c.at;
    if (!(SKIP(&c, "\"country\":") && country(&c) && SKIP(&c, ",\"device\":") &&
          (SKIP(&c, "null") || (SKIP(&c, "\"") && word(&c)))))
        Py_RETURN_NONE;
    reader = since(start, &c);
    if (!(SKIP(&c, ",\"person\":") && person(&c, who, &known) && SKIP(&c, ",")))
        Py_RETURN_NONE;
    start = c.at;
    if (!(SKIP(&c, "\"signs\":") && (SKIP(&c, "null") || digits(&c)) && SKIP(&c, ",\"lists_version\":") && text(&c) &&
          (!SKIP(&c, ",\"live_reason\":") || SKIP(&c, "null") || (SKIP(&c, "\"") && word(&c)))))
        Py_RETURN_NONE;
    alike[3] = since(start, &c);
    if (!SKIP(&c, "}}") || c.at != c.end)
        Py_RETURN_NONE;
    return Py_BuildValue("(y#LNy#LLLy#y#s#y#y#)", writer.from, writer.size, sequence, joined(alike, 4), (char *)token,
                         (Py_ssize_t)16, issued_ms, at_ms, snapshot, prefix.from, prefix.size, agent.from, agent.size,
                         hash.from, hash.size, reader.from, reader.size, known ? (char *)who : NULL, (Py_ssize_t)8);
}

static PyMethodDef METHODS[] = {{"scan", scan, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "scan", NULL, -1, METHODS};

PyMODINIT_FUNC PyInit_scan(void)
{
    return PyModule_Create(&MODULE);
}
