#include "run/io/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/arena.h"
#include "run/io/file.h"

struct output output_option(const char *flag, const char *path)
{
    return (struct output){flag, path, {COMMAND_LINE, path, path ? strlen(path) : 0}, 0};
}

/* The one name of a path, "" of what any number may share: a device, a pipe. */
static void name_of(const char *path, struct text *out)
{
    struct stat st;
    if (!strcmp(path, "-")) text_add(out, "-");
    else if (stat(path, &st) || S_ISREG(st.st_mode)) file_identity(path, out);
    else text_add(out, "%s", "");
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
    fail_note(fail, "give each a file of its own");
}

/* Names of the outputs, then of the files that are read. */
static void compare(const struct output *outputs, u32 i, const struct text *names, u32 n,
                    const char *const *reads, u32 read_n, struct fail *fail)
{
    const struct output *o = &outputs[i];
    const char *name = text_get(&names[i]);
    if (!*name) return;
    for (u32 k = 0; k < i; k++) {
        if (strcmp(name, text_get(&names[k]))) continue;
        same_place(&outputs[k], o, fail);
        return;
    }
    for (u32 k = 0; k < read_n; k++) {
        if (strcmp(name, text_get(&names[n + k]))) continue;
        fail_at(fail, &o->at, o->offset, "%s would take the place of %s, which is read here",
                o->what, reads[k]);
        return;
    }
}

bool outputs_check(const struct output *outputs, u32 n, const char *const *reads, u32 read_n,
                   struct fail *fail)
{
    u32 before = fail->error_n;
    struct text *names = base_alloc((n + read_n + 1) * sizeof *names);
    for (u32 k = 0; k < read_n; k++) name_of(reads[k], &names[n + k]);
    for (u32 i = 0; i < n; i++) {
        if (!outputs[i].path) continue;
        file_writable(outputs[i].path, &outputs[i].at, outputs[i].offset, fail);
        name_of(outputs[i].path, &names[i]);
        compare(outputs, i, names, n, reads, read_n, fail);
    }
    for (u32 k = 0; k < n + read_n; k++) text_free(&names[k]);
    free(names);
    return fail->error_n == before;
}
