/*
 * refusal.h -- why a decision is refused: the codes, their names and their words, in one table.
 *
 * A policy reads codes in POL_REFUSED (policy.h); one in another process reads
 * the names (PROTOCOL.md).  Append only: a code keeps its number within a major.
 */
#ifndef REFUSAL_H
#define REFUSAL_H

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
    /* tasks of calls */ \
    X(NOT_SENT,       "not_sent",       "the task is made of calls: it is sent to a node's queue before that node starts it") \
    X(OTHER_QUEUE,    "other_queue",    "the task is in the queue of another node") \
    X(NO_QUEUE,       "no_queue",       "the task is not made of calls: it waits in no node's queue") \
    X(IN_QUEUE,       "in_queue",       "the task is in that node's queue already") \
    X(NO_CALLS,       "no_calls",       "the task is not made of calls") \
    X(NOT_COMPUTING,  "not_computing",  "the task does not compute yet: it still restores or reads") \
    X(CALLING,        "calling",        "the task makes its calls one after the other, and one is running") \
    X(NO_ENGINE,      "no_engine",      "there is no such kind of engine") \
    X(ENGINE_UNFIT,   "engine_unfit",   "the call cannot run on an engine of that kind") \
    X(ENGINE_TAKEN,   "engine_taken",   "the node has no engine of that kind free") \
    X(CALL_TOO_LONG,  "call_too_long",  "the call would take longer than can be counted")

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
