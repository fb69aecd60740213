/* An ad made ready for one slot (`ready_ad.py`): what must be true for it to show, and its answer cast around holes. */

#ifndef PLACARD_PREPARED_AD_H
#define PLACARD_PREPARED_AD_H

#include <Python.h>
#include <structmember.h>

#include "common/tracking/token_hmac.h"

#define PAYLOAD_BYTES 132
#define PAYLOAD_CHARS (PAYLOAD_BYTES / 3 * 4)
#define TAG_CHARS (TAG_BYTES / 3 * 4)
#define ISSUED_AT 10 /* in a token's payload, as `common.tracking.token` lays it out */
#define TOKEN_ID_AT 24
#define ID_BYTES 16

enum { REQUEST_ID_HOLE, DECISION_HOLE, PAYLOAD_HOLE, TRACK_HOLE, IMPRESSION_HOLE, CLICK_HOLE, HOLES };

typedef struct {
    const char *text; /* NULL: a hole */
    Py_ssize_t length;
    int hole;
} Piece;

typedef struct {
    PyObject_HEAD
    long long turn; /* of the snapshot that all of this is of; 0: none */
    PyObject *campaign, *campaign_id, *row, *pieces, *key;
    uint64_t salt;
    long long expected_micros, pass_ppm;
    char asks, closed, spends, commits;
    unsigned char payload[PAYLOAD_BYTES];
    Py_ssize_t piece_count;
    Py_ssize_t length; /* of the answer, less the request's id */
    Piece *pieces_at;
} NativeAd;

static const Py_ssize_t HOLE_CHARS[HOLES] = {0, 36, PAYLOAD_CHARS, TAG_CHARS, TAG_CHARS, TAG_CHARS};

static int read_pieces(NativeAd *ad)
{
    Py_ssize_t count = PyTuple_GET_SIZE(ad->pieces);
    ad->pieces_at = PyMem_Calloc((size_t)count, sizeof(Piece));
    if (!ad->pieces_at) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *one = PyTuple_GET_ITEM(ad->pieces, at);
        Piece *piece = &ad->pieces_at[at];
        if (PyBytes_Check(one)) {
            piece->text = PyBytes_AS_STRING(one);
            piece->length = PyBytes_GET_SIZE(one);
        } else {
            long hole = PyLong_AsLong(one);
            if (hole < 0 || hole >= HOLES) {
                if (!PyErr_Occurred())
                    PyErr_SetString(PyExc_ValueError, "no such hole");
                return -1;
            }
            piece->hole = (int)hole;
            piece->length = HOLE_CHARS[hole];
        }
        ad->length += piece->length;
    }
    ad->piece_count = count;
    return 0;
}

static PyObject *new_ad(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *campaign, *campaign_id, *row, *pieces;
    unsigned long long salt;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OUKO!O!", &campaign, &campaign_id, &salt, &PyTuple_Type, &row,
                          &PyTuple_Type, &pieces))
        return NULL;
    NativeAd *ad = (NativeAd *)type->tp_alloc(type, 0);
    if (!ad)
        return NULL;
    ad->campaign = Py_NewRef(campaign);
    ad->campaign_id = Py_NewRef(campaign_id);
    ad->row = Py_NewRef(row);
    ad->pieces = Py_NewRef(pieces);
    ad->salt = salt;
    if (read_pieces(ad)) {
        Py_DECREF(ad);
        return NULL;
    }
    return (PyObject *)ad;
}

static void free_ad(NativeAd *ad)
{
    Py_XDECREF(ad->campaign);
    Py_XDECREF(ad->campaign_id);
    Py_XDECREF(ad->row);
    Py_XDECREF(ad->pieces);
    PyMem_Free(ad->pieces_at);
    Py_XDECREF(ad->key);
    memset(ad->payload, 0, sizeof ad->payload);
    Py_TYPE(ad)->tp_free(ad);
}

