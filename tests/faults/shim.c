/*
 * shim.c -- for LD_PRELOAD: the Nth call of a kind fails.
 *
 *   FAULT=KIND:N[:ERRNO]     write, fsync, open, read, unlink, rename, malloc, fork, pipe, step (of SQLite)
 *   FAULT_HIT=FILE           is made when the call was reached, so that who counts knows when there are no more
 *
 * Each process counts for itself.  What the C library calls within itself (stdio's writes) does not pass here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    char kind[16];
    long n;
    int error;
    const char *hit;
    bool is_read;
} fault;
static atomic_long n_calls;

/* Without malloc, which may be what asks. */
static void read_fault(void)
{
    const char *text = getenv("FAULT");
    fault.is_read = true;
    if (strcmp(program_invocation_short_name, "fairway") != 0) return; /* not what it starts */
    if (text == NULL || strcspn(text, ":") >= sizeof fault.kind) return;
    memcpy(fault.kind, text, strcspn(text, ":"));
    text += strcspn(text, ":");
    if (*text == ':') fault.n = strtol(text + 1, (char **)&text, 10);
    fault.error = *text == ':' ? atoi(text + 1) : 0;
    fault.hit = getenv("FAULT_HIT");
}

static bool fails(const char *kind, int error)
{
    if (!fault.is_read) read_fault();
    if (strcmp(fault.kind, kind) != 0 || atomic_fetch_add(&n_calls, 1) + 1 != fault.n) return false;
    if (fault.hit != NULL) {
        long fd = syscall(SYS_openat, AT_FDCWD, fault.hit, O_CREAT | O_WRONLY, 0644);
        if (fd >= 0) (void)syscall(SYS_close, fd);
    }
    errno = fault.error != 0 ? fault.error : error;
    return true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *b, size_t n) { return fails("write", ENOSPC) ? -1 : syscall(SYS_write, fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t at)
{
    return fails("write", ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, b, n, at);
}
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at)
{
    return fails("write", ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, b, n, at);
}
int fsync(int fd) { return fails("fsync", EIO) ? -1 : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return fails("fsync", EIO) ? -1 : (int)syscall(SYS_fdatasync, fd); }
ssize_t read(int fd, void *b, size_t n) { return fails("read", EIO) ? -1 : syscall(SYS_read, fd, b, n); }
ssize_t pread(int fd, void *b, size_t n, off_t at)
{
    return fails("read", EIO) ? -1 : syscall(SYS_pread64, fd, b, n, at);
}
ssize_t pread64(int fd, void *b, size_t n, off64_t at)
{
    return fails("read", EIO) ? -1 : syscall(SYS_pread64, fd, b, n, at);
}
int unlink(const char *path) { return fails("unlink", EACCES) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0); }
int rename(const char *from, const char *to)
{
    return fails("rename", EACCES) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int pipe(int fd[2]) { return fails("pipe", EMFILE) ? -1 : (int)syscall(SYS_pipe2, fd, 0); }
int pipe2(int fd[2], int flags) { return fails("pipe", EMFILE) ? -1 : (int)syscall(SYS_pipe2, fd, flags); }

static int open_with(const char *path, int flags, va_list ap)
{
    if (fails("open", EMFILE)) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags,
                        (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(ap, unsigned) : 0);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        va_list ap; \
        va_start(ap, flags); \
        int fd = open_with(path, flags, ap); \
        va_end(ap); \
        return fd; \
    }
OPEN(open)
OPEN(open64)

FILE *fopen(const char *path, const char *mode) { return fails("open", EMFILE) ? NULL : REAL(fopen)(path, mode); }
FILE *fopen64(const char *path, const char *mode) { return fails("open", EMFILE) ? NULL : REAL(fopen64)(path, mode); }

pid_t fork(void) { return fails("fork", EAGAIN) ? -1 : REAL(fork)(); }

/* glibc's own names, as dlsym may itself allocate. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n) { return fails("malloc", ENOMEM) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails("malloc", ENOMEM) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails("malloc", ENOMEM) ? NULL : __libc_realloc(p, n); }

/* SQLite says again, when the statement is reset or ended, how its last step went. */
struct sqlite3_stmt;
typedef int (*of_stmt)(struct sqlite3_stmt *);
enum { IOERR = 10 };
static struct sqlite3_stmt *broken;

/* SQLite's own steps, within sqlite3_exec, would not hear of it in the same way. */
static bool is_of_program(const void *caller)
{
    Dl_info of;
    return dladdr(caller, &of) != 0 && strstr(of.dli_fname, "libsqlite3") == NULL;
}

int sqlite3_step(struct sqlite3_stmt *q)
{
    if (!is_of_program(__builtin_return_address(0)) || !fails("step", EIO))
        return ((of_stmt)dlsym(RTLD_NEXT, "sqlite3_step"))(q);
    broken = q;
    return IOERR;
}

static int end(struct sqlite3_stmt *q, const char *how)
{
    int rc = ((of_stmt)dlsym(RTLD_NEXT, how))(q);
    if (q == NULL || q != broken) return rc;
    broken = NULL;
    return IOERR;
}

int sqlite3_reset(struct sqlite3_stmt *q) { return end(q, "sqlite3_reset"); }
int sqlite3_finalize(struct sqlite3_stmt *q) { return end(q, "sqlite3_finalize"); }
