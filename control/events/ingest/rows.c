/* `rows.py` in C: writes the same bytes for the same events in one pass. `rows.py` is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define COLUMNS 38
#define POSTGRES_EPOCH_MS 946684800000LL
#define ID_BYTES 16

typedef struct {
    PyObject *bytes;
    Py_ssize_t used;
} Rows;

static PyObject *PACK_VERDICT;
static PyObject *AGENT, *AT_MS, *CHARGED, *CLIENT, *COUNTRY, *CURRENCY, *DEVICE, *ID, *ISSUED_MS, *JUDGE_VERSION,
    *LIVE_REASON, *NETWORK, *ORDER_ID, *PACKED, *PERSON, *PROPERTY_ID, *REASON, *SHARED_FIELDS, *SNAPSHOT, *TOKEN_ID,
    *VALUE;
static const struct {
    PyObject **into;
    const char *name;
} NAMES[] = {
    {&AGENT, "agent"}, {&AT_MS, "at_ms"}, {&CHARGED, "charged_micros"}, {&CLIENT, "client"},
    {&COUNTRY, "country"}, {&CURRENCY, "currency"}, {&DEVICE, "device"}, {&ID, "id"}, {&ISSUED_MS, "issued_ms"},
    {&JUDGE_VERSION, "judge_version"}, {&LIVE_REASON, "live_reason"}, {&NETWORK, "network"},
    {&ORDER_ID, "order_id"}, {&PACKED, "packed"}, {&PERSON, "person"}, {&PROPERTY_ID, "property_id"},
    {&REASON, "reason"}, {&SHARED_FIELDS, "shared_fields"}, {&SNAPSHOT, "snapshot_version"},
    {&TOKEN_ID, "token_id"}, {&VALUE, "value_cents"},
};

/* Reserves *size* more bytes and returns their address; NULL with an error set. */
static char *room(Rows *rows, Py_ssize_t size)
{
    Py_ssize_t has = PyBytes_GET_SIZE(rows->bytes);
    if (has - rows->used < size && _PyBytes_Resize(&rows->bytes, 2 * has + size) < 0)
        return NULL;
    char *into = PyBytes_AS_STRING(rows->bytes) + rows->used;
    rows->used += size;
    return into;
}

static void write_number(char *into, unsigned long long value, int bytes)
{
    for (int n = bytes - 1; n >= 0; n--, value >>= 8)
        into[n] = (char)(value & 0xff);
}

static int put_raw(Rows *rows, const char *from, Py_ssize_t size)
{
    char *into = room(rows, size);
    if (!into)
        return 0;
    memcpy(into, from, (size_t)size);
    return 1;
}

/* Writes a column: its size in 4 bytes, then its *size* bytes. */
static int put_column(Rows *rows, const char *from, Py_ssize_t size)
{
    char *into = room(rows, 4 + size);
    if (!into)
        return 0;
    write_number(into, (unsigned long long)size, 4);
    memcpy(into + 4, from, (size_t)size);
    return 1;
}

/* Writes columns that Python has packed already. */
static int put_packed(Rows *rows, PyObject *packed)
{
    if (!PyBytes_Check(packed))
        return PyErr_Format(PyExc_TypeError, "packed columns are bytes, not %R", packed), 0;
    return put_raw(rows, PyBytes_AS_STRING(packed), PyBytes_GET_SIZE(packed));
}

static int put_null(Rows *rows)
{
    return put_raw(rows, "\xff\xff\xff\xff", 4);
}

static int put_number(Rows *rows, long long value)
{
    char *into = room(rows, 12);
    if (!into)
        return 0;
    write_number(into, 8, 4);
    write_number(into + 4, (unsigned long long)value, 8);
    return 1;
}

static int put_text(Rows *rows, PyObject *text)
{
    if (text == Py_None)
        return put_null(rows);
    Py_ssize_t size;
    const char *from = PyUnicode_AsUTF8AndSize(text, &size);
    return from && put_column(rows, from, size);
}

static int put_id(Rows *rows, PyObject *id)
{
    if (!PyBytes_Check(id) || PyBytes_GET_SIZE(id) != ID_BYTES)
        return PyErr_Format(PyExc_TypeError, "an id is 16 bytes, not %R", id), 0;
    return put_column(rows, PyBytes_AS_STRING(id), ID_BYTES);
}

