/*
 * _fairway.c -- the rounds of a policy in this process (fairway/inprocess.py) in C, for speed: an optional module of
 * Python.  What is frequent is done here as Link.round() and Fits.start() do it, and what is not is left to them.
 * A test holds the digests of both ways.
 *
 * Objects are of the classes of Python, which have slots: their attributes are read and written in place.  A policy's
 * methods are asked for whenever they are called, as Python does.  Costs O(events) a round.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <structmember.h>

/* fairway.h: enum fairway_event, of what is not left to Link.event(), and words of each. */
enum { ARRIVED = 1, LAST_ENDED = 5, SHAPE = 8, JOB_WORDS = 11, SHAPE_WORDS = 8, EVENT_WORDS = 5 };
enum { USER = 5, QUEUE = 6 }; /* enum pol_name_type */

/* What is kept of one run, as Link.quicken() gives it: the objects, the dicts of these, the classes. */
#define KEPT(X)                                                                                                        \
    X(owner) X(link) X(policy) X(fits) X(said) X(jobs) X(waiting) X(is_running) X(shapes) X(scaled) X(failed)          \
    X(reasons) X(words_said) X(users) X(queues) X(known_cards) X(Told) X(Job) X(Shape) X(Task) X(Unit)
/* Slots of the classes: of what is made here, all. */
#define SLOTS(X)                                                                                                       \
    X(Told, now) X(Told, freed_epoch) X(Told, _freed_epochs) X(Told, change_epoch) X(Told, nodes) X(Told, _head)       \
    X(Told, _held) X(Job, number) X(Job, id) X(Job, user) X(Job, queue) X(Job, submit) X(Job, priority) X(Job, gang)   \
    X(Job, limit) X(Job, duration) X(Job, tasks) X(Job, n_left) X(Job, n_asked) X(Task, job) X(Task, index)            \
    X(Task, shape) X(Task, unit) X(Task, node) X(Task, cards) X(Task, cpu) X(Task, mem) X(Task, duration)              \
    X(Unit, job) X(Unit, tasks) X(Unit, order) X(Unit, request_class) X(Unit, alike) X(Unit, monotone)                 \
    X(Unit, licences) X(Unit, plain) X(Unit, state) X(Unit, started) X(Unit, attained) X(Unit, left) X(Shape, id)      \
    X(Shape, cpu) X(Shape, mem) X(Shape, exclusive) X(Shape, monotone)
/* Methods of a policy that are called here. */
#define METHODS(X) X(decide) X(on_arrival) X(on_wait) X(on_stop) X(on_task_end) X(on_job_end)

#define MEMBER(name) PyObject *name;
#define ADDRESS(name) &r->name,
#define FORMAT(name) "O"
#define KEEP(name) Py_INCREF(r->name);
#define DROP(name) Py_CLEAR(r->name);
#define PLACE(class, name) Py_ssize_t class##_##name;
struct rounds {
    PyObject_HEAD
    KEPT(MEMBER)
    METHODS(MEMBER) /* their names */
    SLOTS(PLACE)    /* bytes from the start of an object */
    PyObject *licences, *text_waiting, *text_running, *text_ended;
    void *code;
    const int64_t *word, *place; /* the block of fairway.h */
    const char *names;
    Py_ssize_t n_place;
    int32_t (*start)(void *code, int32_t job, int32_t task, int32_t rule, int32_t reason);
    int32_t (*start_gang)(void *code, int32_t job, int32_t n, int32_t rule, int32_t reason);
};

/* ---- short forms; what returns false or NULL has raised ---- */

/* The attribute of an object, borrowed. */
#define AT(object, slot) (*(PyObject **)((char *)(object) + r->slot))

static bool done(PyObject *result)
{
    Py_XDECREF(result);
    return result != NULL;
}

