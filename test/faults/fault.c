/* Preloaded into corun: the FAULT_AT-th call of FAULT_CALL, counted over all of corun's processes,
 * fails with FAULT_ERRNO. The count is in the file FAULT_COUNT, eight bytes. See faults.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static const char *wanted = "";
static long at;
static int error;
static _Atomic long *count;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
    if (!getenv("FAULT_COUNT")) return;
    int fd = NEXT(open)(getenv("FAULT_COUNT"), O_RDWR);
    void *map = NEXT(mmap)(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    NEXT(close)(fd);
    if (map == MAP_FAILED) abort();
    at = atol(getenv("FAULT_AT"));
    error = atoi(getenv("FAULT_ERRNO"));
    count = map;
    wanted = getenv("FAULT_CALL");
}

static bool fails(const char *call)
{
    if (strcmp(call, wanted) || atomic_fetch_add(count, 1) + 1 != at) return false;
    errno = error;
    return true;
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = mode_of(flags, args);                                                        \
        va_end(args);                                                                              \
        return fails("open") ? -1 : NEXT(name)(path, flags, mode);                                 \
    }
OPEN(open)
OPEN(open64)

ssize_t read(int fd, void *to, size_t n) { return fails("read") ? -1 : NEXT(read)(fd, to, n); }
ssize_t pread(int fd, void *to, size_t n, off_t from)
{
    return fails("read") ? -1 : NEXT(pread)(fd, to, n, from);
}
ssize_t pread64(int fd, void *to, size_t n, off64_t from)
{
    return fails("read") ? -1 : NEXT(pread64)(fd, to, n, from);
}
ssize_t write(int fd, const void *from, size_t n)
{
    return fails("write") ? -1 : NEXT(write)(fd, from, n);
}
ssize_t pwrite(int fd, const void *from, size_t n, off_t to)
{
    return fails("write") ? -1 : NEXT(pwrite)(fd, from, n, to);
}
ssize_t pwrite64(int fd, const void *from, size_t n, off64_t to)
{
    return fails("write") ? -1 : NEXT(pwrite64)(fd, from, n, to);
}
int fsync(int fd) { return fails("fsync") ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return fails("fsync") ? -1 : NEXT(fdatasync)(fd); }
int rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : NEXT(rename)(from, to);
}
void *mmap(void *want, size_t n, int protection, int flags, int fd, off_t from)
{
    return fails("mmap") ? MAP_FAILED : NEXT(mmap)(want, n, protection, flags, fd, from);
}
void *mmap64(void *want, size_t n, int protection, int flags, int fd, off64_t from)
{
    return fails("mmap") ? MAP_FAILED : NEXT(mmap64)(want, n, protection, flags, fd, from);
}
int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return fails("linkat") ? -1 : NEXT(linkat)(from_fd, from, to_fd, to, flags);
}
pid_t fork(void) { return fails("fork") ? -1 : NEXT(fork)(); }
int close(int fd)
{
    bool bad = fails("close"); /* closed anyway, as on Linux */
    int status = NEXT(close)(fd);
    if (bad) errno = error;
    return bad ? -1 : status;
}