static int put_attribute_text(Rows *rows, PyObject *event, PyObject *name)
{
    PyObject *text = PyObject_GetAttr(event, name);
    int done = text && put_text(rows, text);
    Py_XDECREF(text);
    return done;
}

static int find_number(PyObject *event, PyObject *name, long long *value)
{
    PyObject *found = PyObject_GetAttr(event, name);
    if (!found)
        return 0;
    *value = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return *value != -1 || !PyErr_Occurred();
}

static int put_attribute_number(Rows *rows, PyObject *event, PyObject *name)
{
    long long value;
    return find_number(event, name, &value) && put_number(rows, value);
}

static int put_instant(Rows *rows, PyObject *event, PyObject *name)
{
    long long ms, since_us;
    if (!find_number(event, name, &ms))
        return 0;
    if (__builtin_sub_overflow(ms, POSTGRES_EPOCH_MS, &since_us) || __builtin_mul_overflow(since_us, 1000, &since_us))
        return PyErr_Format(PyExc_OverflowError, "%U is no instant: %lld ms", name, ms), 0;
    return put_number(rows, since_us);
}

/* As the class of *event* defines it: an attributed conversion has an id of its own. None: a quality signal. */
static int put_event_id(Rows *rows, PyObject *event)
{
    PyObject *id = PyObject_GetAttr(event, ID);
    if (!id)
        return 0;
    int done = id == Py_None ? put_null(rows) : put_id(rows, id);
    Py_DECREF(id);
    return done;
}

static int put_token_id(Rows *rows, PyObject *event)
{
    PyObject *id = PyObject_GetAttr(event, TOKEN_ID);
    int done = id && put_id(rows, id);
    Py_XDECREF(id);
    return done;
}

static int put_verdict(Rows *rows, PyObject *event)
{
    PyObject *reason = PyObject_GetAttr(event, REASON);
    PyObject *version = reason ? PyObject_GetAttr(event, JUDGE_VERSION) : NULL;
    PyObject *live = version ? PyObject_GetAttr(event, LIVE_REASON) : NULL;
    PyObject *packed = live ? PyObject_CallFunctionObjArgs(PACK_VERDICT, reason, version, live, NULL) : NULL;
    int done = packed && put_packed(rows, packed);
    Py_XDECREF(reason);
    Py_XDECREF(version);
    Py_XDECREF(live);
    Py_XDECREF(packed);
    return done;
}

static int put_value(Rows *rows, PyObject *event)
{
    PyObject *found = PyObject_GetAttr(event, VALUE);
    if (!found)
        return 0;
    int known = found != Py_None;
    Py_DECREF(found);
    return known ? put_attribute_number(rows, event, VALUE) : put_null(rows);
}

static int put_person(Rows *rows, PyObject *event)
{
    PyObject *person = PyObject_GetAttr(event, PERSON);
    if (!person)
        return 0;
    int done;
    if (person == Py_None)
        done = put_null(rows);
    else if (PyBytes_Check(person))
        done = put_column(rows, PyBytes_AS_STRING(person), PyBytes_GET_SIZE(person));
    else
        done = 0, PyErr_Format(PyExc_TypeError, "a person is bytes, not %R", person);
    Py_DECREF(person);
    return done;
}

/* The packed network; a null where there is none. */
static int put_network(Rows *rows, PyObject *event)
{
    PyObject *network = PyObject_GetAttr(event, NETWORK);
    if (!network)
        return 0;
    int is_absent = network == Py_None || (PyBytes_Check(network) && !PyBytes_GET_SIZE(network));
    int done = is_absent ? put_null(rows) : put_packed(rows, network);
    Py_DECREF(network);
    return done;
}