static PyObject *owned(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

static bool put(PyObject **slot, PyObject *value) /* takes value over */
{
    PyObject *was = *slot;
    if (value == NULL) return false;
    *slot = value;
    Py_XDECREF(was);
    return true;
}

static bool grow(PyObject **slot) { return put(slot, PyLong_FromLongLong(PyLong_AsLongLong(*slot) + 1)); }

static bool tell(struct rounds *r, PyObject *method, PyObject *what)
{
    return done(PyObject_CallMethodOneArg(r->policy, method, what));
}

static PyObject *or_none(int64_t value) { return value >= 0 ? PyLong_FromLongLong(value) : owned(Py_None); }

/* An object of which all slots are to be filled. */
static PyObject *new_of(PyObject *class) { return ((PyTypeObject *)class)->tp_alloc((PyTypeObject *)class, 0); }

/* A new list of one, or a pair; takes over what is in it. */
static PyObject *list_of(PyObject *only)
{
    PyObject *list = only != NULL ? PyList_New(1) : NULL;
    if (list != NULL) PyList_SET_ITEM(list, 0, only);
    else Py_XDECREF(only);
    return list;
}

/* The value of a number in a dict, borrowed; NULL without an error: it has none. */
static PyObject *of_number(PyObject *dict, int64_t number)
{
    PyObject *key = PyLong_FromLongLong(number), *value = key != NULL ? PyDict_GetItemWithError(dict, key) : NULL;
    Py_XDECREF(key);
    return value;
}

/* ---- what arrives ---- */

/* The name of a user or queue, borrowed. */
static PyObject *name_of(struct rounds *r, PyObject *known, int type, int64_t number)
{
    PyObject *found = of_number(known, number);
    if (found != NULL || PyErr_Occurred() != NULL) return found;
    if (!done(PyObject_CallMethod(r->link, "name", "iOL", type, known, (long long)number))) return NULL;
    return of_number(known, number);
}

/* view.Job */
static PyObject *new_job(struct rounds *r, const int64_t *w, const char *id)
{
    PyObject *user = name_of(r, r->users, USER, w[7]);
    PyObject *queue = user != NULL ? name_of(r, r->queues, QUEUE, w[8]) : NULL;
    PyObject *job = queue != NULL ? new_of(r->Job) : NULL;
    if (job == NULL) return NULL;
    AT(job, Job_user) = owned(user);
    AT(job, Job_queue) = owned(queue);
    AT(job, Job_gang) = PyBool_FromLong(w[4] == 1);
    AT(job, Job_n_asked) = PyLong_FromLong(1);
    AT(job, Job_n_left) = PyLong_FromLong(1);
    if (put(&AT(job, Job_number), PyLong_FromLongLong(w[1])) &&
        put(&AT(job, Job_id), PyUnicode_DecodeUTF8(id, (Py_ssize_t)w[9], NULL)) &&
        put(&AT(job, Job_submit), PyLong_FromLongLong(w[2])) &&
        put(&AT(job, Job_priority), PyLong_FromLongLong(w[3])) && put(&AT(job, Job_limit), or_none(w[5])) &&
        put(&AT(job, Job_duration), or_none(w[6])) && put(&AT(job, Job_tasks), PyList_New(0))) return job;
    Py_DECREF(job);
    return NULL;
}

/* view.Task, in the list of its job's. */
static bool add_task(struct rounds *r, PyObject *job, const int64_t *w)
{
    PyObject *tasks = AT(job, Job_tasks), *shape = PyList_GetItem(r->shapes, (Py_ssize_t)w[0]);
    PyObject *task = shape != NULL ? new_of(r->Task) : NULL;
    if (task == NULL) return false;
    AT(task, Task_job) = owned(job);
    AT(task, Task_shape) = owned(shape);
    AT(task, Task_unit) = owned(Py_None);
    AT(task, Task_node) = owned(Py_None);
    AT(task, Task_cards) = owned(Py_None);
    AT(task, Task_cpu) = owned(AT(shape, Shape_cpu));
    AT(task, Task_mem) = owned(AT(shape, Shape_mem));
    const bool ok = put(&AT(task, Task_index), PyLong_FromSsize_t(PyList_GET_SIZE(tasks))) &&
                    put(&AT(task, Task_duration), or_none(w[2])) && PyList_Append(tasks, task) == 0;
    Py_DECREF(task);
    return ok;
}

/* view.Unit, of one task. */
static PyObject *new_unit(struct rounds *r, PyObject *job, PyObject *task)
{
    PyObject *unit = new_of(r->Unit), *shape = AT(task, Task_shape);
    if (unit == NULL) return NULL;
    AT(unit, Unit_job) = owned(job);
    AT(unit, Unit_request_class) = owned(AT(shape, Shape_id));
    AT(unit, Unit_alike) = owned(Py_True);
    AT(unit, Unit_monotone) = owned(Py_True);
    AT(unit, Unit_state) = owned(r->text_waiting);
    AT(unit, Unit_started) = owned(Py_None);
    AT(unit, Unit_attained) = PyLong_FromLong(0);
    AT(unit, Unit_left) = owned(AT(task, Task_duration));
    const int licences = put(&AT(unit, Unit_licences), PyObject_GetAttr(shape, r->licences)) ?
                         PyObject_IsTrue(AT(unit, Unit_licences)) : -1;
    if (licences >= 0 && put(&AT(unit, Unit_tasks), list_of(owned(task))) &&
        put(&AT(unit, Unit_order), PyTuple_Pack(2, AT(job, Job_number), AT(task, Task_index)))) {
        AT(unit, Unit_plain) = PyBool_FromLong(licences == 0);
        put(&AT(task, Task_unit), owned(unit));
        return unit;
    }
    Py_DECREF(unit);
    return NULL;
}

/* Told._arrived() of a job with one task. */
static bool arrived_alone(struct rounds *r, PyObject *job)
{
    if (PyDict_SetItem(r->jobs, AT(job, Job_number), job) != 0 || !tell(r, r->on_arrival, job)) return false;
    PyObject *unit = new_unit(r, job, PyList_GET_ITEM(AT(job, Job_tasks), 0));
    const bool ok = unit != NULL && PyDict_SetItem(r->waiting, unit, Py_None) == 0 && tell(r, r->on_wait, unit);
    Py_XDECREF(unit);
    return ok;
}

static bool arrived(struct rounds *r, const int64_t *w, const char *id)
{
    PyObject *job = new_job(r, w, id);
    bool ok = job != NULL;
    const int64_t *end = w + JOB_WORDS + 3 * w[10];
    for (w += JOB_WORDS; ok && w < end; w += 3)
        for (int64_t i = 0; ok && i < w[1]; i++) ok = add_task(r, job, w);
    const Py_ssize_t n = ok ? PyList_GET_SIZE(AT(job, Job_tasks)) : 0;
    if (ok && n == 1) ok = arrived_alone(r, job);
    else if (ok)
        ok = put(&AT(job, Job_n_asked), PyLong_FromSsize_t(n)) && put(&AT(job, Job_n_left), PyLong_FromSsize_t(n)) &&
             done(PyObject_CallMethod(r->policy, "_arrived", "O", job));
    Py_XDECREF(job);
    return ok;
}

static bool new_shape(struct rounds *r, const int64_t *w)
{
    PyObject *shape = PyObject_CallFunction(r->Shape, "nLLLLLLL", PyList_GET_SIZE(r->shapes), (long long)w[1],
        (long long)w[2], (long long)w[3], (long long)w[4], (long long)w[5], (long long)w[6], (long long)w[7]);
    const bool ok = shape != NULL && PyList_Append(r->shapes, shape) == 0;
    Py_XDECREF(shape);
    return ok;
}

/* ---- what ends ---- */

/* Told._last_ended() of one plain task that runs and is all of its job. */
static bool ended_alone(struct rounds *r, PyObject *job, PyObject *task, PyObject *unit)
{
    return tell(r, r->on_task_end, task) && put(&AT(job, Job_n_left), PyLong_FromLong(0)) &&
           PyDict_DelItem(r->is_running, unit) == 0 && tell(r, r->on_stop, unit) &&
           put(&AT(task, Task_node), owned(Py_None)) && put(&AT(task, Task_cards), owned(Py_None)) &&
           put(&AT(unit, Unit_state), owned(r->text_ended)) && PyDict_DelItem(r->jobs, AT(job, Job_number)) == 0 &&
           tell(r, r->on_job_end, job) && put(&AT(task, Task_unit), owned(Py_None)) &&
           put(&AT(job, Job_tasks), PyList_New(0));
}

static bool last_ended(struct rounds *r, const int64_t *w)
{
    PyObject *job = of_number(r->jobs, w[1]), *task = NULL;
    if (job != NULL) task = PyList_GetItem(AT(job, Job_tasks), (Py_ssize_t)w[2]);
    if (task == NULL) {
        if (PyErr_Occurred() == NULL) PyErr_Format(PyExc_KeyError, "job %lld", (long long)w[1]);
        return false;
    }
    PyObject *unit = owned(AT(task, Task_unit));
    Py_INCREF(job);
    Py_INCREF(task);
    const bool is_alone = PyList_GET_SIZE(AT(job, Job_tasks)) == 1 && unit != Py_None &&
                          AT(unit, Unit_state) == r->text_running && AT(unit, Unit_plain) == Py_True;
    const bool ok = is_alone ? ended_alone(r, job, task, unit) :
                               done(PyObject_CallMethod(r->policy, "_last_ended", "OO", job, task));
    Py_DECREF(unit);
    Py_DECREF(task);
    Py_DECREF(job);
    return ok;
}

/* ---- a round ---- */

/* An event that is left to Link.event(); returns how many words it has, 0: it failed. */
static int64_t other_event(struct rounds *r, const int64_t *w, int64_t left)
{
    const Py_ssize_t n = left < EVENT_WORDS ? (Py_ssize_t)left : EVENT_WORDS;
    PyObject *words = PyTuple_New(n);
    for (Py_ssize_t i = 0; words != NULL && i < n; i++) PyTuple_SET_ITEM(words, i, PyLong_FromLongLong(w[i]));
    PyObject *used = words != NULL ? PyObject_CallMethod(r->link, "event", "OiO", words, 0, Py_None) : NULL;
    const int64_t result = used != NULL ? PyLong_AsLongLong(used) : 0;
    Py_XDECREF(words);
    Py_XDECREF(used);
    return result;
}

/* Words of decisions; -1: it failed. */
static int64_t decided(struct rounds *r)
{
    if (PyList_GET_SIZE(r->words_said) == 0 && PyList_GET_SIZE(r->said) == 0) return 0;
    PyObject *n = PyObject_CallMethod(r->link, "finish", NULL);
    const int64_t result = n != NULL ? PyLong_AsLongLong(n) : -1;
    Py_XDECREF(n);
    return result;
}

/* Link.round() of a round that is told by words alone. */
static int64_t told(struct rounds *r, int64_t n)
{
    const int64_t *w = r->word;
    size_t named = 0;
    if (!put(&AT(r->policy, Told_now), PyLong_FromLongLong(w[0]))) return -1;
    if (w[1] != 0) {
        if (!grow(&AT(r->policy, Told__freed_epochs))) return -1;
        put(&AT(r->policy, Told_freed_epoch), owned(AT(r->policy, Told__freed_epochs)));
        PyDict_Clear(r->failed);
    }
    if (w[2] != 0 && !grow(&AT(r->policy, Told_change_epoch))) return -1;
    for (int64_t i = 3, used; i < n; i += used) {
        bool ok = true;
        switch (w[i]) {
        case ARRIVED:
            ok = arrived(r, w + i, r->names + named);
            named += (size_t)w[i + 9];
            used = JOB_WORDS + 3 * w[i + 10];
            break;
        case LAST_ENDED:
            ok = last_ended(r, w + i);
            used = 3;
            break;
        case SHAPE:
            ok = new_shape(r, w + i);
            used = SHAPE_WORDS;
            break;
        default: ok = (used = other_event(r, w + i, n - i)) > 0;
        }
        if (!ok) return -1;
    }
    if (PyDict_Size(r->scaled) > 0) PyDict_Clear(r->scaled);
    return done(PyObject_CallMethodNoArgs(r->policy, r->decide)) ? decided(r) : -1;
}

/* What was raised ends the run. */
static void fail(struct rounds *r)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != NULL && trace != NULL) PyException_SetTraceback(value, trace);
    if (!done(PyObject_CallMethod(r->owner, "fail", "KO", (unsigned long long)(uintptr_t)r->code, value)))
        PyErr_WriteUnraisable(r->owner);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* As `round` of fairway.h calls it. */
