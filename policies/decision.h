/*
 * decision.h -- what a policy may decide, and why a decision is refused: two tables.
 *
 * From the table of verbs come the host's verbs and records, what a policy in
 * another process may say and how it is read, the module of policies in Python,
 * and the section of PROTOCOL.md on decisions (policies/decision.sh).
 * What a verb does stands in sim/host/host.c.  Append only.
 */
#ifndef DECISION_H
#define DECISION_H

/*
 * VERB(code, name, record, about, extension, words, fields)
 *   record     what the table of decisions calls it
 *   about      JOB or TASK: what it names; RUN: neither
 *   extension  that it belongs to, or "core"
 * FIELD(key, type, member, need, words), in the order in which they are written
 *   type       how it is read: sim/host/exec/reply.c
 *   member     where it goes: struct reply_decision
 *   need       MUST or MAY
 */
#define POL_VERB_LIST(VERB, FIELD) \
    VERB(START, "start", "start", TASK, "core", "a waiting task starts; not one of a gang", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("task", INDEX, task, MUST, "") \
        FIELD("node", NODE, place, MUST, "") \
        FIELD("cards", CARDS, place, MAY, "a list; absent or empty: as `README.md`, Cards, has it") \
        FIELD("cpu", CPU, place, MAY, "cores that it gets instead of those it asks; 0: what it asks") \
        FIELD("reason", TEXT, text, MAY, "for the record") \
        FIELD("mem", MEM, place, MAY, "bytes of the node's memory, as `cpu`")) \
    VERB(START_GANG, "start_gang", "start", JOB, "core", "a gang starts, all its tasks at once", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("nodes", NODES, place, MUST, "one a task, in task order") \
        FIELD("cards", CARDS_EACH, place, MAY, "a list for each task") \
        FIELD("cpu", CPU_EACH, place, MAY, "a number for each") \
        FIELD("reason", TEXT, text, MAY, "") \
        FIELD("mem", MEM_EACH, place, MAY, "as `cpu`")) \
    VERB(PREEMPT, "preempt", "preempt", TASK, "core", "a running task stops, of a gang all of it", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("task", INDEX, task, MUST, "") \
        FIELD("reason", TEXT, text, MAY, "")) \
    VERB(RESIZE, "resize", "resize", TASK, "cores", "a running task holds other cores or memory from now on", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("task", INDEX, task, MUST, "") \
        FIELD("cpu", AMOUNT, cpu_milli, MUST, "") \
        FIELD("reason", TEXT, text, MAY, "") \
        FIELD("mem", AMOUNT, mem_b, MAY, "absent or 0: as it is")) \
    VERB(WAKE, "wake", "wake", RUN, "core", "a round is asked for", \
        FIELD("at", AMOUNT, at_us, MUST, "after `now`")) \
    VERB(NOTE, "note", "note", RUN, "core", "kept in the run's record", \
        FIELD("name", TEXT, text, MUST, "") \
        FIELD("value", NUMBER, value, MUST, "a number")) \
    VERB(FAIL, "fail", "fail", RUN, "core", "the policy cannot go on; fails the run", \
        FIELD("message", TEXT, text, MUST, "")) \
    VERB(HOLD, "hold", "hold", TASK, "core", "for the record alone (`README.md`, Reasons); said once is enough", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("task", INDEX, task, MUST, "") \
        FIELD("reason", TEXT, text, MUST, "") \
        FIELD("head", FLAG, flag, MAY, "default false: the task is declined; true: it is the head")) \
    VERB(RESERVE, "reserve", "reserve", JOB, "reservations", "at each stage's start; all 0 gives the reservation up", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("stage", INDEX, reserve.stage, MUST, "") \
        FIELD("reserved", AMOUNTS, reserve.reserved, MUST, "an amount, as the others") \
        FIELD("need", AMOUNTS, reserve.need, MUST, "") \
        FIELD("lendable", AMOUNTS, reserve.lendable, MAY, "default `reserved` less `need`") \
        FIELD("usable", AMOUNTS, reserve.usable, MAY, "before anything was taken back; default `reserved`") \
        FIELD("reclaimed", AMOUNTS, reserve.reclaimed, MAY, "taken back for it; default nothing") \
        FIELD("reason", TEXT, text, MAY, "")) \
    VERB(LEND, "lend", "lend", TASK, "reservations", "a running task borrows of what is reserved", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("task", INDEX, task, MUST, "that runs, or was just started") \
        FIELD("lender", JOB, lender, MUST, "the job for which it is reserved") \
        FIELD("amount", AMOUNTS, amount, MAY, "of what it holds; default all") \
        FIELD("reason", TEXT, text, MAY, "")) \
    VERB(SEND, "send", "send", TASK, "calls", "a waiting task of calls goes to a node's queue", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("task", INDEX, task, MUST, "that waits with the master, or in another node's queue") \
        FIELD("node", INDEX, node, MUST, "which alone can `start` it from there") \
        FIELD("reason", TEXT, text, MAY, "")) \
    VERB(CALL, "call", "call", TASK, "calls", "a task's next call runs, once the event `call` said that it may", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("task", INDEX, task, MUST, "") \
        FIELD("node", INDEX, node, MUST, "") \
        FIELD("engine", ENGINE, engine, MUST, "a type by name") \
        FIELD("reason", TEXT, text, MAY, "")) \
    VERB(SCALE, "scale", "scale", JOB, "elastic", "a running elastic job goes on with as many of its tasks as there are places; takes the flag preempts", \
        FIELD("job", JOB, job, MUST, "") \
        FIELD("nodes", NODES, place, MUST, "one a task, in task order; those that it holds now are free for it") \
        FIELD("cards", CARDS_EACH, place, MAY, "a list for each task") \
        FIELD("cpu", CPU_EACH, place, MAY, "a number for each") \
        FIELD("reason", TEXT, text, MAY, "") \
        FIELD("mem", MEM_EACH, place, MAY, "as `cpu`"))

