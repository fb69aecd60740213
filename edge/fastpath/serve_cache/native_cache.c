/*
 * `native_cache.py` in C. It answers a request only if every part of it is cached, with the same bytes and counts as
 * `edge.serving.serve_flow`; any other request falls through unchanged.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "common/values/python_compat.h"
#include "edge/fastpath/serve_cache/account.h"
#include "edge/fastpath/serve_cache/insert.h"
#include "edge/fastpath/serve_cache/lookup.h"
#include "edge/fastpath/serve_cache/random.h"

#define CLIENT_ROWS 2048
#define ADDRESS_ROWS 8192
#define CONSENT_ROWS 4096
#define PAGE_ROWS 4096
#define MASK_ROWS 8192

static PyObject *render_for(NativeServeCache *self, const LookupResult *known, const HeadParts *parts, const NativeAd *ad)
{
    unsigned char id[ID_BYTES];
    char made[MADE_REQUEST_ID_CHARS];
    const char *request_id;
    if (get_token_id(self, known, id))
        return NULL;
    Py_ssize_t length = choose_request_id(self, parts, made, &request_id);
    return render_response(ad, id, known->now_ms, request_id, length);
}

/* Counts, commits and renders: everything that an answer changes, and the answer. Holds a reference to *ad*. */
static PyObject *serve_ad(NativeServeCache *self, LookupResult *known, const HeadParts *parts, NativeAd *ad, PyObject *snapshot)
{
    PyObject *answer = NULL;
    Py_INCREF(ad);
    if (!count_call(self, known)) {
        if (!take_seed(self, known) && !commit_spend(self, snapshot, ad, known->now) &&
            !count_fill(self, known, ad))
            answer = render_for(self, known, parts, ad);
    }
    Py_DECREF(ad);
    return answer;
}

static PyObject *serve_known(NativeServeCache *self, LookupResult *known, const HeadParts *parts)
{
    PyObject *snapshot = call_part(self, &a_snapshots, s_find_current, NULL, 0);
    known->now = snapshot ? PyLong_FromLongLong(known->now_ms) : NULL;
    NativeAd *ad = known->now ? pick_ad(self, known, snapshot) : NULL;
    PyObject *answer = ad ? serve_ad(self, known, parts, ad, snapshot)
                          : PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    if (keep_seed(self, known))
        Py_CLEAR(answer);
    Py_XDECREF(snapshot);
    Py_XDECREF(known->now);
    Py_XDECREF(known->seed);
    return answer;
}

static PyObject *native_cache_answer(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    NativeServeCache *self = (NativeServeCache *)object;
    HeadParts parts;
    LookupResult known;
    if (count != 4 || !PyBytes_Check(args[0]) || !PyUnicode_Check(args[3]))
        return PyErr_Format(PyExc_TypeError, "answer takes bytes, start, end and peer");
    Py_ssize_t start = PyLong_AsSsize_t(args[1]), end = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    self->miss_reason = MISS_UNCACHEABLE;
    self->effect = -1;
    if (start < 0 || end < start || end > PyBytes_GET_SIZE(args[0]) ||
        !read_head_parts(PyBytes_AS_STRING(args[0]) + start, end - start, &parts))
        Py_RETURN_NONE;
    int found = lookup_request(self, &parts, args[3], &known);
    if (found < 1)
        return found ? NULL : Py_NewRef(Py_None);
    known.now = known.seed = known.rng = NULL;
    return serve_known(self, &known, &parts);
}

static int visit_native_cache(PyObject *object, visitproc visit, void *arg)
{
    NativeServeCache *self = (NativeServeCache *)object;
    Py_VISIT(self->edge);
    Py_VISIT(self->refuse);
    Py_VISIT(self->machine_clock);
    Py_VISIT(self->new_id_at);
    return 0;
}

static int clear_native_cache(PyObject *object)
{
    NativeServeCache *self = (NativeServeCache *)object;
    Py_CLEAR(self->edge);
    Py_CLEAR(self->refuse);
    Py_CLEAR(self->machine_clock);
    Py_CLEAR(self->new_id_at);
    return 0;
}

