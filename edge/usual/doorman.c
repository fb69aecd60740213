/*
 * `doorman.py` in C: answers calls all of whose parts were met before, in the bytes and with the counts of
 * `usual_calls.py`, and leaves every other one alone.
 */

#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "edge/usual/cut.h"
#include "edge/usual/met.h"

#define READER_ROWS 2048
#define SOURCE_ROWS 4096
#define PAGE_ROWS 4096
#define LEFT_ROWS 4096
#define MOST_ADDRESS_CHARS 200
#define MOST_REQUEST_ID_CHARS 128

typedef enum { NOTHING, A_READER, A_PAGE, A_SOURCE, A_LEFT, AN_AD, MORE } Lack;

typedef struct {
    PyObject_HEAD
    PyObject *edge, *refuse, *chosen_id;
    Memory readers, sources, pages, lefts;
    long long fresh_turn, fresh_until_ms;
    int behind_proxies, lacks;
} Doorman;

/* What a call is found to be; all of it borrowed from the memories. */
typedef struct {
    const Reader *reader;
    const Source *source;
    const Page *page;
    const Left *left;
    long long now_ms, turn;
} Known;

#define NAMES(name)                                                                                          \
    name(answered_at_once) name(age_s) name(budgets) name(bytes) name(clock) name(commit) name(count)         \
    name(count_decision) name(count_key) name(counters) name(dead_after_s) name(decisions) name(edition)      \
    name(fill) name(find_current) name(geo) name(limiter) name(metrics) name(nearly_full) name(new_token_id)  \
    name(now_ms) name(open_micros) name(passes) name(peek_seed) name(settings) name(snapshots) name(spool)    \
    name(take) name(take_seed) name(turns) name(wants)

#define DECLARED(name) static PyObject *s_##name;
NAMES(DECLARED)

static PyObject *one;

