/* `pipelined.py` in C: the same responses in the same order. Its source is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <time.h>

#include "common/values/python_compat.h"
#include "common/values/slot_access.h"
#include "edge/fastpath/http1/framing.h"

#define MAX_AT_ONCE 16

#define ATTRIBUTES(name) \
    name(_http) name(_in_flight) name(_is_held) name(_time) name(client_ip) name(conn_info) \
    name(lookup_cached) name(serve_uncached) name(keep_alive) name(observe) name(recv_buffer) name(error_response_for_cached) \
    name(request) name(signal) name(stage) name(state) name(stopped) name(transport)

#define DEFINED(name) static Attribute a_##name;
ATTRIBUTES(DEFINED)

static PyObject *idle, *no_peer, *long_one, *s_is_closing, *s_requests_count, *s_write;

/* Whether *found* is true; takes ownership of it. -1 where it is NULL, with an error set. */
static int is_true(PyObject *found)
{
    int truth = !found ? -1 : found == Py_False || found == Py_None ? 0 : PyObject_IsTrue(found);
    Py_XDECREF(found);
    return truth;
}

/* Whether *found* is the object *that*; takes ownership of *found*. -1 where it is NULL, with an error set. */
static int is_just(PyObject *found, PyObject *that)
{
    Py_XDECREF(found);
    return found ? found == that : -1;
}

static int is_empty(PyObject *buffer)
{
    if (buffer && PyByteArray_CheckExact(buffer)) {
        int empty = !PyByteArray_GET_SIZE(buffer);
        Py_DECREF(buffer);
        return empty;
    }
    int full = is_true(buffer);
    return full < 0 ? -1 : !full;
}

/* Whether the transport is closing or gone; -1 with an error set. */
static int is_closing(PyObject *connection)
{
    PyObject *transport = get_attribute(connection, &a_transport);
    int closing = !transport              ? -1
                  : transport == Py_None ? 1
                                          : is_true(PyObject_CallMethodNoArgs(transport, s_is_closing));
    Py_XDECREF(transport);
    return closing;
}

static int is_waiting(PyObject *http)
{
    int truth;
    if (http == Py_None || (truth = is_just(get_attribute(http, &a_stage), idle)) < 1)
        return http == Py_None ? 0 : truth;
    if ((truth = is_just(get_attribute(http, &a_request), Py_None)) < 1)
        return truth;
    if ((truth = is_true(get_attribute(http, &a_keep_alive))) < 1)
        return truth;
    return is_empty(get_attribute(http, &a_recv_buffer));
}

static int is_stopped(PyObject *connection)
{
    PyObject *signal = get_attribute(connection, &a_signal);
    int stopped = signal ? is_true(get_attribute(signal, &a_stopped)) : -1;
    Py_XDECREF(signal);
    return stopped;
}

/* `StrictHttpProtocol.may_answer_at_once`; -1 with an error set. */
static int may_answer_at_once(PyObject *connection)
{
    PyObject *http = get_attribute(connection, &a__http);
    int truth = http ? is_waiting(http) : -1;
    Py_XDECREF(http);
    if (truth < 1)
        return truth;
    if ((truth = is_true(get_attribute(connection, &a__in_flight))))
        return truth < 0 ? -1 : 0;
    if ((truth = is_true(get_attribute(connection, &a__is_held))))
        return truth < 0 ? -1 : 0;
    if ((truth = is_stopped(connection)))
        return truth < 0 ? -1 : 0;
    truth = is_closing(connection);
    return truth < 0 ? -1 : !truth;
}

/* Returns the error response for a request whose lookup raised; NULL with an error set. */
static PyObject *refuse(PyObject *connection, PyObject *data, Py_ssize_t start, Py_ssize_t end)
{
    PyObject *refused = NULL, *error = PyErr_GetRaisedException();
    PyObject *head = PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + start, end - start);
    PyObject *respond = head ? get_attribute(connection, &a_error_response_for_cached) : NULL;
    if (respond)
        refused = PyObject_CallFunctionObjArgs(respond, error, head, NULL);
    Py_XDECREF(respond);
    Py_XDECREF(head);
    Py_XDECREF(error);
    return refused;
}

static PyObject *call_method_of(PyObject *connection, Attribute *name, PyObject *const *args)
{
    PyObject *found = get_attribute(connection, name);
    PyObject *answer = found ? PyObject_Vectorcall(found, args, 4, NULL) : NULL;
    Py_XDECREF(found);
    return answer;
}

/* Returns None where the fast path does not handle the request. */
static PyObject *find_answer(PyObject *connection, PyObject *data, Py_ssize_t start, Py_ssize_t end, PyObject *peer)
{
    PyObject *from = PyLong_FromSsize_t(start), *to = PyLong_FromSsize_t(end), *answer = NULL;
    PyObject *args[] = {data, from, to, peer};
    if (from && to) {
        answer = call_method_of(connection, &a_lookup_cached, args);
        if (answer == Py_None)
            Py_SETREF(answer, call_method_of(connection, &a_serve_uncached, args));
        else if (!answer && PyErr_ExceptionMatches(PyExc_Exception))
            answer = refuse(connection, data, start, end);
    }
    Py_XDECREF(from);
    Py_XDECREF(to);
    return answer;
}