static int put_agent(Rows *rows, PyObject *event)
{
    PyObject *agent = PyObject_GetAttr(event, AGENT);
    int done = agent && put_packed(rows, agent);
    Py_XDECREF(agent);
    return done;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int put_client(Rows *rows, PyObject *event)
{
    PyObject *client = PyObject_GetAttr(event, CLIENT);
    if (!client || client == Py_None) {
        Py_XDECREF(client);
        return client && put_null(rows);
    }
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(client, &size);
    if (text && size % 2) {
        PyErr_Format(PyExc_ValueError, "%R is not hexadecimal", client);
        text = NULL;
    }
    char *into = text ? room(rows, 4 + size / 2) : NULL;
    int done = into != NULL;
    if (done) {
        write_number(into, (unsigned long long)size / 2, 4);
        for (Py_ssize_t n = 0; n < size / 2; n++) {
            int high = hex_digit(text[2 * n]), low = hex_digit(text[2 * n + 1]);
            if (high < 0 || low < 0) {
                PyErr_Format(PyExc_ValueError, "%R is not hexadecimal", client);
                done = 0;
                break;
            }
            into[4 + n] = (char)(high << 4 | low);
        }
    }
    Py_DECREF(client);
    return done;
}

static int put_account(Rows *rows, PyObject *fields, PyObject *accounts)
{
    PyObject *property = PyObject_GetAttr(fields, PROPERTY_ID);
    PyObject *account = property ? PyObject_GetItem(accounts, property) : NULL;
    int done = account && put_text(rows, account);
    Py_XDECREF(property);
    Py_XDECREF(account);
    return done;
}

static int put_shared_fields(Rows *rows, PyObject *fields)
{
    PyObject *packed = PyObject_GetAttr(fields, PACKED);
    if (!packed)
        return 0;
    int done = put_packed(rows, packed);
    Py_DECREF(packed);
    return done;
}

static int put_event(Rows *rows, PyObject *event, PyObject *accounts)
{
    PyObject *fields = PyObject_GetAttr(event, SHARED_FIELDS);
    char *start = fields ? room(rows, 2) : NULL;
    if (start)
        write_number(start, COLUMNS, 2);
    int done = start && put_event_id(rows, event) && put_token_id(rows, event) &&
               put_instant(rows, event, AT_MS) && put_instant(rows, event, ISSUED_MS) &&
               put_attribute_number(rows, event, CHARGED) && put_attribute_number(rows, event, SNAPSHOT) &&
               put_verdict(rows, event) && put_value(rows, event) && put_attribute_text(rows, event, CURRENCY) &&
               put_attribute_text(rows, event, ORDER_ID) && put_attribute_text(rows, event, COUNTRY) &&
               put_attribute_text(rows, event, DEVICE) && put_person(rows, event) &&
               put_network(rows, event) && put_client(rows, event) &&
               put_agent(rows, event) && put_account(rows, fields, accounts) && put_shared_fields(rows, fields);
    Py_XDECREF(fields);
    return done;
}

static PyObject *pack_rows(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    (void)module;
    if (given != 2)
        return PyErr_Format(PyExc_TypeError, "pack_rows takes events and accounts");
    /* A tuple, because reading an attribute may run code that changes a list. */
    PyObject *events = PySequence_Tuple(args[0]);
    if (!events)
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(events);
    Rows rows = {PyBytes_FromStringAndSize(NULL, 416 * count), 0};
    int done = rows.bytes != NULL;
    for (Py_ssize_t n = 0; done && n < count; n++)
        done = put_event(&rows, PyTuple_GET_ITEM(events, n), args[1]);
    Py_DECREF(events);
    if (!done) {
        Py_XDECREF(rows.bytes);
        return NULL;
    }
    _PyBytes_Resize(&rows.bytes, rows.used); /* public in spite of its name; sets it to NULL where it fails */
    return rows.bytes;
}

static PyMethodDef METHODS[] = {{"pack_rows", (PyCFunction)(void (*)(void))pack_rows, METH_FASTCALL, NULL},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, .m_name = "rows", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit_rows(void)
{
    for (size_t n = 0; n < sizeof(NAMES) / sizeof(NAMES[0]); n++)
        if (!(*NAMES[n].into = PyUnicode_InternFromString(NAMES[n].name)))
            return NULL;
    PyObject *parts = PyImport_ImportModule("control.events.ingest.copy_encoding");
    PACK_VERDICT = parts ? PyObject_GetAttrString(parts, "pack_verdict") : NULL;
    Py_XDECREF(parts);
    return PACK_VERDICT ? PyModule_Create(&MODULE) : NULL;
}
