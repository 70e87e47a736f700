#include "run/jobs/process_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/team.h"
#include "run/jobs/forks.h"
#include "run/jobs/pool.h"

extern char **environ;

#define KERNEL_FLAG 0x04000000 /* SA_RESTORER, set by the C library */
enum { SET_BYTES = 8 }; /* bytes of a sigset_t that the kernel uses; the C library owns the rest */
enum { SIGNALS = 65, STANDARD = 3, COPIES_FROM = 64, TIMERS = 3, IDS_MAX = 64 };

struct open_file {
    int fd, flags, descriptor_flags;
    dev_t dev;
    ino_t ino;
};

struct process_state {
    pid_t pid, group, session;
    atomic_bool shared, changed;
    u8 *alive;                       /* a page that the kernel zeroes in forked processes */
    int folder, root;                /* descriptors of the working directory and of "/" */
    struct open_file standard[STANDARD], *files; /* files: all other open descriptors */
    int copies[STANDARD];            /* duplicates of standard input, output and error */
    u32 file_n, file_room, thread_n;
    mode_t umask;
    sigset_t blocked;
    struct sigaction handlers[SIGNALS];
    char *locale;
    locale_t own_locale;
    struct rlimit limits[RLIM_NLIMITS];
    char **environment;              /* NULL-terminated */
    struct itimerval timers[TIMERS];
    u64 posix_timers;                /* a bit for each timer id below 64 */
    int nice, scheduler, personality;
    struct sched_param parameters;
    cpu_set_t processors;
    uid_t users[3];
    gid_t groups[3];
    int death_signal, dumpable, no_new_privileges;
};

/* ---- files ---- */

static bool file_of(int fd, struct open_file *f)
{
    struct stat st;
    if (fstat(fd, &st)) return false;
    *f = (struct open_file){fd, fcntl(fd, F_GETFL), fcntl(fd, F_GETFD), st.st_dev, st.st_ino};
    return true;
}

static bool same_file(int fd, const struct open_file *f)
{
    struct stat st;
    return !fstat(fd, &st) && st.st_dev == f->dev && st.st_ino == f->ino;
}

enum outcome { SAME, RESTORED, LOST };

static enum outcome restored(bool ok) { return ok ? RESTORED : LOST; }

static enum outcome standard_look(const struct process_state *s)
{
    enum outcome worst = SAME;
    for (int i = 0; i < STANDARD; i++) {
        const struct open_file *f = &s->standard[i];
        bool same = same_file(i, f);
        if (same && fcntl(i, F_GETFL) == f->flags && fcntl(i, F_GETFD) == f->descriptor_flags)
            continue;
        if (!same && (!same_file(s->copies[i], f) || dup2(s->copies[i], i) < 0)) return LOST;
        fcntl(i, F_SETFL, f->flags);
        fcntl(i, F_SETFD, f->descriptor_flags);
        worst = RESTORED;
    }
    return worst;
}

static enum outcome files_look(const struct process_state *s)
{
    for (u32 i = 0; i < s->file_n; i++)
        if (!same_file(s->files[i].fd, &s->files[i])) return LOST;
    return SAME;
}

static void files_take(struct process_state *s)
{
    for (int i = 0; i < STANDARD; i++) {
        s->copies[i] = fcntl(i, F_DUPFD_CLOEXEC, COPIES_FROM);
        if (!file_of(i, &s->standard[i])) s->standard[i].fd = -1;
    }
    DIR *all = opendir("/proc/self/fd");
    for (struct dirent *e; all && (e = readdir(all));) {
        int fd = atoi(e->d_name);
        struct open_file f;
        if (fd < STANDARD || fd == dirfd(all) || !file_of(fd, &f)) continue;
        *base_push(s->files, s->file_n, s->file_room) = f;
    }
    if (all) closedir(all);
}

static enum outcome folder_look(const struct process_state *s)
{
    struct stat now, was, root_now, root_was;
    bool same = !stat(".", &now) && !fstat(s->folder, &was) && now.st_dev == was.st_dev &&
                now.st_ino == was.st_ino;
    bool same_root = !stat("/", &root_now) && !fstat(s->root, &root_was) &&
                     root_now.st_dev == root_was.st_dev && root_now.st_ino == root_was.st_ino;
    if (same && same_root) return SAME;
    bool ok = same_root || (!fchdir(s->root) && !chroot("."));
    return restored(!fchdir(s->folder) && ok);
}

static enum outcome umask_look(const struct process_state *s)
{
    return umask(s->umask) == s->umask ? SAME : RESTORED;
}

