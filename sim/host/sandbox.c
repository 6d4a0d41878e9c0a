/* sandbox.c -- the child, and the parent that watches it, of sandbox.h. */
#define _DEFAULT_SOURCE     /* MAP_ANONYMOUS */
#include "host/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/stopwatch.h"
#include "base/text.h"

void *sandbox_share(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        (void)fprintf(stderr, "fairway: error: out of memory: %zu bytes to share between processes\n", size);
        exit(3);
    }
    return p;
}

void sandbox_unshare(void *p, size_t size) { (void)munmap(p, size); }

/* ---- the child ---- */

/* For the handler alone; a child runs one function and ends, so it is set once. */
static struct { struct sandbox_page *page; const char *stack; size_t stack_max; } fault_of;

/* A fault below where the stack began, and not farther than it may grow, is an overflow. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    const char *at = info->si_addr;
    if (at < fault_of.stack && (size_t)(fault_of.stack - at) + (1u << 20) > fault_of.stack_max) fault_of.page->overflowed = 1;
    /* SA_RESETHAND: back to the instruction that faulted, which now ends the process. */
}

static void watch_faults(struct sandbox_page *page)
{
    static char alt[65536];
    struct rlimit lim;
    char here;
    fault_of.page = page;
    fault_of.stack = &here;
    fault_of.stack_max = getrlimit(RLIMIT_STACK, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY ? (size_t)lim.rlim_cur : SIZE_MAX;
    (void)sigaltstack(&(stack_t){ .ss_sp = alt, .ss_size = sizeof alt }, NULL);
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_sigaction = on_fault;
    sa.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    (void)sigaction(SIGSEGV, &sa, NULL);
    (void)sigaction(SIGBUS, &sa, NULL);
    (void)signal(SIGFPE, SIG_DFL);          /* a sanitizer's handler would end the process in its own way */
    (void)signal(SIGILL, SIG_DFL);
}

_Noreturn static void be_child(struct sandbox_page *page, pid_t parent, enum st (*fn)(void *, struct sandbox_page *, struct diag *), void *ctx)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(3);
    watch_faults(page);
    page->st = fn(ctx, page, &page->diag);
    (void)fflush(NULL);
    page->is_done = 1;
    _exit(0);
}

/* ---- the parent ---- */

static int64_t wall_us(void) { return stopwatch_clock() / 1000; }

/* Resident bytes of a process, 0 when they cannot be read. */
static int64_t resident(pid_t pid)
{
    char path[64];
    long pages = 0, whole;
    (void)snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *f = fopen(path, "r");
    if (f == NULL) return 0;
    if (fscanf(f, "%ld %ld", &whole, &pages) != 2) pages = 0;
    (void)fclose(f);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

enum { KILLED_TIME = 1, KILLED_MEM = 2 };

/* Wait for the child's end; returns why it was killed, or 0. */
static int watch(struct sandbox_page *page, const struct sandbox_limits *l, const volatile sig_atomic_t *stop, pid_t pid, int end, int *status)
{
    int64_t mem0 = resident(pid), spent = 0, before = wall_us();
    uint64_t entry = 0;
    int killed = 0, tick_ms = SANDBOX_TICK_MS;
    for (;;) {
        /* The pipe closes with the child, a moment before it can be waited for. */
        if (poll(&(struct pollfd){ .fd = end, .events = POLLIN }, 1, tick_ms) > 0) { end = -1; tick_ms = 1; }
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid) return killed;
        /* Longer than a few ticks: this process was itself stopped, which does not count. */
        int64_t now = wall_us(), took = i64_min(now - before, 5 * SANDBOX_TICK_MS * 1000);
        before = now;
        if (stop != NULL && *stop) page->stop = 1;
        bool same = page->phase != SANDBOX_OUTSIDE && page->entry == entry;
        entry = page->entry;
        spent = same ? spent + took : 0;
        if (killed != 0) continue;
        if (spent > l->call_us) killed = KILLED_TIME;
        else if (resident(pid) - mem0 > l->mem_b) killed = KILLED_MEM;
        if (killed != 0) (void)kill(pid, SIGKILL);
    }
}