static int64_t rounds_round(void *self, int64_t n_words)
{
    struct rounds *r = self;
    PyGILState_STATE gil = PyGILState_Ensure();
    int64_t n = -1;
    if (n_words > 0) n = told(r, n_words);
    else {
        PyObject *result = PyObject_CallMethod(r->link, "round", "L", (long long)n_words);
        if (result != NULL) n = PyLong_AsLongLong(result);
        Py_XDECREF(result);
    }
    if (n < 0 && PyErr_Occurred() != NULL) fail(r);
    PyGILState_Release(gil);
    return n;
}

/* ---- a start ---- */

/* Task._hold(): it has the place that was found. */
static bool hold(struct rounds *r, PyObject *task)
{
    PyObject *node = PyList_GetItem(AT(r->policy, Told_nodes), (Py_ssize_t)r->place[0]), *shape = AT(task, Task_shape);
    PyObject *cards = node != NULL ? of_number(r->known_cards, r->place[1]) : NULL;
    if (node == NULL || PyErr_Occurred() != NULL) return false;
    cards = cards != NULL ? owned(cards) : PyObject_CallMethod(r->link, "cards_of", "L", (long long)r->place[1]);
    if (cards == NULL) return false;
    if (AT(shape, Shape_exclusive) == Py_True) {
        const bool ok = done(PyObject_CallMethod(task, "_hold", "OO", node, cards));
        Py_DECREF(cards);
        return ok;
    }
    put(&AT(task, Task_cards), cards);
    put(&AT(task, Task_node), owned(node));
    put(&AT(task, Task_cpu), owned(AT(shape, Shape_cpu)));
    return put(&AT(task, Task_mem), owned(AT(shape, Shape_mem)));
}