/* stand(turn, closed, spends, commits, expected_micros, pass_ppm, key, payload) */
static PyObject *ad_stand(NativeAd *ad, PyObject *args)
{
    int closed, spends, commits;
    long long turn, expected_micros, pass_ppm;
    PyObject *key;
    const char *payload;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "LpppLLOy#", &turn, &closed, &spends, &commits, &expected_micros,
                          &pass_ppm, &key, &payload, &length))
        return NULL;
    if (length != PAYLOAD_BYTES || !PyCapsule_IsValid(key, SEALING_KEY))
        return PyErr_Format(PyExc_ValueError, "not a token's payload, or no key to seal it");
    Py_XSETREF(ad->key, Py_NewRef(key));
    memcpy(ad->payload, payload, PAYLOAD_BYTES);
    ad->asks = 0;
    ad->closed = (char)closed, ad->spends = (char)spends, ad->commits = (char)commits;
    ad->expected_micros = expected_micros, ad->pass_ppm = pass_ppm;
    ad->turn = turn;
    Py_RETURN_NONE;
}

/* ask(turn): whether it shows cannot be told here. */
static PyObject *ad_ask(NativeAd *ad, PyObject *turn)
{
    long long number = PyLong_AsLongLong(turn);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    ad->asks = 1;
    ad->turn = number;
    Py_RETURN_NONE;
}

static PyMethodDef AD_METHODS[] = {
    {"stand", (PyCFunction)ad_stand, METH_VARARGS, NULL},
    {"ask", (PyCFunction)ad_ask, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static PyTypeObject MetAdType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeAd",
    .tp_basicsize = sizeof(NativeAd),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_ad,
    .tp_dealloc = (destructor)free_ad,
    .tp_methods = AD_METHODS,
};

static const char HEX_DIGITS[] = "0123456789abcdef";

/* *id*: as it is written, 36 characters. */
static void put_uuid(char *to, const unsigned char *id)
{
    for (int at = 0; at < ID_BYTES; at++) {
        if (at == 4 || at == 6 || at == 8 || at == 10)
            *to++ = '-';
        *to++ = HEX_DIGITS[id[at] >> 4];
        *to++ = HEX_DIGITS[id[at] & 15];
    }
}

/* The whole answer, on a connection that is kept. NULL with an error set. */
static PyObject *cast_answer(const NativeAd *ad, const unsigned char *token_id, long long now_ms,
                             const char *request_id, Py_ssize_t request_id_length)
{
    char decision[36], payload[PAYLOAD_CHARS], tags[3][TAG_CHARS];
    unsigned char raw[PAYLOAD_BYTES], digest[HASH_BYTES];
    const Key *key = PyCapsule_GetPointer(ad->key, SEALING_KEY);
    PyObject *answer = key ? PyBytes_FromStringAndSize(NULL, ad->length + request_id_length) : NULL;
    if (!answer)
        return NULL;
    memcpy(raw, ad->payload, PAYLOAD_BYTES);
    for (int byte = 0; byte < 6; byte++)
        raw[ISSUED_AT + byte] = (unsigned char)(now_ms >> (40 - 8 * byte));
    memcpy(raw + TOKEN_ID_AT, token_id, ID_BYTES);
    make_mac(key, raw, PAYLOAD_BYTES, digest);
    put_uuid(decision, token_id);
    put_text(payload, raw, PAYLOAD_BYTES);
    for (int tag = 0; tag < 3; tag++)
        put_text(tags[tag], digest + tag * TAG_BYTES, TAG_BYTES);
    const char *fillings[HOLES] = {request_id, decision, payload, tags[0], tags[1], tags[2]};
    char *to = PyBytes_AS_STRING(answer);
    for (Py_ssize_t at = 0; at < ad->piece_count; at++) {
        const Piece *piece = &ad->pieces_at[at];
        const char *text = piece->text ? piece->text : fillings[piece->hole];
        Py_ssize_t length = piece->length;
        if (!piece->text && piece->hole == REQUEST_ID_HOLE)
            length = request_id_length;
        memcpy(to, text, (size_t)length);
        to += length;
    }
    return answer;
}

#endif
