#include "run/input/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run/io/asset.h"
#include "run/io/file.h"
#include "table/amount.h"

enum { COMPILE_SECONDS = 60, CC_WORDS = 8 };

/* ---- messages shown so far ---- */

enum { SHOWN_N = 512 };
static u64 *shown;         /* [key % SHOWN_N] last shown key; NULL: compile_share not called */
static struct stat reader; /* standard error of the user; a worker's standard error may differ */

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

/* ---- the folder ---- */

static void names_of(const char *path, struct text *object, struct text *list)
{
    text_add(object, "%s/policy.so", path);
    text_add(list, "%s/policy.d", path);
}

/* Writes the headers for policies into the folder's folder corun. false: `why` has the reason. */
static bool put_headers(const char *folder, struct text *why)
{
    static const char *const names[] = {"policy.h", "policy_help.h"};
    struct text path = {0}, asset = {0};
    struct fail fail = {0};
    text_add(&path, "%s/corun", folder);
    bool ok = !mkdir(path.bytes, 0777);
    if (!ok) fail_plain(&fail, "cannot make %s: %s", path.bytes, strerror(errno));
    for (u32 i = 0; ok && i < COUNT_OF(names); i++) {
        struct source header;
        path.size = asset.size = 0;
        text_add(&path, "%s/corun/%s", folder, names[i]);
        text_add(&asset, "include/corun/%s", names[i]);
        ok = asset_find(asset.bytes, &header) &&
             file_write(path.bytes, header.text, header.size, &fail);
    }
    fail_sentence(&fail, why);
    fail_free(&fail);
    text_free(&path);
    text_free(&asset);
    return ok;
}

/* ---- the compiler ---- */

static const char *compiler(void)
{
    const char *cc = getenv("CC");
    return cc && cc[strspn(cc, " \t")] ? cc : "cc";
}

/* Splits $CC into words: "ccache gcc" is valid. */
static u32 split_words(char *words, char **word)
{
    u32 n = 0;
    for (char *end, *at = strtok_r(words, " \t", &end); at && n < CC_WORDS;
         at = strtok_r(NULL, " \t", &end))
        word[n++] = at;
    return n;
}

/* Starts the compiler in a new process group, with no signal blocked; `quiet`: without messages.
 * Returns 0 or an errno. */
static int start(const char *folder, const char *path, bool quiet, pid_t *child)
{
    extern char **environ;
    struct text include = {0}, words = {0}, object = {0}, list = {0};
    text_add(&include, "-I%s", folder);
    names_of(folder, &object, &list);
    text_add(&words, "%s", compiler());
    char *const rest[] = {"-std=gnu11", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-MD",
                          "-MF", list.bytes, include.bytes, "-o", object.bytes,
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
    text_free(&object);
    text_free(&list);
    return error;
}

/* Returns the limit in seconds; 0: the user's limit is no number, reported in `why`. */
static u64 seconds_allowed(struct text *why)
{
    const char *given = getenv("CORUN_CC_SECONDS");
    u64 seconds = COMPILE_SECONDS;
    if (!given || !given[0] || (whole_parse(given, &seconds) && seconds)) return seconds;
    text_add(why, "CORUN_CC_SECONDS is '%s': expected a whole number of seconds, from 1", given);
    return 0;
}

struct wanted {
    const char *path; /* of the source */
    u64 key;
};

/* Task of the temporary folder's process (struct temp_dir_task): runs the compiler and waits for
 * its end. */
static void compile(const char *folder, const void *of, struct text *why)
{
    const struct wanted *w = of;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGCHLD);
    u64 seconds = seconds_allowed(why), tenths = 0;
    if (!seconds) return;
    if (!put_headers(folder, why)) return;
    setenv("TMPDIR", folder, 1); /* a killed compiler leaves temporary files */
    pid_t child;
    int status = 0, error = start(folder, w->path, was_shown(w->key), &child);
    const struct timespec tenth = {.tv_nsec = 100000000};
    if (error) {
        text_add(why, "cannot run the C compiler '%s': %s", compiler(), strerror(error));
        return;
    }
    while (!why->size && waitpid(child, &status, WNOHANG) == 0) {
        int s = sigtimedwait(&set, NULL, &tenth);
        tenths += s < 0 && errno == EAGAIN;
        if (s == SIGTERM) text_add(why, "compilation cancelled");
        else if (tenths >= 10 * seconds)
            text_add(why, "the C compiler '%s' took longer than %llu s (CORUN_CC_SECONDS)",
                     compiler(), (unsigned long long)seconds);
    }
    bool ended = !why->size;
    kill(-child, SIGKILL); /* the whole process group, including leftover children */
    if (!ended) waitpid(child, &status, 0);
    else if (status) text_add(why, "the C compiler '%s' reported errors", compiler());
    if (ended) show_once(w->key);
}

/* ---- in the calling process ---- */

bool compile_policy(struct compiled *c, const char *path, u64 key, struct text *why)
{
    *c = (struct compiled){0};
    const struct wanted w = {path, key};
    const struct temp_dir_task task = {compile, &w};
    if (!temp_dir_start(&c->temp_dir, &task, why)) return false;
    names_of(c->temp_dir.folder.bytes, &c->object, &c->list);
    return true;
}

void compile_close(struct compiled *c)
{
    temp_dir_end(&c->temp_dir);
    text_free(&c->object);
    text_free(&c->list);
    *c = (struct compiled){0};
}