/* Policy._started() */
static bool started(struct rounds *r, PyObject *unit)
{
    if ((AT(r->policy, Told__head) != Py_None || PyDict_Size(AT(r->policy, Told__held)) > 0) &&
        !done(PyObject_CallMethod(r->policy, "_unhold", "O", unit))) return false;
    put(&AT(unit, Unit_state), owned(r->text_running));
    put(&AT(unit, Unit_started), owned(AT(r->policy, Told_now)));
    if (PyDict_DelItem(r->waiting, unit) != 0) PyErr_Clear();
    return PyDict_SetItem(r->is_running, unit, Py_None) == 0;
}

/* Is it known that there are fewer than n places for tasks of the shape? */
static bool fails(struct rounds *r, PyObject *shape, Py_ssize_t n)
{
    PyObject *was = PyDict_GetItemWithError(r->failed, shape); /* when, and of how many */
    return was != NULL && PyLong_AsSsize_t(PyTuple_GET_ITEM(was, 1)) <= n &&
           PyObject_RichCompareBool(PyTuple_GET_ITEM(was, 0), AT(r->policy, Told_freed_epoch), Py_EQ) == 1;
}

static bool now_fails(struct rounds *r, PyObject *shape, int n)
{
    PyObject *was = Py_BuildValue("Oi", AT(r->policy, Told_freed_epoch), n);
    const bool ok = was != NULL && PyDict_SetItem(r->failed, shape, was) == 0;
    Py_XDECREF(was);
    return ok;
}