enum pol_verb {
#define POL_VERB_CODE(code, name, record, about, extension, words, fields) POL_VERB_##code,
    POL_VERB_LIST(POL_VERB_CODE, )
#undef POL_VERB_CODE
    POL_VERBS                       /* one more than the last */
};

/* X(code, name, words) */
#define POL_REFUSAL_LIST(X) \
    /* what the decision names */ \
    X(NO_TASK,        "no_task",        "there is no such task") \
    X(NO_JOB,         "no_job",         "there is no such job") \
    X(NO_NODE,        "no_node",        "there is no such node") \
    X(STALE_TASK,     "stale_task",     "the task's handle is stale") \
    X(STALE_JOB,      "stale_job",      "the job's handle is stale") \
    X(STALE_LENDER,   "stale_lender",   "the lender's handle is stale") \
    /* the state of the task or job */ \
    X(RUNNING,        "running",        "the task is running already") \
    X(DONE,           "done",           "the task is done") \
    X(BLOCKED,        "blocked",        "other tasks of its job must end first") \
    X(NOT_RUNNING,    "not_running",    "the task is not running") \
    X(NOT_WAITING,    "not_waiting",    "the task does not wait") \
    X(GANG,           "gang",           "its job is a gang: all tasks start together") \
    X(NO_GANG,        "no_gang",        "its job is not a gang") \
    X(NOT_DECLARED,   "not_declared",   "the policy is not declared as one that preempts (POL_PREEMPTS)") \
    X(PAST,           "past",           "it asks to be woken at a time that is not in the future") \
    /* the place */ \
    X(PLACES,         "places",         "it names another number of places than the gang has tasks") \
    X(NODE_DOWN,      "node_down",      "the node is down") \
    X(NO_ROOM,        "no_room",        "it does not fit on the node") \
    X(NO_LICENCE,     "no_licence",     "the cluster has not enough free licences") \
    X(NO_CARD,        "no_card",        "it names a card that the node does not have") \
    X(CARD_TAKEN,     "card_taken",     "it names a card without enough free share, memory or cores") \
    X(CARDS,          "cards",          "it names another number of cards than the task asks") \
    X(CARDS_OF_ALL,   "cards_of_all",   "an exclusive task gets all cards of its node; it names some") \
    X(HAS_PLACE,      "has_place",      "the task holds a place already") \
    X(NO_PLACE,       "no_place",       "the task holds no place") \
    /* its cores */ \
    X(CPU_BELOW_0,    "cpu_below_0",    "it gives the task less than no CPU") \
    X(CPU_OF_ALL,     "cpu_of_all",     "an exclusive task gets all cores of its node") \
    X(CPU_HELD,       "cpu_held",       "an exclusive task holds all cores of its node") \
    X(CPU_RESERVED,   "cpu_reserved",   "its cores are part of a reservation") \
    X(CPU_NONE,       "cpu_none",       "it leaves the task without CPU") \
    X(CPU_TAKEN,      "cpu_taken",      "its node has not that much CPU free") \
    /* reservations and loans */ \
    X(NO_STAGE,       "no_stage",       "the job has no such stage") \
    X(NEED,           "need",           "the stage needs more than is reserved") \
    X(OVERBOOKED,     "overbooked",     "more is reserved than the cluster has") \
    X(LENT,           "lent",           "what is lent reaches into what the stage needs") \
    X(NO_RESERVATION, "no_reservation", "nothing is reserved for the lender") \
    X(OWN_TASK,       "own_task",       "what is lent never reaches the lender's own tasks") \
    X(BORROWS,        "borrows",        "the task borrows already") \
    X(LENT_OUT,       "lent_out",       "more is lent than the lender's stage leaves") \
    X(LENT_UNHELD,    "lent_unheld",    "more is lent to the task than it holds") \
    /* tasks of calls */ \
    X(NOT_SENT,       "not_sent", \
      "the task is made of calls: it is sent to a node's queue before that node starts it") \
    X(OTHER_QUEUE,    "other_queue",    "the task is in the queue of another node") \
    X(NO_QUEUE,       "no_queue",       "the task is not made of calls: it waits in no node's queue") \
    X(IN_QUEUE,       "in_queue",       "the task is in that node's queue already") \
    X(NO_CALLS,       "no_calls",       "the task is not made of calls") \
    X(NOT_COMPUTING,  "not_computing",  "the task does not compute yet: it still restores or reads") \
    X(CALLING,        "calling",        "the task makes its calls one after the other, and one is running") \
    X(NO_ENGINE,      "no_engine",      "there is no such type of engine") \
    X(ENGINE_UNFIT,   "engine_unfit",   "the call cannot run on an engine of that type") \
    X(ENGINE_TAKEN,   "engine_taken",   "the node has no engine of that type free") \
    X(CALL_TOO_LONG,  "call_too_long",  "the call would take longer than can be counted") \
    /* elastic jobs */ \
    X(NOT_ELASTIC,    "not_elastic",    "the number of its job's tasks cannot be changed") \
    X(SIZE,           "size",           "its job does not run on that many tasks") \
    /* its memory */ \
    X(MEM_BELOW_0,    "mem_below_0",    "it gives the task less than no memory") \
    X(MEM_OF_ALL,     "mem_of_all",     "an exclusive task gets all memory of its node") \
    X(MEM_TAKEN,      "mem_taken",      "its node has not that much memory free")

enum pol_refusal {
    POL_OK,                         /* it was not refused */
#define POL_REFUSAL_CODE(code, name, words) POL_REFUSAL_##code,
    POL_REFUSAL_LIST(POL_REFUSAL_CODE)
#undef POL_REFUSAL_CODE
    POL_REFUSALS                    /* one more than the last */
};

static inline const char *pol_refusal_name(unsigned refusal)
{
#define POL_REFUSAL_NAME(code, name, words) name,
    static const char *const text[] = { "ok", POL_REFUSAL_LIST(POL_REFUSAL_NAME) };
#undef POL_REFUSAL_NAME
    return refusal < POL_REFUSALS ? text[refusal] : "unknown";
}

static inline const char *pol_refusal_words(unsigned refusal)
{
#define POL_REFUSAL_WORDS(code, name, words) words,
    static const char *const text[] = { "it is not refused", POL_REFUSAL_LIST(POL_REFUSAL_WORDS) };
#undef POL_REFUSAL_WORDS
    return refusal < POL_REFUSALS ? text[refusal] : "unknown";
}

#endif
