/* Replacement of pages in use: another thread may have data in a page, and the calling thread its
 * stack. Therefore a process with the same memory replaces the pages while the calling thread is
 * suspended, and userfaultfd suspends other threads at an access of the pages. Some systems forbid
 * userfaultfd; writes of other threads at that moment are then lost. */
#include "cuda/connection/alias.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/connection/client.h"

#ifndef MREMAP_DONTUNMAP /* headers before Linux 5.7 and 5.11 */
#define MREMAP_DONTUNMAP 4
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

/* Memory of the copy: the stack, then thread-local storage, used by the C library for `errno` and
 * stack canaries. The header of the thread is in the middle of the storage. */
enum { STACK_BYTES = 1 << 16, LOCAL_BYTES = 1 << 16, HEADER_BYTES = 64 };

/* Adjacent pages of the program, of one kind. */
struct piece {
    uint64_t from, to;
    uint64_t device;  /* address in device memory; 0: pages of the program */
    bool anonymous;   /* private memory without a file, as of malloc and stacks */
    bool shared;      /* written by the program, and seen by other processes, too */
};

struct mapping {      /* a line of /proc/self/maps */
    uint64_t from, to, offset;
    unsigned major, minor;
    unsigned long long inode;
    char access[5];
};

static bool mapping_next(FILE *maps, struct mapping *m)
{
    char line[512];
    for (;;) {
        if (!fgets(line, sizeof line, maps)) return false;
        if (!strchr(line, '\n'))
            for (int c; (c = fgetc(maps)) != '\n' && c != EOF;) continue;
        if (sscanf(line, "%lx-%lx %4s %lx %x:%x %llu", &m->from, &m->to, m->access, &m->offset,
                   &m->major, &m->minor, &m->inode) == 7) return true;
    }
}

static bool same_file(const struct mapping *a, const struct mapping *b)
{
    return a->major == b->major && a->minor == b->minor && a->inode == b->inode;
}

/* Finds the mapping that holds an address; false: none. */
static bool mapping_find(uint64_t address, struct mapping *m)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;
    while (maps && !found && mapping_next(maps, m)) found = address - m->from < m->to - m->from;
    if (maps) fclose(maps);
    return found;
}

static bool push(struct piece **pieces, size_t *n, struct piece one)
{
    struct piece *more = realloc(*pieces, (*n + 1) * sizeof *more);
    if (!more) return false;
    *pieces = more;
    more[(*n)++] = one;
    return true;
}

/* Divides pages by kind. Returns the number of pieces, in order; 0: some page cannot be read. */
static size_t pieces_of(uint64_t address, uint64_t size, struct piece **pieces)
{
    struct mapping memory, m;
    uint64_t at = address;
    size_t n = 0;
    *pieces = NULL;
    FILE *maps = NULL;
    if (mapping_find(corun_address(corun_view()), &memory)) maps = fopen("/proc/self/maps", "re");
    if (!maps) /* no /proc */
        return push(pieces, &n, (struct piece){.from = address, .to = address + size}) ? n : 0;
    while (at < address + size && mapping_next(maps, &m)) {
        if (m.to <= at) continue;
        if (m.from > at || m.access[0] != 'r') break;
        uint64_t to = m.to < address + size ? m.to : address + size;
        bool ours = same_file(&m, &memory);
        const struct piece one = {.from = at, .to = to,
                                  .device = ours ? m.offset + (at - m.from) : 0,
                                  .anonymous = !m.inode && m.access[3] == 'p',
                                  .shared = !ours && m.access[3] == 's' && m.access[1] == 'w'};
        if (!push(pieces, &n, one)) break;
        at = to;
    }
    fclose(maps);
    return at == address + size ? n : 0;
}

uint64_t corun_aliased(uint64_t address, uint64_t size)
{
    struct piece *pieces;
    size_t n = pieces_of(address, size, &pieces);
    uint64_t device = n ? pieces[0].device : 0;
    for (size_t i = 1; i < n; i++)
        if (pieces[i].device != device + (pieces[i].from - address)) device = 0;
    free(pieces);
    return device;
}

bool corun_is_shared(uint64_t address, uint64_t size)
{
    struct piece *pieces;
    size_t n = pieces_of(address, size, &pieces);
    bool shared = false;
    for (size_t i = 0; i < n; i++) shared |= pieces[i].shared;
    free(pieces);
    return shared;
}

