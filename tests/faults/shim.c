/*
 * shim.c -- for LD_PRELOAD: the Nth call of a kind fails.
 *
 *   FAULT=KIND:N[:ERRNO]     write, fsync, open, read, unlink, rename, malloc, fork, pipe, step (of SQLite)
 *   FAULT_HIT=FILE           is made when the call was reached, so that who counts knows when there are no more
 *   FAULT_LIST=FILE          nothing fails; each N that is the 1st, 2nd, 4th, 8th, ... call of its kind from one stack
 *                            goes to FILE, a line each: the stack from main to where the program left its own code.
 *                            Memory that the program's own code asks for is one stack: base/mem.c ends it in one place
 *
 * Each process counts for itself, from its parent's count on.  Who sleeps in poll, without a file to wait for, wakes
 * after 5 ms, and finds that the time that it asked for has passed.  What the C library calls within itself (stdio's
 * writes) does not pass here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
    char kind[16];
    long n;
    int error;
    const char *hit, *list;
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
    fault.list = getenv("FAULT_LIST");
}

/* ---- stacks ---- */

enum { FRAMES = 64, STACKS = 1 << 14 };
static struct { uintptr_t from, end; } program;
static struct { uint64_t hash; unsigned long n; } stack_at[STACKS];
static _Thread_local bool is_listing;           /* backtrace allocates when it is first called */
static _Thread_local const void *asker;         /* for memory; NULL for other calls */

/* The first file is the program. */
static int note_program(struct dl_phdr_info *of, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    for (int i = 0; i < of->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &of->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || (h->p_flags & PF_X) == 0) continue;
        program.from = of->dlpi_addr + h->p_vaddr;
        program.end = program.from + h->p_memsz;
    }
    return 1;
}

static bool is_in_program(const void *at) { return (uintptr_t)at >= program.from && (uintptr_t)at < program.end; }

/* Return addresses as places in the program, which are the same in every process. */
static uint64_t hash_stack(void)
{
    void *at[FRAMES];
    uint64_t hash = 1;
    if (program.end == 0) (void)dl_iterate_phdr(note_program, NULL);
    if (is_in_program(asker)) return hash;
    const int n = backtrace(at, FRAMES);
    for (int k = 0; k < n; k++) {
        if (!is_in_program(at[k])) continue;
        hash = (hash ^ ((uintptr_t)at[k] - program.from)) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash;
}

static void list_call(long n)
{
    if (is_listing) return;
    is_listing = true;
    const uint64_t hash = hash_stack();
    size_t i = hash % STACKS;
    for (int k = 0; k < STACKS && stack_at[i].n > 0 && stack_at[i].hash != hash; k++) i = (i + 1) % STACKS;
    stack_at[i].hash = hash;
    const unsigned long nth = ++stack_at[i].n;
    if ((nth & (nth - 1)) == 0) {
        char line[24];
        const int len = snprintf(line, sizeof line, "%ld\n", n);
        const long fd = syscall(SYS_openat, AT_FDCWD, fault.list, O_CREAT | O_WRONLY | O_APPEND, 0644);
        if (fd >= 0) (void)syscall(SYS_write, fd, line, (size_t)len);
        if (fd >= 0) (void)syscall(SYS_close, fd);
    }
    is_listing = false;
}

/* ---- calls ---- */

static bool fails(const char *kind, int error)
{
    if (!fault.is_read) read_fault();
    if (strcmp(fault.kind, kind) != 0 || is_listing) return false;
    const long n = atomic_fetch_add(&n_calls, 1) + 1;
    if (fault.list != NULL) list_call(n);
    if (fault.list != NULL || n != fault.n) return false;
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

/* ---- the clock ---- */

enum { NAP_MS = 5, NS = 1000000000 };
static long slept_ms;

int poll(struct pollfd *at, nfds_t n, int ms)
{
    if (n > 0 || ms < NAP_MS) return (int)syscall(SYS_poll, at, n, ms);
    slept_ms += ms - NAP_MS;
    return (int)syscall(SYS_poll, at, n, NAP_MS);
}

int clock_gettime(clockid_t which, struct timespec *t)
{
    const long rc = syscall(SYS_clock_gettime, which, t);
    if (rc != 0) return (int)rc;
    t->tv_sec += slept_ms / 1000;
    t->tv_nsec += slept_ms % 1000 * 1000000;
    t->tv_sec += t->tv_nsec / NS;
    t->tv_nsec %= NS;
    return 0;
}

/* glibc's own names, as dlsym may itself allocate. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
static bool has_no_room(const void *for_whom)
{
    asker = for_whom;
    const bool is_full = fails("malloc", ENOMEM);
    asker = NULL;
    return is_full;
}

#define ALLOCATE(call) (has_no_room(__builtin_return_address(0)) ? NULL : (call))
void *malloc(size_t n) { return ALLOCATE(__libc_malloc(n)); }
void *calloc(size_t n, size_t size) { return ALLOCATE(__libc_calloc(n, size)); }
void *realloc(void *p, size_t n) { return ALLOCATE(__libc_realloc(p, n)); }

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
