#include "run/input/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run/io/asset.h"
#include "run/io/file.h"

enum { COMPILE_SECONDS = 60, CC_WORDS = 8, SAID_MAX = 4096 };

/* What the keeper says, once: the folder, or why there is no object. */
struct said {
    bool ok;
    char text[SAID_MAX];
};

/* ---- what has been shown ---- */

enum { SHOWN_N = 512 };
static u64 *shown;         /* the key that came last, by its low bits; NULL: not shared */
static struct stat reader; /* standard error, where somebody reads it: a worker's goes elsewhere */

void compile_share(void)
{
    void *at = mmap(NULL, SHOWN_N * sizeof *shown, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED && !fstat(STDERR_FILENO, &reader)) shown = at;
}

static bool was_shown(u64 key)
{
    return shown && __atomic_load_n(&shown[key % SHOWN_N], __ATOMIC_RELAXED) == key;
}

static void show_once(u64 key)
{
    struct stat s;
    if (shown && !fstat(STDERR_FILENO, &s) && s.st_dev == reader.st_dev &&
        s.st_ino == reader.st_ino)
        __atomic_store_n(&shown[key % SHOWN_N], key, __ATOMIC_RELAXED);
}

/* ---- the folder, as the keeper has it ---- */

struct folder {
    struct text path, headers, header, object, list;
};

static void names_of(const char *path, struct text *object, struct text *list)
{
    text_add(object, "%s/policy.so", path);
    text_add(list, "%s/policy.d", path);
}

static bool folder_open(struct folder *f, struct text *why)
{
    const char *temporary = getenv("TMPDIR");
    text_add(&f->path, "%s/corun-XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    if (!mkdtemp(f->path.bytes)) {
        text_add(why, "no temporary folder %s: %s", f->path.bytes, strerror(errno));
        f->path.size = 0;
        return false;
    }
    text_add(&f->headers, "%s/corun", f->path.bytes);
    text_add(&f->header, "%s/policy.h", f->headers.bytes);
    names_of(f->path.bytes, &f->object, &f->list);
    struct source policy_h;
    struct fail fail = {0};
    bool ok = asset_find("include/corun/policy.h", &policy_h) &&
              !mkdir(f->headers.bytes, 0777) &&
              file_write(f->header.bytes, policy_h.text, policy_h.size, &fail);
    if (!ok) text_add(why, "cannot write into %s", f->path.bytes);
    fail_free(&fail);
    return ok;
}

static void folder_remove(struct folder *f)
{
    if (!f->path.size) return;
    unlink(text_get(&f->header));
    rmdir(text_get(&f->headers));
    unlink(text_get(&f->object));
    unlink(text_get(&f->list));
    rmdir(f->path.bytes);
}

/* ---- the compiler ---- */

static const char *compiler(void)
{
    const char *cc = getenv("CC");
    return cc && cc[strspn(cc, " \t")] ? cc : "cc";
}

/* $CC may be several words, "ccache gcc". */
static u32 split_words(char *words, char **word)
{
    u32 n = 0;
    for (char *end, *at = strtok_r(words, " \t", &end); at && n < CC_WORDS;
         at = strtok_r(NULL, " \t", &end))
        word[n++] = at;
    return n;
}