/* ---- signals and timers ---- */

static enum outcome mask_look(const struct process_state *s)
{
    sigset_t now;
    bool same = !sigprocmask(SIG_BLOCK, NULL, &now) && !memcmp(&now, &s->blocked, SET_BYTES);
    return same ? SAME : restored(!sigprocmask(SIG_SETMASK, &s->blocked, NULL));
}

static enum outcome handlers_look(const struct process_state *s)
{
    enum outcome worst = SAME;
    for (int i = 1; i < SIGNALS; i++) {
        struct sigaction now = {0};
        const struct sigaction *was = &s->handlers[i];
        if (sigaction(i, NULL, &now)) continue; /* no signal has this number */
        if (now.sa_handler == was->sa_handler &&
            !((now.sa_flags ^ was->sa_flags) & ~KERNEL_FLAG) &&
            !memcmp(&now.sa_mask, &was->sa_mask, SET_BYTES))
            continue;
        sigaction(i, was, NULL);
        worst = RESTORED;
    }
    return worst;
}

/* Returns the ids below 64 of this process's POSIX timers, as bits. */
static u64 posix_timers(void)
{
    u64 numbers = 0;
    char line[256];
    u32 id;
    FILE *f = fopen("/proc/self/timers", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "ID: %u", &id) == 1 && id < IDS_MAX) numbers |= UINT64_C(1) << id;
    if (f) fclose(f);
    return numbers;
}

static enum outcome timers_look(const struct process_state *s)
{
    static const int which[TIMERS] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    enum outcome worst = SAME;
    for (u32 i = 0; i < TIMERS; i++) {
        struct itimerval now, was = s->timers[i];
        if (timerisset(&was.it_value) || getitimer((__itimer_which_t)which[i], &now) ||
            !timerisset(&now.it_value))
            continue;
        setitimer((__itimer_which_t)which[i], &was, NULL);
        worst = RESTORED;
    }
    for (u64 more = posix_timers() & ~s->posix_timers; more; more &= more - 1) {
        syscall(SYS_timer_delete, __builtin_ctzll(more));
        worst = RESTORED;
    }
    return worst;
}

/* ---- memory of the C library ---- */

static enum outcome locale_look(const struct process_state *s)
{
    bool own = uselocale((locale_t)0) == s->own_locale, all = true;
    if (!own) uselocale(s->own_locale);
    const char *now = setlocale(LC_ALL, NULL);
    all = now && s->locale && !strcmp(now, s->locale);
    if (!all && s->locale) setlocale(LC_ALL, s->locale);
    return own && all ? SAME : RESTORED;
}

static char **copy_all(char **from)
{
    u32 n = 0;
    while (from && from[n]) n++;
    char **all = base_alloc((n + 1) * sizeof *all);
    for (u32 i = 0; i < n; i++) {
        size_t size = strlen(from[i]) + 1;
        all[i] = memcpy(base_alloc(size), from[i], size);
    }
    return all;
}

static enum outcome environment_look(const struct process_state *s)
{
    u32 i = 0;
    while (environ && environ[i] && s->environment[i] && !strcmp(environ[i], s->environment[i]))
        i++;
    if ((!environ || !environ[i]) && !s->environment[i]) return SAME;
    clearenv();
    char **own = copy_all(s->environment); /* owned by the C library from now on */
    for (i = 0; own[i]; i++) putenv(own[i]);
    free(own);
    return RESTORED;
}

/* ---- limits, scheduling, process group, user ids, prctl settings ---- */

static enum outcome limits_look(const struct process_state *s)
{
    enum outcome worst = SAME;
    for (u32 i = 0; i < RLIM_NLIMITS && worst != LOST; i++) {
        struct rlimit now;
        const struct rlimit *was = &s->limits[i];
        if (getrlimit((__rlimit_resource_t)i, &now) ||
            (now.rlim_cur == was->rlim_cur && now.rlim_max == was->rlim_max))
            continue;
        worst = restored(!setrlimit((__rlimit_resource_t)i, was));
    }
    return worst;
}

static enum outcome nice_look(const struct process_state *s)
{
    if (getpriority(PRIO_PROCESS, 0) == s->nice) return SAME;
    return restored(!setpriority(PRIO_PROCESS, 0, s->nice));
}