/* Fits.start() of a plain unit: 1 it starts, 0 it does not fit, -1 raised. */
static int start_plain(struct rounds *r, PyObject *unit, int32_t rule, int32_t reason)
{
    PyObject *job = AT(unit, Unit_job), *tasks = AT(unit, Unit_tasks), *task = PyList_GET_ITEM(tasks, 0);
    PyObject *shape = AT(task, Task_shape);
    const Py_ssize_t n = PyList_GET_SIZE(tasks);
    if (fails(r, shape, n)) return 0;
    const int32_t number = (int32_t)PyLong_AsLong(AT(job, Job_number));
    const int32_t found = AT(job, Job_gang) == Py_True ? r->start_gang(r->code, number, (int32_t)n, rule, reason) :
        r->start(r->code, number, (int32_t)PyLong_AsLong(AT(task, Task_index)), rule, reason);
    if (PyErr_Occurred() != NULL) return -1;
    if (found < n)
        return (found > 0 && AT(shape, Shape_monotone) != Py_True) || now_fails(r, shape, found + 1) ? 0 : -1;
    const bool ok = n > 1 ? done(PyObject_CallMethod(r->fits, "take", "O", tasks)) :
                            hold(r, task) && grow(&AT(r->policy, Told_change_epoch));
    return ok && started(r, unit) ? 1 : -1;
}

