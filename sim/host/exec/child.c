/*
 * child.c -- pipes, a shell and lines, of child.h.
 *
 * Our ends of the pipes do not block; whoever would wait polls until its deadline.
 */
#include "host/exec/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/stopwatch.h"

struct child {
    pid_t    pid;               /* and its process group */
    char    *others;            /* children that this process had before, as list_children has them */
    int      to, from;          /* our ends of its input and output */
    char    *buf;               /* [n] bytes read, of which [at] were handed out */
    size_t   n, at, cap;
    uint64_t n_lines;
    bool     at_end;
};

int64_t child_clock(void) { return stopwatch_clock() / 1000; }

uint64_t child_lines(const struct child *c) { return c->n_lines; }

/* ---- what it leaves ---- */

/* The children of this process, " 12 13 "; NULL where the system does not tell. */
static char *list_children(void)
{
    char path[64], *list = NULL;
    size_t n = 1, cap = 0, got = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *f = fopen(path, "r");
    if (f == NULL) return NULL;
    do {
        MEM_RESERVE(list, cap, n + 4097);
        n += got = fread(list + n, 1, 4096, f);
    } while (got > 0);
    (void)fclose(f);
    list[0] = ' ';
    list[n] = '\0';
    return list;
}

/* Kill and reap every child that is not among `others`.  Their own children then become ours (PR_SET_CHILD_SUBREAPER),
 * so it is done until there are none; a thousand generations are enough. */
static void end_children(const char *others)
{
    bool any = others != NULL;
    for (int k = 0; any && k < 1000; k++) {
        char *list = list_children(), *rest = list;
        any = false;
        for (char *word; rest != NULL && (word = strtok_r(rest, " ", &rest)) != NULL;) {
            char found[32];
            pid_t pid = (pid_t)strtol(word, NULL, 10);
            (void)snprintf(found, sizeof found, " %s ", word);
            if (pid <= 0 || strstr(others, found) != NULL) continue;
            (void)kill(pid, SIGKILL);
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) { }
            any = true;
        }
        mem_free(list);
    }
}

/* ---- starting ---- */

/* A pipe whose ends are above the standard streams and stay ours when another child is started. */
static bool make_pipe(int end[2])
{
    int low[2];
    if (pipe(low) != 0) return false;
    for (int i = 0; i < 2; i++) {
        end[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        (void)close(low[i]);
    }
    if (end[0] >= 0 && end[1] >= 0) return true;
    for (int i = 0; i < 2; i++)
        if (end[i] >= 0) (void)close(end[i]);
    return false;
}

/* Between fork and exec: only what is safe after a fork of a program with threads. */
_Noreturn static void become(const char *command, const char *dir, int in, int out)
{
    static const char no_dir[] = "fairway: the scenario's folder cannot be entered\n";
    (void)setpgid(0, 0);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(126);
    if (dir != NULL && dir[0] != '\0' && chdir(dir) != 0) {
        (void)!write(STDERR_FILENO, no_dir, sizeof no_dir - 1);
        _exit(126);
    }
    struct sigaction sa;        /* what we ignore or block is not the child's to inherit */
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = SIG_DFL;
    (void)sigaction(SIGPIPE, &sa, NULL);
    (void)sigaction(SIGINT, &sa, NULL);
    (void)sigaction(SIGTERM, &sa, NULL);
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void close_both(const int end[2])
{
    (void)close(end[0]);
    (void)close(end[1]);
}

struct child *child_start(const char *command, const char *dir, char *error, size_t cap)
{
    int in[2], out[2];
    if (!make_pipe(in)) {
        (void)snprintf(error, cap, "no pipe: %s", strerror(errno));
        return NULL;
    }
    if (!make_pipe(out)) {
        (void)snprintf(error, cap, "no pipe: %s", strerror(errno));
        close_both(in);
        return NULL;
    }
    char *others = list_children();
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t pid = fork();
    if (pid == 0) become(command, dir, in[0], out[1]);
    if (pid < 0) {
        (void)snprintf(error, cap, "no process: %s", strerror(errno));
        mem_free(others);
        close_both(in);
        close_both(out);
        return NULL;
    }
    (void)setpgid(pid, pid);    /* in both processes: whichever runs first, the group is there */
    (void)close(in[0]);
    (void)close(out[1]);
    /* Only our ends: the child's have flags of their own, and block. */
    (void)fcntl(in[1], F_SETFL, O_NONBLOCK);
    (void)fcntl(out[0], F_SETFL, O_NONBLOCK);
    struct child *c;
    MEM_NEW(c);
    c->pid = pid;
    c->others = others;
    c->to = in[1];
    c->from = out[0];
    return c;
}

/* ---- speaking ---- */

/* Wait until fd is ready; false when the deadline came. */
static bool ready(int fd, short what, int64_t deadline)
{
    for (;;) {
        int64_t left = deadline - child_clock();
        if (left <= 0) return false;
        struct pollfd p = { .fd = fd, .events = what };
        int64_t ms = left / 1000 + 1;
        int rc = poll(&p, 1, ms > 60000 ? 60000 : (int)ms);
        if (rc > 0) return true;
    }
}

/* write(2) with the SIGPIPE of this call, and no other, taken back. */
static ssize_t write_quietly(int fd, const char *p, size_t n)
{
    sigset_t pipe_set, old, pending;
    (void)sigemptyset(&pipe_set);
    (void)sigaddset(&pipe_set, SIGPIPE);
    (void)sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &pipe_set, &old);
    ssize_t got = write(fd, p, n);
    int error = errno;
    if (got < 0 && error == EPIPE && !was_pending) {
        const struct timespec now = { 0, 0 };
        while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR) { }
    }
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return got;
}

