/* proc.c -- another program by posix_spawn, its output read through a pipe until a deadline. */
#include "sweep/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/progress.h"
#include "base/mem.h"

extern char **environ;

static int start(const char *const *argv, int out, pid_t *pid)
{
    posix_spawn_file_actions_t fds;
    int bad = posix_spawn_file_actions_init(&fds);
    if (bad != 0) return bad;
    bad = posix_spawn_file_actions_addopen(&fds, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (bad == 0) bad = posix_spawn_file_actions_adddup2(&fds, out, STDOUT_FILENO);
    if (bad == 0) bad = posix_spawn_file_actions_adddup2(&fds, out, STDERR_FILENO);
    if (bad == 0) bad = posix_spawnp(pid, argv[0], &fds, NULL, (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawn_file_actions_destroy(&fds);
    return bad;
}

/* Until it closes its output, or the time is over: false. */
static bool listen_until(int fd, double end, char **text)
{
    size_t n = 0, cap = 0;
    for (;;) {
        double left = end - progress_clock();
        struct pollfd p = { .fd = fd, .events = POLLIN };
        MEM_RESERVE(*text, cap, n + 4096);
        (*text)[n] = '\0';
        if (left <= 0) return false;
        if (poll(&p, 1, (int)(left * 1000) + 1) <= 0) continue;
        ssize_t got = read(fd, *text + n, 4095);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        n += (size_t)got;
    }
}

enum st proc_read(const char *const *argv, double limit_s, char **out, int *status, struct diag *d)
{
    int fd[2], raw = 0;
    pid_t pid;
    *out = NULL;
    if (pipe(fd) != 0) return diag_set(d, ST_EWORLD, "cannot run '%s': %s", argv[0], strerror(errno));
    (void)fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    int bad = start(argv, fd[1], &pid);
    (void)close(fd[1]);
    if (bad != 0) {
        (void)close(fd[0]);
        return diag_set(d, ST_EWORLD, "cannot run '%s': %s", argv[0], strerror(bad));
    }
    bool ended = listen_until(fd[0], progress_clock() + limit_s, out);
    if (!ended) (void)kill(pid, SIGKILL);
    (void)close(fd[0]);
    while (waitpid(pid, &raw, 0) < 0 && errno == EINTR) {}
    *status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
    if (ended) return ST_OK;
    mem_free(*out);
    *out = NULL;
    return diag_set(d, ST_EWORLD, "'%s' did not end within %.0f s", argv[0], limit_s);
}
