#include "run/io/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "run/io/file.h"
#include "run/io/reads.h"

struct output output_option(const char *flag, const char *path)
{
    return (struct output){flag, path, {COMMAND_LINE, path, path ? strlen(path) : 0}, 0};
}

/* The file or device behind an output's path. */
struct target {
    bool shared;      /* a device or pipe, usable by any number of outputs; or no output */
    bool there;       /* the file exists: `st` is its status */
    struct stat st;
    struct text name; /* path of a file to be created; "-" for standard output */
};

static void target_of(const char *path, struct target *t)
{
    *t = (struct target){.shared = !path};
    if (!path) return;
    bool standard = file_descriptor(path) == STDOUT_FILENO;
    t->there = !standard && !stat(path, &t->st);
    t->shared = t->there && !S_ISREG(t->st.st_mode);
    if (standard) text_add(&t->name, "-");
    else if (!t->there) file_identity(path, &t->name);
}

static bool same_target(const struct target *a, const struct target *b)
{
    if (a->shared || b->shared || a->there != b->there) return false;
    if (a->there) return a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino;
    return !strcmp(text_get(&a->name), text_get(&b->name));
}

static void same_place(const struct output *a, const struct output *b, struct fail *fail)
{
    if (!strcmp(b->path, "-")) {
        fail_at(fail, &b->at, b->offset, "only one result can go to standard output (-), not %s "
                "and %s", a->what, b->what);
        return;
    }
    fail_at(fail, &b->at, b->offset, "two results would go to %s: %s and %s", b->path, a->what,
            b->what);
    fail_note(fail, "give each result a separate file");
}

static bool is_standard_output(const struct target *t)
{
    struct stat st;
    return t->there && !t->shared && !fstat(STDOUT_FILENO, &st) && st.st_dev == t->st.st_dev &&
           st.st_ino == t->st.st_ino;
}

/* Returns the input to which SQLite would apply the contents of the path's file as changes; NULL:
 * none. */
static const char *database_of(const char *path)
{
    static const char *const beside[] = {"-journal", "-wal", "-shm"};
    const char *name = NULL;
    for (u32 i = 0; i < COUNT_OF(beside) && !name; i++) {
        size_t n = strlen(path), end = strlen(beside[i]);
        if (n <= end || strcmp(path + n - end, beside[i])) continue;
        struct text database = {0};
        struct stat st;
        text_put(&database, path, n - end);
        if (!stat(database.bytes, &st)) name = reads_name(&st);
        text_free(&database);
    }
    return name;
}

/* Compares output i with the outputs before i, then with the files noted as read. */
static void compare(const struct output *outputs, u32 i, const struct target *targets,
                    struct fail *fail)
{
    const struct output *o = &outputs[i];
    const struct target *t = &targets[i];
    for (u32 k = 0; k < i; k++) {
        if (!same_target(t, &targets[k])) continue;
        same_place(&outputs[k], o, fail);
        return;
    }
    if (is_standard_output(t)) {
        fail_at(fail, &o->at, o->offset, "%s would replace the file of standard output", o->what);
        fail_note(fail, "- writes to standard output");
        return;
    }
    const char *read = t->there ? reads_name(&t->st) : NULL;
    const char *database = database_of(o->path);
    if (!read && database)
        fail_at(fail, &o->at, o->offset, "%s would take the name of a file of the database %s",
                o->what, database);
    if (!read) return;
    fail_at(fail, &o->at, o->offset, "%s would overwrite %s, an input of the command", o->what,
            read);
    if (strcmp(o->path, read)) fail_note(fail, "%s is the same file", o->path);
}

bool outputs_check(const struct output *outputs, u32 n, struct fail *fail)
{
    u32 before = fail->error_n;
    struct target *targets = base_alloc((n + 1) * sizeof *targets);
    for (u32 i = 0; i < n; i++) {
        target_of(outputs[i].path, &targets[i]);
        if (!outputs[i].path) continue;
        file_writable(outputs[i].path, &outputs[i].at, outputs[i].offset, fail);
        compare(outputs, i, targets, fail);
    }
    for (u32 i = 0; i < n; i++) text_free(&targets[i].name);
    free(targets);
    return fail->error_n == before;
}