/* Maps pages of device memory at another address, too. */
static bool map_again(unsigned char *pinned, uint64_t size, void *place)
{
    return mremap(pinned, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place;
}

/* Gives pages of device memory a second device address, on both sides. */
static bool alias_device(const struct piece *p, uint64_t device)
{
    uint64_t size = p->to - p->from;
    unsigned char *pinned = corun_view() + p->device;
    return !corun_simple(.call = CALL_ALIAS, .at = {device, p->device, size}) &&
           map_again(pinned, size, corun_view() + device) &&
           map_again(pinned, size, corun_pointer(device));
}

/* ---- in the copy of the process ---- */

/* The only data that the copy reads: other data could lie in the replaced pages. */
struct task {
    unsigned char *place, *pinned; /* the pages of the program, and those of device memory */
    uint64_t size;
    bool anonymous;
    int faults;   /* descriptor of userfaultfd, < 0: none */
    bool done;
};

static int faults_open(void)
{
    struct uffdio_api api = {.api = UFFD_API};
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    if (fd < 0) fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (fd < 0 || !ioctl(fd, UFFDIO_API, &api)) return fd;
    close(fd);
    return -1;
}

static void faults_close(struct task *t)
{
    if (t->faults >= 0) close(t->faults);
    t->faults = -1;
}

/* Moves pages of the program aside. From then on threads that access the pages wait until
 * userfaultfd is closed. NULL: not possible. */
static void *move_aside(const struct task *t)
{
    struct uffdio_register wanted = {.range = {corun_address(t->place), t->size},
                                     .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (!t->anonymous || t->faults < 0 || ioctl(t->faults, UFFDIO_REGISTER, &wanted)) return NULL;
    void *aside = mremap(t->place, t->size, t->size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
    return aside == MAP_FAILED ? NULL : aside;
}

static int replace(void *of)
{
    struct task *t = of;
    void *aside = move_aside(t);
    if (!aside) faults_close(t); /* the copy itself must not wait for pages never used */
    memcpy(t->pinned, aside ? aside : t->place, t->size);
    t->done = map_again(t->pinned, t->size, t->place);
    if (aside && t->done) munmap(aside, t->size);
    else if (aside) mremap(aside, t->size, t->size, MREMAP_MAYMOVE | MREMAP_FIXED, t->place);
    faults_close(t);
    return 0;
}

/* ---- in the process ---- */

/* Makes thread-local storage for the copy, as after the start of a thread. */
static void *local_storage(char *bytes)
{
    void **header = (void **)(void *)(bytes + LOCAL_BYTES / 2);
    memcpy(header, corun_pointer(pthread_self()), HEADER_BYTES);
    header[0] = header[2] = header; /* the header's own address, by the x86-64 ABI and in glibc */
    return header;
}

/* Replaces pages of the program. The calling thread is suspended by CLONE_VFORK, with all signals
 * blocked. */
static bool replace_by_copy(const struct piece *piece, uint64_t device)
{
    const int how = CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS | CLONE_SETTLS;
    sigset_t all, before;
    char *stack = mmap(NULL, STACK_BYTES + LOCAL_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return false;
    struct task *t = (void *)stack;
    *t = (struct task){corun_pointer(piece->from), corun_view() + device, piece->to - piece->from,
                       piece->anonymous, faults_open(), false};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t copy = clone(replace, stack + STACK_BYTES, how, t, NULL,
                       local_storage(stack + STACK_BYTES));
    if (copy < 0) replace(t); /* no process is left: without suspension */
    while (copy > 0 && waitpid(copy, NULL, (int)__WCLONE) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    bool done = t->done;
    munmap(stack, STACK_BYTES + LOCAL_BYTES);
    return done;
}

bool corun_alias(uint64_t address, uint64_t device, uint64_t size)
{
    struct piece *pieces;
    size_t n = pieces_of(address, size, &pieces);
    bool done = n > 0;
    for (size_t i = 0; i < n && done; i++) {
        uint64_t to = device + (pieces[i].from - address);
        done = pieces[i].device ? alias_device(&pieces[i], to) : replace_by_copy(&pieces[i], to);
    }
    free(pieces);
    return done;
}
