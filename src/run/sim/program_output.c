/* Output of CUDA programs: a new file for each program, or memory shown by the command at the
 * end. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "host/app.h"
#include "run/sim/internal.h"

/* Appends `name` with every character that is special to shells or file systems replaced by '-'. A
 * policy may be "spatial[split=9/7]". */
static void add_plain(struct text *out, const char *name)
{
    size_t start = out->size;
    for (const char *c = name; *c; c++) {
        bool plain = isalnum((unsigned char)*c) || strchr("._=+-", *c);
        bool again = out->size > start && out->bytes[out->size - 1] == '-';
        if (plain || !again) text_put(out, plain ? c : "-", 1);
    }
    while (out->size > start + 1 && out->bytes[out->size - 1] == '-')
        out->bytes[--out->size] = 0;
}

/* Appends the file name of a number: NAME.stdout or NAME.POLICY.stdout for number 1, NAME.2.stdout
 * for number 2. */
static void name_of(const struct sim_setup *setup, const char *app, u32 number, struct text *out)
{
    const char *folder = setup->program_folder;
    out->size = 0;
    if (strcmp(folder, ".")) text_add(out, "%s/", folder);
    add_plain(out, app);
    if (setup->program_label) {
        text_add(out, ".");
        add_plain(out, setup->program_label);
    }
    if (number > 1) text_add(out, ".%u", number);
    text_add(out, ".stdout");
}

/* Finds the first unused file name from *number on. A dangling symbolic link counts as used. */
static void free_name(const struct sim_setup *setup, const char *app, u32 *number,
                      struct text *out)
{
    struct stat st;
    for (;; ++*number) {
        name_of(setup, app, *number, out);
        if (lstat(text_get(out), &st)) return;
    }
}

bool program_output_planned(const struct sim_setup *setup, const struct app_input *in)
{
    return in->cuda && setup->program_folder && !setup->program_fd && !setup->program_keep;
}

void program_output_plan(const struct sim_setup *setup, struct input_set *in, u32 i,
                         struct output *out)
{
    struct text path = {0}, what = {0};
    u32 number = 1;
    free_name(setup, in->names[i], &number, &path);
    text_add(&what, "the output of %s", in->names[i]);
    *out = output_option(arena_text(&in->arena, what.bytes, what.size),
                         arena_text(&in->arena, path.bytes, path.size));
    text_free(&path);
    text_free(&what);
}

static int open_file(struct sim *s, u32 i, struct fail *fail)
{
    struct text path = {0};
    u32 number = 1;
    int fd;
    do {
        free_name(s->setup, s->inputs.names[i], &number, &path);
        fd = open(text_get(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0) fail_plain(fail, "cannot write %s: %s", text_get(&path), strerror(errno));
    s->apps[i].output = sim_keep(s, text_get(&path));
    s->apps[i].output_renamed = number > 1;
    text_free(&path);
    return fd;
}

bool program_output_open(struct sim *s, u32 i, struct fail *fail)
{
    const struct sim_setup *setup = s->setup;
    struct app *app = s->running[i];
    const struct app_input *in = s->inputs.inputs[i];
    s->program_files[i] = -1;
    if (!in->cuda) return true;
    app->output_fd = setup->program_fd ? setup->program_fd : -1;
    app->output_all = setup->program_label != NULL;
    if (setup->program_fd) return true;
    if (setup->program_keep) s->program_files[i] = memfd_create("corun output", MFD_CLOEXEC);
    else if (program_output_planned(setup, in)) s->program_files[i] = open_file(s, i, fail);
    else return true;
    app->output_fd = s->program_files[i];
    return app->output_fd >= 0;
}

/* Reads output kept in memory and closes the descriptor. */
void program_output_close(struct sim *s, u32 i)
{
    int fd = s->program_files[i];
    char bytes[1 << 14];
    ssize_t n;
    if (fd < 0) return;
    if (s->setup->program_keep)
        for (off_t at = 0; (n = pread(fd, bytes, sizeof bytes, at)) > 0; at += n)
            text_put(&s->apps[i].written, bytes, (size_t)n);
    close(fd);
    s->program_files[i] = -1;
}
