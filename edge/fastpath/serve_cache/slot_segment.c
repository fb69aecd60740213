#define PY_SSIZE_T_CLEAN
#include "edge/fastpath/serve_cache/slot_segment.h"

#include "common/values/python_compat.h"

enum { MAX_RUN = 1 << 15, MAX_RUNS = 1 << 14 };

static uint64_t segments_made;

static PyObject *new_segment(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *versions, *starts;
    long long since_ms, until_ms, version;
    int words, block;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "iLLLiO!O!", &words, &since_ms, &until_ms, &version, &block, &PyList_Type,
                          &versions, &PyList_Type, &starts))
        return NULL;
    NativeSlotSegment *segment = (NativeSlotSegment *)type->tp_alloc(type, 0);
    if (!segment)
        return NULL;
    /* With 0 words no mask has the right length: none is stored for the segment, and no request reaches it. */
    segment->words = words > 0 && words <= MAX_WORDS ? words : 0;
    segment->version = version, segment->block = block;
    segment->since_ms = since_ms, segment->until_ms = until_ms;
    segment->versions = Py_NewRef(versions), segment->starts = Py_NewRef(starts);
    segment->generation = block >= 0 ? 0 : -1;
    segment->missing_run = segment->missing_position = -1;
    segment->number = ++segments_made;
    return (PyObject *)segment;
}

/* Invalidates the segment and releases what it holds. */
static void end_segment(NativeSlotSegment *segment)
{
    segment->generation = -1;
    for (int rank = 0; rank < segment->count; rank++)
        Py_CLEAR(segment->slots[rank].ad);
    PyMem_Free(segment->slots);
    PyMem_Free(segment->positions);
    segment->slots = NULL, segment->positions = NULL;
    segment->count = segment->room = 0;
    Py_CLEAR(segment->next);
    Py_CLEAR(segment->order);
}

/* end() */
static PyObject *segment_end(PyObject *self, PyObject *none)
{
    (void)none;
    end_segment((NativeSlotSegment *)self);
    Py_RETURN_NONE;
}

static void free_segment(PyObject *self)
{
    NativeSlotSegment *segment = (NativeSlotSegment *)self;
    end_segment(segment);
    Py_XDECREF(segment->versions);
    Py_XDECREF(segment->starts);
    Py_TYPE(self)->tp_free(self);
}

static int make_room(NativeSlotSegment *segment, int count)
{
    if (count <= segment->room)
        return 0;
    int room = count * 2; /* far below INT_MAX: see `MAX_RUN` and `MAX_RUNS` */
    RankSlot *slots = PyMem_Realloc(segment->slots, (size_t)room * sizeof(RankSlot));
    if (slots)
        segment->slots = slots;
    uint16_t *positions = PyMem_Realloc(segment->positions, (size_t)room * sizeof(uint16_t));
    if (positions)
        segment->positions = positions;
    if (!slots || !positions) {
        PyErr_NoMemory();
        return -1;
    }
    segment->room = room;
    return 0;
}

/* Whether *run* is pairs of whole numbers, which no conversion can change; -1 with an error set where it is not. */
static int check_run(PyObject *run)
{
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(run); at++) {
        PyObject *pair = PyList_GET_ITEM(run, at);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 || !PyLong_Check(PyTuple_GET_ITEM(pair, 0)) ||
            !PyLong_Check(PyTuple_GET_ITEM(pair, 1))) {
            PyErr_Format(PyExc_TypeError, "a run is a list of positions and orders, not of %R", pair);
            return -1;
        }
    }
    return 0;
}