/* "at t=5 us (5 us), decide call 3, after 2 decisions" */
static void format_where(const struct sandbox_page *p, char *buf, size_t cap)
{
    static const char *const phase[] = { "outside of its functions", "while it was loaded", "in create", "in decide", "in destroy" };
    char when[64];
    int at = snprintf(buf, cap, "%s", phase[p->phase]);
    if (p->n_decides > 0 && (p->phase == SANDBOX_DECIDING || p->phase == SANDBOX_OUTSIDE))
        (void)snprintf(buf + at, cap - (size_t)at, " at t=%" PRId64 " us (%s), decide call %" PRIu64 ", after %" PRIu64 " decision%s", p->now_us,
                       text_duration(when, sizeof when, p->now_us), p->n_decides, p->n_decisions, p->n_decisions == 1 ? "" : "s");
}

static const char *signal_means(int sig, const struct sandbox_page *p)
{
    switch (sig) {
    case SIGSEGV: case SIGBUS:
        return p->overflowed ? "its stack overflowed" : "it touched memory that is not its own";
    case SIGFPE: return "an integer division by zero, or one that overflows";
    case SIGABRT: return "it called abort, or the C library found its heap destroyed";
    case SIGILL: return "an instruction that the machine does not have";
    case SIGKILL: return "killed from outside; the system may have run out of memory";
    default: return "killed by a signal";
    }
}

static enum st describe_end(const struct sandbox_page *p, const struct sandbox_limits *l, int killed, int status, struct diag *d)
{
    char where[256], much[64];
    format_where(p, where, sizeof where);
    if (killed == KILLED_TIME) {
        (void)diag_breach(d, BREACH_STUCK, "policy '%s' did not return within %s, %s", p->name,
                       text_duration(much, sizeof much, l->call_us), where);
        diag_hint(d, "if it is slow rather than stuck, allow it more with --decide-timeout");
    } else if (killed == KILLED_MEM) {
        (void)diag_breach(d, BREACH_MEMORY, "the run of policy '%s' grew by more than %" PRId64 " MiB of memory, seen %s", p->name, l->mem_b >> 20, where);
        diag_hint(d, "if it needs that much, allow it more with --policy-memory");
    } else if (WIFSIGNALED(status)) {
        int sig = WTERMSIG(status);
        if (sig == SIGINT || sig == SIGTERM) return diag_set(d, ST_EINTR, "interrupted");
        (void)diag_breach(d, BREACH_CRASH, "policy '%s' crashed %s: signal %d, %s", p->name, where, sig, signal_means(sig, p));
        if (p->phase == SANDBOX_OUTSIDE) diag_hint(d, "it may have written over memory of the simulator; build both with -fsanitize=address");
        else diag_hint(d, "build it with -g -fsanitize=address,undefined, and see `fairway policies --conform`");
    } else {
        (void)diag_breach(d, BREACH_EXIT, "policy '%s' ended the program, with status %d, %s", p->name, WEXITSTATUS(status), where);
        diag_hint(d, "a policy that cannot go on calls host->fail");
    }
    return d->code;
}

enum st sandbox_run(const struct sandbox_limits *l, const char *name, const volatile sig_atomic_t *stop,
                 enum st (*fn)(void *ctx, struct sandbox_page *page, struct diag *d), void *ctx, struct diag *d)
{
    struct sandbox_page *page = sandbox_share(sizeof *page);
    int fd[2], status = 0;
    enum st st;
    (void)snprintf(page->name, sizeof page->name, "%s", name);
    (void)fflush(NULL);
    if (pipe(fd) != 0) {
        st = diag_set(d, ST_EWORLD, "cannot start a process: %s", strerror(errno));
        goto out;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        (void)close(fd[0]);
        (void)fcntl(fd[1], F_SETFD, FD_CLOEXEC);
        be_child(page, parent, fn, ctx);
    }
    (void)close(fd[1]);
    if (pid < 0) {
        st = diag_set(d, ST_EWORLD, "cannot start a process: %s", strerror(errno));
    } else {
        int killed = watch(page, l, stop, pid, fd[0], &status);
        if (page->is_done) {
            st = page->st;
            if (st != ST_OK && st != ST_END) *d = page->diag;
        } else {
            st = describe_end(page, l, killed, status, d);
        }
    }
    (void)close(fd[0]);
out:
    sandbox_unshare(page, sizeof *page);
    return st;
}