/* Fits.start(unit, best, reason), which does what is not frequent. */
static int start_unit(struct rounds *r, PyObject *unit, PyObject *best, PyObject *reason)
{
    PyObject *number = PyDict_GetItemWithError(r->reasons, reason);
    if (number != NULL && PyList_GET_SIZE(r->words_said) == 0 && PyList_GET_SIZE(AT(unit, Unit_tasks)) <= r->n_place)
        return start_plain(r, unit, best == Py_True, (int32_t)PyLong_AsLong(number));
    PyObject *result = PyErr_Occurred() == NULL ?
                       PyObject_CallMethod(r->fits, "start", "OOO", unit, best, reason) : NULL;
    const int is = result != NULL ? PyObject_IsTrue(result) : -1;
    Py_XDECREF(result);
    return is;
}

static bool is_unit(struct rounds *r, PyObject *object)
{
    if ((PyObject *)Py_TYPE(object) == r->Unit) return true;
    PyErr_Format(PyExc_TypeError, "%R is no unit", object);
    return false;
}

/* start(unit, best, reason) -> bool */
static PyObject *rounds_start(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    struct rounds *r = (struct rounds *)self;
    if (n != 3) PyErr_SetString(PyExc_TypeError, "start() takes a unit, a rule and a reason");
    const int is = n == 3 && is_unit(r, arg[0]) ? start_unit(r, arg[0], arg[1], arg[2]) : -1;
    return is < 0 ? NULL : PyBool_FromLong(is);
}

/* start_first(units, best, reason, at) -> where in the list, from `at` on, the first is that starts, or is not plain,
 * which the caller has to try itself; the length of the list: there is none. */
static PyObject *rounds_start_first(PyObject *self, PyObject *args)
{
    struct rounds *r = (struct rounds *)self;
    PyObject *units, *best, *reason;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(args, "O!OOn", &PyList_Type, &units, &best, &reason, &i)) return NULL;
    for (int is = 0; i < PyList_GET_SIZE(units); i++) {
        PyObject *unit = PyList_GET_ITEM(units, i);
        if (!is_unit(r, unit)) return NULL;
        if (AT(unit, Unit_plain) != Py_True) break;
        if ((is = start_unit(r, unit, best, reason)) < 0) return NULL;
        if (is == 1) break;
    }
    return PyLong_FromSsize_t(i);
}

/* look(words, names, place, n): their addresses, and how many places there is room for. */
static PyObject *rounds_look(PyObject *self, PyObject *args)
{
    struct rounds *r = (struct rounds *)self;
    unsigned long long word, names, place;
    if (!PyArg_ParseTuple(args, "KKKn", &word, &names, &place, &r->n_place)) return NULL;
    r->word = (const int64_t *)(uintptr_t)word;
    r->names = (const char *)(uintptr_t)names;
    r->place = (const int64_t *)(uintptr_t)place;
    Py_RETURN_NONE;
}