/* put_run(number, [(position, number of the order)], is_last, order): appends a run, in rank order. */
static PyObject *segment_put_run(PyObject *self, PyObject *args)
{
    NativeSlotSegment *segment = (NativeSlotSegment *)self;
    int number, is_last;
    PyObject *run, *last;
    if (!PyArg_ParseTuple(args, "iO!pO", &number, &PyList_Type, &run, &is_last, &last))
        return NULL;
    segment->missing_run = -1;
    if (segment->generation < 0 || number != segment->runs || number == MAX_RUNS)
        Py_RETURN_NONE;
    if (PyList_GET_SIZE(run) > MAX_RUN)
        return PyErr_Format(PyExc_ValueError, "a run has %d positions at most, not %zd", MAX_RUN, PyList_GET_SIZE(run));
    int count = (int)PyList_GET_SIZE(run);
    if (check_run(run) || make_room(segment, segment->count + count))
        return NULL;
    for (int at = 0; at < count; at++) {
        int position;
        unsigned int order;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(run, at), "iI", &position, &order))
            return NULL;
        if (position < 0 || position >= segment->words * 64)
            continue; /* an ad of another slot */
        segment->positions[segment->count] = (uint16_t)position;
        segment->slots[segment->count++] = (RankSlot){.order = order};
    }
    if (count)
        Py_XSETREF(segment->order, Py_NewRef(last));
    segment->runs++;
    segment->complete = is_last;
    Py_RETURN_NONE;
}

/* put_ad(position, ad, campaign, weight, objective_ppb). *campaign*: a number that stands for the campaign. */
static PyObject *segment_put_ad(PyObject *self, PyObject *args)
{
    NativeSlotSegment *segment = (NativeSlotSegment *)self;
    int position;
    unsigned int campaign;
    unsigned long long weight;
    long long objective_ppb;
    PyObject *ad;
    if (!PyArg_ParseTuple(args, "iO!IKL", &position, &NativeAdType, &ad, &campaign, &weight, &objective_ppb))
        return NULL;
    if (weight > UINT32_MAX)
        return PyErr_Format(PyExc_ValueError, "a weight of %llu: the sum of a tie group might overflow", weight);
    segment->missing_position = -1;
    for (int rank = 0; rank < segment->count; rank++) {
        RankSlot *slot = &segment->slots[rank];
        if (segment->positions[rank] != position)
            continue;
        Py_XSETREF(slot->ad, (NativeAd *)Py_NewRef(ad));
        slot->campaign = campaign, slot->weight = weight, slot->objective_ppb = objective_ppb;
    }
    Py_RETURN_NONE;
}

/* put_next(segment): raises ValueError where it is not the segment of the next block. */
static PyObject *segment_put_next(PyObject *self, PyObject *next)
{
    NativeSlotSegment *segment = (NativeSlotSegment *)self;
    if (Py_TYPE(next) != Py_TYPE(segment) || ((NativeSlotSegment *)next)->block != segment->block + 1)
        return PyErr_Format(PyExc_ValueError, "not the segment of the next block");
    if (segment->generation >= 0)
        Py_XSETREF(segment->next, (NativeSlotSegment *)Py_NewRef(next));
    Py_RETURN_NONE;
}

static PyMethodDef SEGMENT_METHODS[] = {
    {"put_run", segment_put_run, METH_VARARGS, NULL},
    {"put_ad", segment_put_ad, METH_VARARGS, NULL},
    {"put_next", segment_put_next, METH_O, NULL},
    {"end", segment_end, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef SEGMENT_MEMBERS[] = {
    {"generation", Py_T_LONGLONG, offsetof(NativeSlotSegment, generation), 0, NULL},
    {"missing_run", Py_T_LONGLONG, offsetof(NativeSlotSegment, missing_run), Py_READONLY, NULL},
    {"missing_position", Py_T_LONGLONG, offsetof(NativeSlotSegment, missing_position), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

/* Not known to the garbage collector: see `docs/native.md`. */
PyTypeObject NativeSlotSegmentType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeSlotSegment",
    .tp_basicsize = sizeof(NativeSlotSegment),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_segment,
    .tp_dealloc = free_segment,
    .tp_methods = SEGMENT_METHODS,
    .tp_members = SEGMENT_MEMBERS,
};

int is_segment_current(const NativeSlotSegment *segment, long long generation, long long now_ms)
{
    if (segment->generation != generation || now_ms < segment->since_ms || now_ms >= segment->until_ms)
        return 0;
    if (segment->block < 0 || PyList_GET_SIZE(segment->versions) <= segment->block)
        return 0;
    long long version = PyLong_AsLongLong(PyList_GET_ITEM(segment->versions, segment->block));
    if (version == -1 && PyErr_Occurred())
        return -1;
    return version == segment->version;
}