static enum outcome scheduling_look(const struct process_state *s)
{
    cpu_set_t now = {0};
    bool anywhere = !sched_getaffinity(0, sizeof now, &now) && CPU_EQUAL(&now, &s->processors);
    bool same = sched_getscheduler(0) == s->scheduler;
    if (anywhere && same) return SAME;
    bool ok = anywhere || !sched_setaffinity(0, sizeof s->processors, &s->processors);
    return restored((same || !sched_setscheduler(0, s->scheduler, &s->parameters)) && ok);
}

static enum outcome personality_look(const struct process_state *s)
{
    if (personality(0xffffffff) == s->personality) return SAME;
    return restored(personality((unsigned long)s->personality) >= 0);
}

static enum outcome group_look(const struct process_state *s)
{
    if (getsid(0) != s->session) return LOST;
    return getpgrp() == s->group ? SAME : restored(!setpgid(0, s->group));
}

static enum outcome ids_look(const struct process_state *s)
{
    uid_t u[3];
    gid_t g[3];
    getresuid(&u[0], &u[1], &u[2]);
    getresgid(&g[0], &g[1], &g[2]);
    if (!memcmp(u, s->users, sizeof u) && !memcmp(g, s->groups, sizeof g)) return SAME;
    bool ok = !setresuid(s->users[0], s->users[1], s->users[2]);
    return restored(!setresgid(s->groups[0], s->groups[1], s->groups[2]) && ok);
}

static int death_signal(void)
{
    int s = 0;
    prctl(PR_GET_PDEATHSIG, &s);
    return s;
}

static enum outcome prctl_look(const struct process_state *s)
{
    /* The parent-death signal belongs to the main thread alone; pool threads have none. */
    bool death = gettid() != s->pid || death_signal() == s->death_signal;
    bool dumpable = prctl(PR_GET_DUMPABLE) == s->dumpable;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != s->no_new_privileges) return LOST;
    if (death && dumpable) return SAME;
    bool ok = death || !prctl(PR_SET_PDEATHSIG, s->death_signal);
    return restored((dumpable || !prctl(PR_SET_DUMPABLE, s->dumpable)) && ok);
}

/* ---- threads and processes ---- */

/* Returns the number of threads of this process, not counting the threads of pools and teams. */
static u32 threads(void)
{
    u32 n = 0;
    DIR *all = opendir("/proc/self/task");
    for (struct dirent *e; all && (e = readdir(all));) n += e->d_name[0] != '.';
    if (all) closedir(all);
    u32 known = pool_threads() + team_threads();
    return n > known ? n - known : 0;
}

/* Checks for additional threads. Retries, because a joined thread stays in /proc/self/task for a
 * moment. */
static enum outcome threads_look(const struct process_state *s)
{
    enum { TRIES = 50 };
    const struct timespec moment = {.tv_nsec = 1000000};
    for (u32 i = 0; i < TRIES; i++) {
        if (threads() <= s->thread_n) return SAME;
        nanosleep(&moment, NULL);
    }
    return LOST;
}

/* Waits, for 1 s at most, until no stray runs, or until *enough if not NULL. */
static bool strays_ended(const volatile bool *enough)
{
    enum { TRIES = 100, PAUSE_NS = 10000000 };
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (u32 i = 0; i < TRIES; i++) {
        if (!strays_running() || (enough && *enough)) return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static enum outcome processes_look(const struct process_state *s)
{
    (void)s;
    return strays_ended(NULL) ? SAME : LOST;
}

/* ---- the whole state ---- */

static const struct row {
    const char *name, *lost; /* lost: message where a loss is more than a change of `name`; NULL:
                              * default message */
    bool own;                /* state of the calling thread, not of the process */
    enum outcome (*look)(const struct process_state *s);
} rows[] = {
    {"descriptors", "closed descriptors of corun", false, files_look},
    {"standard input, output or error", "closed descriptors of corun", false,
     standard_look},
    {"threads", "left threads running", false, threads_look},
    {"processes", "left processes running", false, processes_look},
    {"the working directory", NULL, false, folder_look},
    {"the umask", NULL, false, umask_look},
    {"the signal mask", NULL, true, mask_look},
    {"signal handlers", NULL, false, handlers_look},
    {"timers", NULL, false, timers_look},
    {"the locale", NULL, false, locale_look},
    {"the environment", NULL, false, environment_look},
    {"resource limits", NULL, false, limits_look},
    {"the nice value", NULL, true, nice_look},
    {"scheduling or processors", NULL, true, scheduling_look},
    {"the personality", NULL, false, personality_look},
    {"the process group or session", NULL, false, group_look},
    {"user or group ids", NULL, false, ids_look},
    {"settings of prctl", NULL, false, prctl_look},
};

void process_changes_show(u64 restored, struct text *out)
{
    const char *join = "";
    if (restored & PROCESS_FLOATS) text_add(out, "floating-point control");
    if (restored & PROCESS_FLOATS) join = ", ";
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        if (!(restored >> i & 1)) continue;
        text_add(out, "%s%s", join, rows[i].name);
        join = ", ";
    }
}

static void alive_make(struct process_state *s)
{
    void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) out_of_memory(1, "a policy from a file");
    s->alive = page;
    *s->alive = 1;
    madvise(page, 1, MADV_WIPEONFORK);
}