/* ---- the module ---- */

/* Where a slot is in objects of the class; 0: it has none of that name, which is raised. */
static Py_ssize_t place_of(PyObject *class, const char *name)
{
    PyObject *slot = PyObject_GetAttrString(class, name);
    const Py_ssize_t place = slot != NULL && Py_IS_TYPE(slot, &PyMemberDescr_Type) ?
                             ((PyMemberDescrObject *)slot)->d_member->offset : 0;
    Py_XDECREF(slot);
    if (place == 0 && PyErr_Occurred() == NULL) PyErr_Format(PyExc_TypeError, "'%s' is no slot of %R", name, class);
    return place;
}

static bool find_slots(struct rounds *r)
{
#define FIND(class, name) && (r->class##_##name = place_of(r->class, #name)) > 0
    return true SLOTS(FIND);
}

/* Rounds((what is kept, in order), code, start, start_gang): addresses the last three. */
static PyObject *rounds_new(PyTypeObject *type, PyObject *args, PyObject *more)
{
    struct rounds *r = (struct rounds *)type->tp_alloc(type, 0);
    unsigned long long code, start, start_gang;
    (void)more;
    if (r == NULL || !PyArg_ParseTuple(args, "(" KEPT(FORMAT) ")KKK", KEPT(ADDRESS) &code, &start, &start_gang))
        return NULL; /* what was parsed is borrowed: r is given up with its few bytes */
    KEPT(KEEP)
    r->code = (void *)(uintptr_t)code;
    r->start = (int32_t (*)(void *, int32_t, int32_t, int32_t, int32_t))(uintptr_t)start;
    r->start_gang = (int32_t (*)(void *, int32_t, int32_t, int32_t, int32_t))(uintptr_t)start_gang;
    r->licences = PyUnicode_InternFromString("licences");
    r->text_waiting = PyUnicode_InternFromString("waiting");
    r->text_running = PyUnicode_InternFromString("running");
    r->text_ended = PyUnicode_InternFromString("ended");
#define NAME(name) r->name = PyUnicode_InternFromString(#name);
#define IS_NAMED(name) && r->name != NULL
    METHODS(NAME)
    if (r->licences != NULL && r->text_waiting != NULL && r->text_running != NULL &&
        r->text_ended != NULL METHODS(IS_NAMED) && find_slots(r)) return (PyObject *)r;
    Py_DECREF(r);
    return NULL;
}

static void rounds_dealloc(PyObject *self)
{
    struct rounds *r = (struct rounds *)self;
    KEPT(DROP)
    METHODS(DROP)
    Py_CLEAR(r->licences);
    Py_CLEAR(r->text_waiting);
    Py_CLEAR(r->text_running);
    Py_CLEAR(r->text_ended);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = { { "start", (PyCFunction)(void (*)(void))rounds_start, METH_FASTCALL, NULL },
                                 { "start_first", rounds_start_first, METH_VARARGS, NULL },
                                 { "look", rounds_look, METH_VARARGS, NULL }, { NULL, NULL, 0, NULL } };
static PyTypeObject rounds_type = { PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_fairway.Rounds",
    .tp_basicsize = sizeof(struct rounds), .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = rounds_new,
    .tp_dealloc = rounds_dealloc, .tp_methods = methods };
static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, .m_name = "_fairway", .m_size = -1 };

PyMODINIT_FUNC PyInit__fairway(void); /* no header has it */

PyMODINIT_FUNC PyInit__fairway(void)
{
    PyObject *module = PyType_Ready(&rounds_type) == 0 ? PyModule_Create(&definition) : NULL;
    if (module == NULL) return NULL;
    /* The address of what is `round` of fairway.h for the instance that its first argument is. */
    if (PyModule_AddObject(module, "Rounds", owned((PyObject *)&rounds_type)) == 0 &&
        PyModule_AddObject(module, "ROUND", PyLong_FromUnsignedLongLong((uintptr_t)rounds_round)) == 0) return module;
    Py_DECREF(module);
    return NULL;
}