/* In a group of its own, with signals as usual. An error, 0: none. */
static int start(const struct folder *f, const char *path, bool quiet, pid_t *child)
{
    extern char **environ;
    struct text include = {0}, words = {0};
    text_add(&include, "-I%s", f->path.bytes);
    text_add(&words, "%s", compiler());
    char *const rest[] = {"-std=gnu11", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-MMD",
                          "-MF", f->list.bytes, include.bytes, "-o", f->object.bytes,
                          (char *)(uintptr_t)path, NULL};
    char *arguments[CC_WORDS + COUNT_OF(rest)] = {0};
    memcpy(arguments + split_words(words.bytes, arguments), rest, sizeof rest);
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawn_file_actions_init(&files);
    if (quiet)
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(child, arguments[0], &files, &how, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    text_free(&include);
    text_free(&words);
    return error;
}

static u64 seconds_allowed(void)
{
    const char *given = getenv("CORUN_CC_SECONDS");
    u64 seconds = given ? strtoull(given, NULL, 10) : 0;
    return seconds ? seconds : COMPILE_SECONDS;
}

/* Until the compiler has ended; SIGTERM: whoever waits for it wants no more. */
static void compile(const struct folder *f, const char *path, u64 key, const sigset_t *set,
                    struct text *why)
{
    pid_t child;
    int status = 0, error = start(f, path, was_shown(key), &child);
    u64 seconds = seconds_allowed(), tenths = 0;
    const struct timespec tenth = {.tv_nsec = 100000000};
    if (error) {
        text_add(why, "cannot run the C compiler '%s': %s", compiler(), strerror(error));
        return;
    }
    while (!why->size && waitpid(child, &status, WNOHANG) == 0) {
        int s = sigtimedwait(set, NULL, &tenth);
        tenths += s < 0 && errno == EAGAIN;
        if (s == SIGTERM) text_add(why, "it was not wanted any more");
        else if (tenths >= 10 * seconds)
            text_add(why, "the C compiler '%s' took longer than %llu s (CORUN_CC_SECONDS)",
                     compiler(), (unsigned long long)seconds);
    }
    bool ended = !why->size;
    kill(-child, SIGKILL); /* and what it left running */
    if (!ended) waitpid(child, &status, 0);
    else if (status) text_add(why, "the C compiler '%s' refused it", compiler());
    if (ended) show_once(key);
}

/* ---- the keeper ---- */

static bool write_said(int fd, const struct said *said)
{
    const char *at = (const char *)said, *end = at + sizeof *said;
    for (ssize_t n; at < end && (n = write(fd, at, (size_t)(end - at))) > 0;) at += n;
    return at == end;
}

static _Noreturn void keeper(const char *path, u64 key, pid_t asks, int to)
{
    sigset_t all, set;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != asks) _exit(0);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGCHLD);
    struct folder f = {0};
    struct text why = {0};
    if (folder_open(&f, &why)) compile(&f, path, key, &set, &why);
    struct said said = {.ok = !why.size};
    const struct text *text = said.ok ? &f.path : &why;
    memcpy(said.text, text_get(text), min_u64(text->size, SAID_MAX - 1));
    sigdelset(&set, SIGCHLD);
    int s;
    if (write_said(to, &said) && said.ok) sigwait(&set, &s);
    folder_remove(&f);
    _exit(0);
}

/* ---- who asks ---- */

/* A signal that this process handles ends it. */
static bool read_said(struct compiled *c, int fd, struct said *said)
{
    char *at = (char *)said, *end = at + sizeof *said;
    while (at < end) {
        ssize_t n = read(fd, at, (size_t)(end - at));
        if (n < 0 && errno == EINTR) kill(c->keeper, SIGTERM);
        else if (n <= 0) return false;
        else at += n;
    }
    return true;
}

bool compile_policy(struct compiled *c, const char *path, u64 key, struct text *why)
{
    int fds[2];
    *c = (struct compiled){0};
    pid_t here = getpid();
    if (pipe2(fds, O_CLOEXEC)) {
        text_add(why, "no pipe to another process: %s", strerror(errno));
        return false;
    }
    c->keeper = fork();
    if (!c->keeper) keeper(path, key, here, fds[1]);
    close(fds[1]);
    struct said said = {0};
    if (c->keeper < 0) {
        c->keeper = 0;
        text_add(why, "no process for the C compiler: %s", strerror(errno));
    } else if (!read_said(c, fds[0], &said)) {
        text_add(why, "the process that runs the C compiler has ended");
    } else if (!said.ok) {
        text_add(why, "%s", said.text);
    }
    close(fds[0]);
    if (why->size) return false;
    text_add(&c->folder, "%s", said.text);
    names_of(said.text, &c->object, &c->list);
    return true;
}

void compile_close(struct compiled *c)
{
    if (c->keeper) {
        kill(c->keeper, SIGTERM);
        while (waitpid(c->keeper, NULL, 0) < 0 && errno == EINTR) continue;
    }
    text_free(&c->folder);
    text_free(&c->object);
    text_free(&c->list);
    *c = (struct compiled){0};
}