static void free_native_cache(PyObject *object)
{
    NativeServeCache *self = (NativeServeCache *)object;
    PyObject_GC_UnTrack(object);
    clear_native_cache(object);
    close_cache(&self->clients);
    close_cache(&self->addresses);
    close_cache(&self->consents);
    close_cache(&self->pages);
    close_cache(&self->masks);
    Py_TYPE(object)->tp_free(object);
}

/* NativeServeCache(edge, refuse, machine_clock, new_id_at, behind_proxies) */
static PyObject *new_native_cache(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *edge, *refuse, *machine_clock, *new_id_at;
    int behind_proxies;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OOOOp", &edge, &refuse, &machine_clock, &new_id_at, &behind_proxies))
        return NULL;
    NativeServeCache *self = (NativeServeCache *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->edge = Py_NewRef(edge), self->refuse = Py_NewRef(refuse);
    self->machine_clock = Py_NewRef(machine_clock), self->new_id_at = Py_NewRef(new_id_at);
    self->behind_proxies = behind_proxies;
    const unsigned char *chance = take_chance(self, sizeof self->process + sizeof self->next_request);
    if (chance) {
        memcpy(&self->process, chance, sizeof self->process);
        memcpy(&self->next_request, chance + sizeof self->process, sizeof self->next_request);
    }
    if (!chance || open_cache(&self->clients, CLIENT_ROWS, evict_client) ||
        open_cache(&self->addresses, ADDRESS_ROWS, evict_address) ||
        open_cache(&self->consents, CONSENT_ROWS, evict_plain) ||
        open_cache(&self->pages, PAGE_ROWS, evict_page) ||
        open_cache(&self->masks, MASK_ROWS, evict_plain)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyMethodDef CACHE_METHODS[] = {
    {"answer", (PyCFunction)(void (*)(void))native_cache_answer, METH_FASTCALL, NULL},
    {"put_client", native_cache_put_client, METH_VARARGS, NULL},
    {"put_address", native_cache_put_address, METH_VARARGS, NULL},
    {"put_consent", native_cache_put_consent, METH_VARARGS, NULL},
    {"put_page", native_cache_put_page, METH_VARARGS, NULL},
    {"put_mask", native_cache_put_mask, METH_VARARGS, NULL},
    {"put_page_mask", native_cache_put_page_mask, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef CACHE_MEMBERS[] = {
    {"miss_reason", Py_T_INT, offsetof(NativeServeCache, miss_reason), Py_READONLY, NULL},
    {"at", Py_T_INT, offsetof(NativeServeCache, at), Py_READONLY, NULL},
    {"effect", Py_T_LONGLONG, offsetof(NativeServeCache, effect), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyTypeObject NativeServeCacheType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeServeCache",
    .tp_basicsize = sizeof(NativeServeCache),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_native_cache,
    .tp_dealloc = free_native_cache,
    .tp_traverse = visit_native_cache,
    .tp_clear = clear_native_cache,
    .tp_methods = CACHE_METHODS,
    .tp_members = CACHE_MEMBERS,
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, .m_name = "native_cache", .m_size = -1};

PyMODINIT_FUNC PyInit_native_cache(void)
{
    PyObject *module = intern_names() || find_counter_type() || draw_hash_key() ? NULL : PyModule_Create(&MODULE);
    if (module && (PyModule_AddType(module, &NativeKeyType) || PyModule_AddType(module, &NativeAdType) ||
                   PyModule_AddType(module, &NativeSlotSegmentType) || PyModule_AddType(module, &NativeServeCacheType) ||
                   PyModule_AddIntConstant(module, "MISS_NONE", MISS_NONE) ||
                   PyModule_AddIntConstant(module, "MISS_CLIENT", MISS_CLIENT) ||
                   PyModule_AddIntConstant(module, "MISS_PAGE", MISS_PAGE) ||
                   PyModule_AddIntConstant(module, "MISS_ADDRESS", MISS_ADDRESS) ||
                   PyModule_AddIntConstant(module, "MISS_MASK", MISS_MASK) ||
                   PyModule_AddIntConstant(module, "MISS_AD", MISS_AD) ||
                   PyModule_AddIntConstant(module, "MISS_NEXT_SEGMENT", MISS_NEXT_SEGMENT) ||
                   PyModule_AddIntConstant(module, "MISS_UNCACHEABLE", MISS_UNCACHEABLE))) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
