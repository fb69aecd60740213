#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include "edge/fastpath/serve_cache/prepared_ad.h"

#include <string.h>

enum {
    REQUEST_ID_PLACEHOLDER,
    DECISION_PLACEHOLDER,
    PAYLOAD_PLACEHOLDER,
    TRACK_PLACEHOLDER,
    IMPRESSION_PLACEHOLDER,
    CLICK_PLACEHOLDER,
    PLACEHOLDERS
};

static const Py_ssize_t PLACEHOLDER_CHARS[PLACEHOLDERS] = {0, 36, PAYLOAD_CHARS, TAG_CHARS, TAG_CHARS, TAG_CHARS};

static int read_parts(NativeAd *ad)
{
    Py_ssize_t count = PyTuple_GET_SIZE(ad->parts);
    ad->parts_at = PyMem_Calloc((size_t)count, sizeof(TemplatePart));
    if (!ad->parts_at) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *one = PyTuple_GET_ITEM(ad->parts, at);
        TemplatePart *part = &ad->parts_at[at];
        if (PyBytes_Check(one)) {
            part->text = PyBytes_AS_STRING(one);
            part->length = PyBytes_GET_SIZE(one);
        } else {
            long placeholder = PyLong_AsLong(one);
            if (placeholder < 0 || placeholder >= PLACEHOLDERS) {
                if (!PyErr_Occurred())
                    PyErr_SetString(PyExc_ValueError, "no such placeholder");
                return -1;
            }
            part->placeholder = (int)placeholder;
            part->length = PLACEHOLDER_CHARS[placeholder];
        }
        ad->length += part->length;
    }
    ad->part_count = count;
    return 0;
}

/* Checks what `count_fill` reads without looking. Returns -1 with an error set. */
static int check_row(PyObject *row)
{
    int good = PyTuple_GET_SIZE(row) == ROW_COLUMNS;
    for (int at = 0; good && at < ROW_COLUMNS; at++)
        good = PyUnicode_Check(PyTuple_GET_ITEM(row, at));
    if (!good)
        PyErr_Format(PyExc_TypeError, "an ad's row is %d texts, not %R", ROW_COLUMNS, row);
    return good ? 0 : -1;
}

static PyObject *new_ad(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *campaign, *campaign_id, *row, *parts;
    unsigned long long salt;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OUKO!O!", &campaign, &campaign_id, &salt, &PyTuple_Type, &row,
                          &PyTuple_Type, &parts) ||
        check_row(row))
        return NULL;
    NativeAd *ad = (NativeAd *)type->tp_alloc(type, 0);
    if (!ad)
        return NULL;
    ad->campaign = Py_NewRef(campaign);
    ad->campaign_id = Py_NewRef(campaign_id);
    ad->row = Py_NewRef(row);
    ad->parts = Py_NewRef(parts);
    ad->salt = salt;
    if (read_parts(ad)) {
        Py_DECREF(ad);
        return NULL;
    }
    return (PyObject *)ad;
}

static void free_ad(PyObject *self)
{
    NativeAd *ad = (NativeAd *)self;
    Py_XDECREF(ad->campaign);
    Py_XDECREF(ad->campaign_id);
    Py_XDECREF(ad->row);
    Py_XDECREF(ad->parts);
    PyMem_Free(ad->parts_at);
    Py_XDECREF(ad->key);
    explicit_bzero(ad->payload, sizeof ad->payload);
    Py_TYPE(self)->tp_free(self);
}

/* update(generation, closed, spends, commits, expected_micros, pass_ppm, key, payload) */
static PyObject *ad_update(PyObject *self, PyObject *args)
{
    NativeAd *ad = (NativeAd *)self;
    int closed, spends, commits;
    long long generation, expected_micros, pass_ppm;
    PyObject *key;
    const char *payload;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "LpppLLOy#", &generation, &closed, &spends, &commits, &expected_micros,
                          &pass_ppm, &key, &payload, &length))
        return NULL;
    if (length != PAYLOAD_BYTES || !PyCapsule_IsValid(key, MAC_KEY_CAPSULE))
        return PyErr_Format(PyExc_ValueError, "not a token's payload, or no key to sign it");
    Py_XSETREF(ad->key, Py_NewRef(key));
    memcpy(ad->payload, payload, PAYLOAD_BYTES);
    ad->falls_back = 0;
    ad->closed = (char)closed, ad->spends = (char)spends, ad->commits = (char)commits;
    ad->expected_micros = expected_micros, ad->pass_ppm = pass_ppm;
    ad->generation = generation;
    Py_RETURN_NONE;
}

/* fall_back(generation): only the slow path can decide whether the ad is shown. */
static PyObject *ad_fall_back(PyObject *self, PyObject *generation)
{
    NativeAd *ad = (NativeAd *)self;
    long long number = PyLong_AsLongLong(generation);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    ad->falls_back = 1;
    ad->generation = number;
    Py_RETURN_NONE;
}

static PyMethodDef AD_METHODS[] = {
    {"update", ad_update, METH_VARARGS, NULL},
    {"fall_back", ad_fall_back, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

/* Not known to the garbage collector: see `docs/native.md`. */
PyTypeObject NativeAdType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeAd",
    .tp_basicsize = sizeof(NativeAd),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_ad,
    .tp_dealloc = free_ad,
    .tp_methods = AD_METHODS,
};

const char HEX_DIGITS[] = "0123456789abcdef";

/* Writes *id* as UUID text of 36 characters. */
static void put_uuid(char *to, const unsigned char *id)
{
    for (int at = 0; at < ID_BYTES; at++) {
        if (at == 4 || at == 6 || at == 8 || at == 10)
            *to++ = '-';
        *to++ = HEX_DIGITS[id[at] >> 4];
        *to++ = HEX_DIGITS[id[at] & 15];
    }
}

PyObject *render_response(const NativeAd *ad, const unsigned char *token_id, long long now_ms, const char *request_id,
                          Py_ssize_t request_id_length)
{
    char decision[36], payload[PAYLOAD_CHARS], tags[3][TAG_CHARS];
    unsigned char raw[PAYLOAD_BYTES], digest[MAC_BYTES];
    const MacKey *key = PyCapsule_GetPointer(ad->key, MAC_KEY_CAPSULE);
    PyObject *answer = key ? PyBytes_FromStringAndSize(NULL, ad->length + request_id_length) : NULL;
    if (!answer)
        return NULL;
    memcpy(raw, ad->payload, PAYLOAD_BYTES);
    for (int byte = 0; byte < 6; byte++)
        raw[ISSUED_AT + byte] = (unsigned char)(now_ms >> (40 - 8 * byte));
    memcpy(raw + TOKEN_ID_AT, token_id, ID_BYTES);
    make_mac(key, raw, PAYLOAD_BYTES, digest);
    put_uuid(decision, token_id);
    put_base64url(payload, raw, PAYLOAD_BYTES);
    for (int tag = 0; tag < 3; tag++)
        put_base64url(tags[tag], digest + tag * TAG_BYTES, TAG_BYTES);
    const char *values[PLACEHOLDERS] = {request_id, decision, payload, tags[0], tags[1], tags[2]};
    char *to = PyBytes_AS_STRING(answer);
    for (Py_ssize_t at = 0; at < ad->part_count; at++) {
        const TemplatePart *part = &ad->parts_at[at];
        const char *text = part->text ? part->text : values[part->placeholder];
        Py_ssize_t length = part->length;
        if (!part->text && part->placeholder == REQUEST_ID_PLACEHOLDER)
            length = request_id_length;
        memcpy(to, text, (size_t)length);
        to += length;
    }
    return answer;
}