enum child_io child_write(struct child *c, const char *p, size_t n, int64_t deadline)
{
    while (n > 0) {
        ssize_t put = write_quietly(c->to, p, n);
        if (put >= 0) {
            p += put;
            n -= (size_t)put;
        } else if (errno == EAGAIN || errno == EINTR) {
            if (!ready(c->to, POLLOUT, deadline)) return CHILD_SILENT;
        } else {
            return errno == EPIPE ? CHILD_CLOSED : CHILD_BROKEN;
        }
    }
    return CHILD_OK;
}

static enum child_io hand_out(struct child *c, size_t len, size_t skip, const char **line, size_t *n)
{
    *line = c->buf + c->at;
    *n = len;
    c->at += len + skip;
    c->n_lines++;
    return CHILD_OK;
}

enum child_io child_read(struct child *c, const char **line, size_t *n, int64_t deadline)
{
    size_t looked = 0;
    for (;;) {
        size_t have = c->n - c->at;
        const char *end = have > looked ? memchr(c->buf + c->at + looked, '\n', have - looked) : NULL;
        if (end != NULL) return hand_out(c, (size_t)(end - (c->buf + c->at)), 1, line, n);
        if (c->at_end) return have > 0 ? hand_out(c, have, 0, line, n) : CHILD_CLOSED;
        if (have > CHILD_LINE_MAX) return CHILD_LONG;
        looked = have;
        if (c->at > 0) {
            memmove(c->buf, c->buf + c->at, have);
            c->n = have;
            c->at = 0;
        }
        MEM_RESERVE(c->buf, c->cap, c->n + 65536);
        ssize_t got = read(c->from, c->buf + c->n, c->cap - c->n);
        if (got > 0) c->n += (size_t)got;
        else if (got == 0) c->at_end = true;
        else if (errno != EAGAIN && errno != EINTR) return CHILD_BROKEN;
        else if (!ready(c->from, POLLIN, deadline)) return CHILD_SILENT;
    }
}

/* ---- ending ---- */

/* Has it ended, still unreaped?  Waits until the deadline. */
static bool ended_by(const struct child *c, int64_t deadline)
{
    struct timespec nap = { 0, 100000 };
    for (;;) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        int rc = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if ((rc == 0 && info.si_pid == c->pid) || (rc < 0 && errno == ECHILD)) return true;
        if (child_clock() >= deadline) return false;
        (void)nanosleep(&nap, NULL);
        if (nap.tv_nsec < 5000000) nap.tv_nsec *= 2;
    }
}

bool child_end(struct child *c, int64_t grace_us, char *how, size_t cap)
{
    int status = 0;
    (void)close(c->to);
    bool by_itself = ended_by(c, child_clock() + grace_us);
    /* Whatever it started goes too, its group at once.  The group exists as long as its leader is not reaped. */
    (void)kill(-c->pid, SIGKILL);
    (void)kill(c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) { }
    end_children(c->others);
    mem_free(c->others);
    (void)close(c->from);
    if (!by_itself) (void)snprintf(how, cap, "did not end and was killed");
    else if (WIFSIGNALED(status)) (void)snprintf(how, cap, "was killed by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) == 127 && c->n_lines == 0)
        (void)snprintf(how, cap, "exited with status 127: the shell did not find the command");
    else if (WEXITSTATUS(status) > 128) (void)snprintf(how, cap, "exited with status %d (a shell's for signal %d)", WEXITSTATUS(status), WEXITSTATUS(status) - 128);
    else (void)snprintf(how, cap, "exited with status %d", WEXITSTATUS(status));
    mem_free(c->buf);
    mem_free(c);
    return by_itself && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