static int count_request(PyObject *connection)
{
    PyObject *state = get_attribute(connection, &a_state);
    PyObject *count = state ? PyObject_GetItem(state, s_requests_count) : NULL;
    PyObject *more = count ? PyNumber_Add(count, long_one) : NULL;
    int failed = more ? PyObject_SetItem(state, s_requests_count, more) : -1;
    Py_XDECREF(state);
    Py_XDECREF(count);
    Py_XDECREF(more);
    return failed;
}

/* `time.monotonic`, in nanoseconds. */
static long long read_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int set_clock(PyObject *connection, long long now_ns)
{
    PyObject *at_s = PyFloat_FromDouble((double)now_ns * 1e-9);
    int failed = at_s ? set_attribute(connection, &a__time, at_s) : -1;
    Py_XDECREF(at_s);
    return failed;
}

/* Reports how long *answer* took, in seconds, to `connection.observe`. */
static int observe(PyObject *connection, PyObject *answer, long long took_ns)
{
    PyObject *report = get_attribute(connection, &a_observe), *done = NULL;
    PyObject *seconds = PyFloat_FromDouble((double)took_ns * 1e-9);
    PyObject *args[] = {answer, seconds};
    if (report && seconds)
        done = PyObject_Vectorcall(report, args, 2, NULL);
    Py_XDECREF(report);
    Py_XDECREF(seconds);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int write_answer(PyObject *connection, PyObject *transport, PyObject *answer, long long begun_ns)
{
    if (count_request(connection))
        return -1;
    PyObject *written = PyObject_CallMethodOneArg(transport, s_write, answer);
    Py_XDECREF(written);
    if (!written)
        return -1;
    long long now_ns = read_clock();
    return set_clock(connection, now_ns) ? -1 : observe(connection, answer, now_ns - begun_ns);
}

/* Returns the number of bytes that were answered; -1 with an error set. */
static Py_ssize_t answer_all(PyObject *connection, PyObject *transport, PyObject *data, PyObject *peer)
{
    const char *text = PyBytes_AS_STRING(data);
    Py_ssize_t done = 0, length = PyBytes_GET_SIZE(data);
    long long begun_ns = read_clock();
    for (int round = 0; round < MAX_AT_ONCE; round++) {
        Py_ssize_t end = find_head_end(text, length, done);
        if (end < 0)
            break;
        PyObject *answer = find_answer(connection, data, done, end, peer);
        int failed = !answer || (answer != Py_None && write_answer(connection, transport, answer, begun_ns));
        int is_other = answer == Py_None;
        Py_XDECREF(answer);
        if (failed)
            return -1;
        if (is_other)
            break;
        done = end + HEAD_END_BYTES;
        int truth = starts_serve_request(text, length, done) ? may_answer_at_once(connection) : 0;
        if (truth < 0)
            return -1;
        if (!truth)
            break;
    }
    return done;
}

static PyObject *find_peer(PyObject *connection)
{
    PyObject *info = get_attribute(connection, &a_conn_info);
    PyObject *peer = !info ? NULL : info == Py_None ? Py_NewRef(no_peer) : get_attribute(info, &a_client_ip);
    Py_XDECREF(info);
    return peer;
}

static PyObject *answer_calls(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 2 || !PyBytes_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "answer_calls takes a connection and bytes");
    if (!starts_serve_request(PyBytes_AS_STRING(args[1]), PyBytes_GET_SIZE(args[1]), 0))
        return PyLong_FromLong(0);
    PyObject *transport = get_attribute(args[0], &a_transport), *peer = NULL;
    Py_ssize_t done = transport ? may_answer_at_once(args[0]) : -1;
    if (done > 0) {
        peer = find_peer(args[0]);
        done = peer ? answer_all(args[0], transport, args[1], peer) : -1;
    }
    Py_XDECREF(peer);
    Py_XDECREF(transport);
    return done < 0 ? NULL : PyLong_FromSsize_t(done);
}

static int find_names(void)
{
#define NAMED(name)                                                                                           \
    if (name_attribute(&a_##name, #name))                                                                     \
        return -1;
    ATTRIBUTES(NAMED)
    PyObject *module = PyImport_ImportModule("sanic.http");
    PyObject *stage = module ? PyObject_GetAttrString(module, "Stage") : NULL;
    idle = stage ? PyObject_GetAttrString(stage, "IDLE") : NULL;
    Py_XDECREF(module);
    Py_XDECREF(stage);
    s_is_closing = PyUnicode_InternFromString("is_closing");
    s_requests_count = PyUnicode_InternFromString("requests_count");
    s_write = PyUnicode_InternFromString("write");
    no_peer = PyUnicode_InternFromString("");
    long_one = PyLong_FromLong(1);
    return idle && s_is_closing && s_requests_count && s_write && no_peer && long_one ? 0 : -1;
}

static PyMethodDef METHODS[] = {
    {"answer_calls", (PyCFunction)(void (*)(void))answer_calls, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "pipelined", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit_pipelined(void)
{
    return find_names() ? NULL : PyModule_Create(&MODULE);
}