static int intern_names(void)
{
#define INTERNED(name)                                                                                        \
    if (!(s_##name = PyUnicode_InternFromString(#name)))                                                      \
        return -1;
    NAMES(INTERNED)
    return (one = PyLong_FromLong(1)) ? 0 : -1;
}

/* A new reference; *owner*'s attribute of that name. */
static PyObject *part_of(Doorman *self, PyObject *name)
{
    return PyObject_GetAttr(self->edge, name);
}

/* Takes *found* over; -1 with an error set where it is no number. */
static long long number_in(PyObject *found)
{
    if (!found)
        return -1;
    long long number = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return number;
}

/* Calls *name* of the context's *part* with one argument. */
static PyObject *ask_part(Doorman *self, PyObject *part, PyObject *name, PyObject *const *more, size_t count)
{
    PyObject *args[12];
    PyObject *owner = part_of(self, part), *found = NULL;
    if (!owner)
        return NULL;
    args[0] = owner;
    for (size_t at = 0; at < count; at++)
        args[at + 1] = more[at];
    found = PyObject_VectorcallMethod(name, args, count + 1, NULL);
    Py_DECREF(owner);
    return found;
}

static long long number_of(Doorman *self, PyObject *part, PyObject *name)
{
    PyObject *owner = part_of(self, part);
    if (!owner)
        return -1;
    long long number = number_in(PyObject_GetAttr(owner, name));
    Py_DECREF(owner);
    return number;
}

static int lacks(Doorman *self, Lack lack)
{
    self->lacks = lack;
    return 0;
}

/* The key of a source: what the proxy says, and the peer. Its length, or -1 where it is not for here. */
static Py_ssize_t source_key(const char *said, Py_ssize_t length, PyObject *peer, char *key)
{
    Py_ssize_t peer_length;
    const char *text = PyUnicode_AsUTF8AndSize(peer, &peer_length);
    if (!text)
        return -1;
    if (length > MOST_ADDRESS_CHARS || peer_length > MOST_ADDRESS_CHARS)
        return -1;
    if (length)
        memcpy(key, said, (size_t)length);
    key[length] = '\n';
    memcpy(key + length + 1, text, (size_t)peer_length);
    return length + 1 + peer_length;
}

/* 1 where all of the call's parts are known and right now; 0 where not; -1 with an error set. */
static int find_known(Doorman *self, const Cut *cut, PyObject *peer, Known *known)
{
    char key[2 * MOST_ADDRESS_CHARS + 1];
    known->turn = number_of(self, s_snapshots, s_turns);
    if (known->turn <= 0)
        return PyErr_Occurred() ? -1 : lacks(self, MORE);
    known->now_ms = number_in(ask_part(self, s_clock, s_now_ms, NULL, 0));
    if (known->now_ms < 0)
        return PyErr_Occurred() ? -1 : lacks(self, MORE);
    known->reader = find_thing(&self->readers, 0, cut->steady, cut->steady_length);
    if (!known->reader || known->reader->site->turn != known->turn)
        return lacks(self, A_READER);
    if (known->now_ms >= known->reader->site->until_ms)
        return lacks(self, MORE);
    known->page = find_thing(&self->pages, known->reader->group, cut->page, cut->page_length);
    if (!known->page || !line_holds(known->page->line, known->turn, known->now_ms))
        return lacks(self, A_PAGE);
    Py_ssize_t said = self->behind_proxies ? cut->forwarded_length : 0;
    Py_ssize_t length = source_key(cut->forwarded_for, said, peer, key);
    if (length < 0)
        return PyErr_Occurred() ? -1 : lacks(self, MORE);
    known->source = find_thing(&self->sources, 0, key, length);
    if (!known->source)
        return lacks(self, A_SOURCE);
    if (known->source->edition != number_of(self, s_geo, s_edition))
        return PyErr_Occurred() ? -1 : lacks(self, A_SOURCE);
    uint64_t kind = known->reader->kind << 32 | known->source->kind;
    known->left = find_thing(&self->lefts, kind, (const char *)&known->page->line->number, sizeof(uint64_t));
    return known->left ? 1 : lacks(self, A_LEFT);
}

/* Whether the snapshot is recent enough; -1 with an error set. */
static int is_fresh(Doorman *self, const Known *known)
{
    if (self->fresh_turn == known->turn && known->now_ms < self->fresh_until_ms)
        return 1;
    PyObject *now = PyLong_FromLongLong(known->now_ms);
    PyObject *age = now ? ask_part(self, s_snapshots, s_age_s, &now, 1) : NULL;
    Py_XDECREF(now);
    double age_s = age ? PyFloat_AsDouble(age) : -1;
    Py_XDECREF(age);
    PyObject *settings = PyErr_Occurred() ? NULL : part_of(self, s_settings);
    PyObject *dead = settings ? PyObject_GetAttr(settings, s_dead_after_s) : NULL;
    Py_XDECREF(settings);
    double dead_after_s = dead ? PyFloat_AsDouble(dead) : -1;
    Py_XDECREF(dead);
    if (PyErr_Occurred())
        return -1;
    if (age_s > dead_after_s)
        return 0;
    /* It gets no older than by the time that passes, and another one has another turn. */
    self->fresh_turn = known->turn;
    self->fresh_until_ms = known->now_ms + (long long)((dead_after_s - age_s) * 1000) / 2;
    return 1;
}

/* 1 where one of these is to be written down, or the spool is full; -1 with an error set. */
static int is_watched(Doorman *self, PyObject *seed)
{
    PyObject *spool = part_of(self, s_spool);
    PyObject *full = spool ? PyObject_GetAttr(spool, s_nearly_full) : NULL;
    Py_XDECREF(spool);
    int is_full = full ? PyObject_IsTrue(full) : -1;
    Py_XDECREF(full);
    if (is_full)
        return is_full;
    PyObject *decisions = part_of(self, s_decisions);
    if (!decisions)
        return -1;
    static PyObject *debug;
    if (!debug && !(debug = Py_BuildValue("(s)", "debug"))) {
        Py_DECREF(decisions);
        return -1;
    }
    PyObject *args[] = {decisions, seed, Py_False};
    PyObject *wants = PyObject_VectorcallMethod(s_wants, args, 2, debug);
    Py_DECREF(decisions);
    int is_wanted = wants ? PyObject_IsTrue(wants) : -1;
    Py_XDECREF(wants);
    return is_wanted;
}

/* The ad that shows; NULL where that cannot be told here, or with an error set. Borrowed from the line. */
static MetAd *find_ad(Doorman *self, const Known *known, PyObject *snapshot)
{
    MetAd *ad = NULL;
    PyObject *seed = PyObject_CallMethodNoArgs(self->edge, s_peek_seed);
    PyObject *now = PyLong_FromLongLong(known->now_ms);
    PyObject *args[] = {snapshot, now};
    PyObject *open = seed && now ? ask_part(self, s_budgets, s_open_micros, args, 2) : NULL;
    PyObject *budgets = open ? part_of(self, s_budgets) : NULL;
    PyObject *passes = budgets ? PyObject_GetAttr(budgets, s_passes) : NULL;
    Py_XDECREF(budgets);
    if (passes) {
        Coins coins = {open, passes, PyLong_AsUnsignedLongLong(seed)};
        int watched = PyErr_Occurred() ? -1 : is_watched(self, seed);
        int fresh = watched ? 0 : is_fresh(self, known);
        if (fresh == 1) {
            self->lacks = AN_AD;
            ad = choose_ad(known->page->line, known->page->left, known->left->left, &coins);
        } else {
            self->lacks = MORE;
        }
    }
    Py_XDECREF(seed);
    Py_XDECREF(now);
    Py_XDECREF(open);
    Py_XDECREF(passes);
    return ad;
}

/* `count_call`: -1 with an error set, which may be that it is one call too many. */
static int count_call(Doorman *self, const Known *known, PyObject *now)
{
    static PyObject *serve;
    const MetSite *site = known->reader->site;
    if (!serve && !(serve = PyUnicode_InternFromString("serve")))
        return -1;
    PyObject *bucket = PyTuple_Pack(3, serve, site->property_id, known->source->network);
    if (!bucket)
        return -1;
    PyObject *by_address[] = {bucket, site->per_ip, now};
    PyObject *by_key[] = {site->bucket, site->per_key, now};
    PyObject *wait = ask_part(self, s_limiter, s_take, by_address, 3);
    Py_DECREF(bucket);
    int waits = wait ? PyObject_IsTrue(wait) : -1;
    if (!waits) {
        Py_SETREF(wait, ask_part(self, s_limiter, s_take, by_key, 3));
        waits = wait ? PyObject_IsTrue(wait) : -1;
    }
    PyObject *done = NULL;
    PyObject *counted[] = {site->property_id, site->key_id, one};
    if (waits == 1)
        done = PyObject_CallOneArg(self->refuse, wait);
    else if (!waits)
        done = ask_part(self, s_counters, s_count_key, counted, 3);
    Py_XDECREF(wait);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int count_fill(Doorman *self, const Known *known, const MetAd *ad)
{
    PyObject *const *row = &PyTuple_GET_ITEM(ad->row, 0);
    PyObject *args[] = {row[0], row[1], row[2], row[3], s_fill, known->source->country,
                        known->reader->device, row[4], row[5]};
    PyObject *done = ask_part(self, s_counters, s_count, args, 9);
    if (!done)
        return -1;
    Py_DECREF(done);
    PyObject *outcome[] = {s_fill};
    done = ask_part(self, s_metrics, s_count_decision, outcome, 1);
    if (!done)
        return -1;
    Py_DECREF(done);
    PyObject *metrics = part_of(self, s_metrics);
    PyObject *before = metrics ? PyObject_GetAttr(metrics, s_answered_at_once) : NULL;
    PyObject *now = before ? PyNumber_Add(before, one) : NULL;
    int failed = now ? PyObject_SetAttr(metrics, s_answered_at_once, now) : -1;
    Py_XDECREF(metrics);
    Py_XDECREF(before);
    Py_XDECREF(now);
    return failed;
}

static int commit(Doorman *self, PyObject *snapshot, const MetAd *ad, PyObject *now)
{
    if (!ad->commits)
        return 0;
    PyObject *micros = PyLong_FromLongLong(ad->expected_micros);
    PyObject *args[] = {snapshot, ad->campaign, micros, now};
    PyObject *done = micros ? ask_part(self, s_budgets, s_commit, args, 4) : NULL;
    Py_XDECREF(micros);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* The request's own id where it is fit to be one, else a new one, as a new reference. */
static PyObject *request_id_of(Doorman *self, const Cut *cut)
{
    Py_ssize_t length = cut->request_id ? cut->request_id_length : 0;
    int is_fit = length > 0 && length <= MOST_REQUEST_ID_CHARS && is_printable(cut->request_id, cut->request_id + length, '!');
    if (is_fit)
        return PyUnicode_FromStringAndSize(cut->request_id, length);
    return PyObject_CallOneArg(self->chosen_id, Py_None);
}

static PyObject *cast_for(Doorman *self, const Known *known, const Cut *cut, const MetAd *ad, PyObject *now)
{
    PyObject *made = PyObject_GetAttr(self->edge, s_new_token_id), *answer = NULL;
    PyObject *token = made ? PyObject_CallOneArg(made, now) : NULL;
    PyObject *raw = token ? PyObject_GetAttr(token, s_bytes) : NULL;
    PyObject *request_id = raw ? request_id_of(self, cut) : NULL;
    Py_ssize_t length;
    const char *text = request_id ? PyUnicode_AsUTF8AndSize(request_id, &length) : NULL;
    if (text && PyBytes_Check(raw) && PyBytes_GET_SIZE(raw) == ID_BYTES)
        answer = cast_answer(ad, (unsigned char *)PyBytes_AS_STRING(raw), known->now_ms, text, length);
    else if (text)
        PyErr_SetString(PyExc_TypeError, "a token's id is 16 bytes");
    Py_XDECREF(made);
    Py_XDECREF(token);
    Py_XDECREF(raw);
    Py_XDECREF(request_id);
    return answer;
}

/* Everything that an answer changes, and the answer; *ad* stays while this goes on. */
static PyObject *show(Doorman *self, const Known *known, const Cut *cut, MetAd *ad, PyObject *snapshot)
{
    PyObject *now = PyLong_FromLongLong(known->now_ms), *answer = NULL;
    if (!now)
        return NULL;
    Py_INCREF(ad);
    if (!count_call(self, known, now)) {
        PyObject *seed = PyObject_CallMethodNoArgs(self->edge, s_take_seed);
        if (seed && !commit(self, snapshot, ad, now) && !count_fill(self, known, ad))
            answer = cast_for(self, known, cut, ad, now);
        Py_XDECREF(seed);
    }
    Py_DECREF(ad);
    Py_DECREF(now);
    return answer;
}

static PyObject *doorman_answer(Doorman *self, PyObject *const *args, Py_ssize_t count)
{
    Cut cut;
    Known known;
    if (count != 4 || !PyBytes_Check(args[0]) || !PyUnicode_Check(args[3]))
        return PyErr_Format(PyExc_TypeError, "answer takes bytes, start, end and peer");
    Py_ssize_t start = PyLong_AsSsize_t(args[1]), end = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    self->lacks = MORE;
    if (start < 0 || end > PyBytes_GET_SIZE(args[0]) ||
        !cut_head(PyBytes_AS_STRING(args[0]) + start, end - start, &cut))
        Py_RETURN_NONE;
    int found = find_known(self, &cut, args[3], &known);
    if (found < 1)
        return found ? NULL : Py_NewRef(Py_None);
    PyObject *snapshot = ask_part(self, s_snapshots, s_find_current, NULL, 0);
    MetAd *ad = snapshot ? find_ad(self, &known, snapshot) : NULL;
    PyObject *answer = ad ? show(self, &known, &cut, ad, snapshot)
                          : PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    Py_XDECREF(snapshot);
    return answer;
}

/* keep_reader(text, site, device, group, kind) */
static PyObject *doorman_keep_reader(Doorman *self, PyObject *args)
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
    reader->site = (MetSite *)Py_NewRef(site);
    reader->device = Py_NewRef(device);
    reader->group = group, reader->kind = kind;
    keep_thing(&self->readers, &reader->name);
    Py_RETURN_NONE;
}

/* keep_source(peer, forwarded_for, network, country, kind, edition) */
static PyObject *doorman_keep_source(Doorman *self, PyObject *args)
{
    const char *said;
    Py_ssize_t said_length;
    PyObject *peer, *network, *country;
    unsigned long long kind;
    long long edition;
    char key[2 * MOST_ADDRESS_CHARS + 1];
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

/* keep_page(group, text, line, left) */
static PyObject *doorman_keep_page(Doorman *self, PyObject *args)
{
    unsigned long long group;
    const char *text, *left;
    Py_ssize_t length, left_length;
    MetLine *line;
    if (!PyArg_ParseTuple(args, "Ky#O!y#", &group, &text, &length, &MetLineType, &line, &left, &left_length))
        return NULL;
    size_t bytes = (size_t)line->words * 8;
    if (line->turn < 0 || left_length != (Py_ssize_t)bytes)
        Py_RETURN_NONE;
    Page *page = new_thing(sizeof(Page) + bytes, group, text, length);
    if (!page)
        return NULL;
    page->line = (MetLine *)Py_NewRef(line);
    memcpy(page->left, left, bytes);
    keep_thing(&self->pages, &page->name);
    Py_RETURN_NONE;
}

/* keep_left(line, reader_kind, source_kind, left) */
static PyObject *doorman_keep_left(Doorman *self, PyObject *args)
{
    unsigned long long reader_kind, source_kind;
    const char *bits;
    Py_ssize_t length;
    MetLine *line;
    if (!PyArg_ParseTuple(args, "O!KKy#", &MetLineType, &line, &reader_kind, &source_kind, &bits, &length))
        return NULL;
    size_t bytes = (size_t)line->words * 8;
    if (line->turn < 0 || length != (Py_ssize_t)bytes)
        Py_RETURN_NONE;
    uint64_t kind = reader_kind << 32 | source_kind;
    Left *left = new_thing(sizeof(Left) + bytes, kind, (const char *)&line->number, sizeof(uint64_t));
    if (!left)
        return NULL;
    memcpy(left->left, bits, bytes);
    keep_thing(&self->lefts, &left->name);
    Py_RETURN_NONE;
}

static int visit_doorman(Doorman *self, visitproc visit, void *arg)
{
    Py_VISIT(self->edge);
    Py_VISIT(self->refuse);
    Py_VISIT(self->chosen_id);
    return 0;
}

static int clear_doorman(Doorman *self)
{
    Py_CLEAR(self->edge);
    Py_CLEAR(self->refuse);
    Py_CLEAR(self->chosen_id);
    return 0;
}

static void free_doorman(Doorman *self)
{
    PyObject_GC_UnTrack(self);
    clear_doorman(self);
    close_memory(&self->readers);
    close_memory(&self->sources);
    close_memory(&self->pages);
    close_memory(&self->lefts);
    Py_TYPE(self)->tp_free(self);
}

/* Doorman(edge, refuse, chosen_id, behind_proxies) */
static PyObject *new_doorman(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *edge, *refuse, *chosen_id;
    int behind_proxies;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OOOp", &edge, &refuse, &chosen_id, &behind_proxies))
        return NULL;
    Doorman *self = (Doorman *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->edge = Py_NewRef(edge), self->refuse = Py_NewRef(refuse), self->chosen_id = Py_NewRef(chosen_id);
    self->behind_proxies = behind_proxies;
    if (open_memory(&self->readers, READER_ROWS, forget_reader) ||
        open_memory(&self->sources, SOURCE_ROWS, forget_source) ||
        open_memory(&self->pages, PAGE_ROWS, forget_page) ||
        open_memory(&self->lefts, LEFT_ROWS, forget_left)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyMethodDef DOORMAN_METHODS[] = {
    {"answer", (PyCFunction)(void (*)(void))doorman_answer, METH_FASTCALL, NULL},
    {"keep_reader", (PyCFunction)doorman_keep_reader, METH_VARARGS, NULL},
    {"keep_source", (PyCFunction)doorman_keep_source, METH_VARARGS, NULL},
    {"keep_page", (PyCFunction)doorman_keep_page, METH_VARARGS, NULL},
    {"keep_left", (PyCFunction)doorman_keep_left, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef DOORMAN_MEMBERS[] = {
    {"lacks", T_INT, offsetof(Doorman, lacks), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyTypeObject DoormanType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.usual.doorman.Doorman",
    .tp_basicsize = sizeof(Doorman),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_doorman,
    .tp_dealloc = (destructor)free_doorman,
    .tp_traverse = (traverseproc)visit_doorman,
    .tp_clear = (inquiry)clear_doorman,
    .tp_methods = DOORMAN_METHODS,
    .tp_members = DOORMAN_MEMBERS,
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "doorman", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_doorman(void)
{
    PyObject *module = intern_names() ? NULL : PyModule_Create(&MODULE);
    if (module && (PyModule_AddType(module, &MetSiteType) || PyModule_AddType(module, &MetAdType) ||
                   PyModule_AddType(module, &MetLineType) || PyModule_AddType(module, &DoormanType) ||
                   PyModule_AddIntConstant(module, "A_LEFT", A_LEFT) ||
                   PyModule_AddIntConstant(module, "AN_AD", AN_AD))) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