static void rest_take(struct process_state *s)
{
    s->umask = umask(0);
    umask(s->umask);
    sigprocmask(SIG_BLOCK, NULL, &s->blocked);
    for (int i = 1; i < SIGNALS; i++) sigaction(i, NULL, &s->handlers[i]);
    const char *locale = setlocale(LC_ALL, NULL);
    if (locale) s->locale = memcpy(base_alloc(strlen(locale) + 1), locale, strlen(locale) + 1);
    s->own_locale = uselocale((locale_t)0);
    for (u32 i = 0; i < RLIM_NLIMITS; i++) getrlimit((__rlimit_resource_t)i, &s->limits[i]);
    s->environment = copy_all(environ);
    getitimer(ITIMER_REAL, &s->timers[0]);
    getitimer(ITIMER_VIRTUAL, &s->timers[1]);
    getitimer(ITIMER_PROF, &s->timers[2]);
    s->posix_timers = posix_timers();
    s->nice = getpriority(PRIO_PROCESS, 0);
    s->scheduler = sched_getscheduler(0);
    sched_getparam(0, &s->parameters);
    sched_getaffinity(0, sizeof s->processors, &s->processors);
    s->personality = personality(0xffffffff);
    getresuid(&s->users[0], &s->users[1], &s->users[2]);
    getresgid(&s->groups[0], &s->groups[1], &s->groups[2]);
    s->death_signal = death_signal();
    s->dumpable = prctl(PR_GET_DUMPABLE);
    s->no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

void process_state_await_forks(const struct hook_call *hook_call)
{
    strays_ended(&hook_call->forked);
}

struct process_state *process_state_take(void)
{
    struct process_state *s = base_alloc(sizeof *s);
    *s = (struct process_state){.pid = getpid(), .group = getpgrp(), .session = getsid(0)};
    s->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    s->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    s->thread_n = threads();
    alive_make(s);
    rest_take(s);
    files_take(s);
    return s;
}

void process_state_free(struct process_state *s)
{
    if (!s) return;
    for (u32 i = 0; i < STANDARD; i++)
        if (s->copies[i] >= 0) close(s->copies[i]);
    if (s->folder >= 0) close(s->folder);
    if (s->root >= 0) close(s->root);
    for (u32 i = 0; s->environment[i]; i++) free(s->environment[i]);
    free(s->environment);
    free(s->locale);
    free(s->files);
    munmap(s->alive, 1);
    free(s);
}

void process_state_share(const struct process_state *s, bool shared)
{
    ((struct process_state *)(uintptr_t)s)->shared = shared;
}

const volatile u8 *process_state_alive(const struct process_state *s) { return s->alive; }

static void look(const struct process_state *s, bool all, struct process_changes *out)
{
    int error = errno;
    for (u32 i = 0; i < COUNT_OF(rows) && !out->lost.size; i++) {
        const struct row *row = &rows[i];
        enum outcome o = all || row->own ? row->look(s) : SAME;
        if (o == RESTORED) out->restored |= UINT64_C(1) << i;
        if (o == LOST && row->lost) text_add(&out->lost, "%s", row->lost);
        else if (o == LOST) text_add(&out->lost, "changed %s, which cannot be restored", row->name);
    }
    errno = error;
}

void process_state_look(const struct process_state *s, struct hook_call *hook_call,
                        struct process_changes *out)
{
    if (getpid() != s->pid) {
        if (hook_call) hook_call->forked = true;
        _exit(0);
    }
    look(s, !s->shared, out);
}

bool process_state_shared(const struct process_state *s) { return s->shared; }

bool process_state_changed(const struct process_state *s, struct process_changes *out)
{
    look(s, true, out);
    if (out->restored || out->lost.size) ((struct process_state *)(uintptr_t)s)->changed = true;
    return s->changed;
}

void process_lost(struct hook_call *hook_call, const struct text *lost)
{
    snprintf(hook_call->lost, sizeof hook_call->lost, "%s", text_get(lost));
    _exit(1);
}
