/* An app file as an app's input. Its host program does what a C workload would do by hand, through
 * the same interface. */
#include "host/script.h"

#include <string.h>

#include "host/app.h"

static void make_buffers(struct host *h, const struct script *s, u64 *buffers)
{
    for (u32 i = 0; i < s->buffer_n; i++) {
        const struct script_buffer *b = &s->buffers[i];
        h->app->at = s->file;
        h->app->offset = b->offset;
        u64 address = host_alloc(h, b->size_bytes, b->name);
        buffers[i] = address;
        const struct allocation *a = image_find(&h->app->image, address, b->size_bytes);
        check(a);
        if (b->fill.kind != FILL_ZERO) fill_write(&b->fill, b->type, b->count, a->bytes);
    }
}

static void set_variables(struct host *h, const struct script *s)
{
    for (u32 i = 0; i < s->variable_n; i++) {
        const struct script_buffer *v = &s->variables[i];
        const struct allocation *a = image_find(&h->app->image, v->address, v->size_bytes);
        check(a);
        if (v->fill.kind != FILL_ZERO)
            fill_write(&v->fill, v->type, v->count, a->bytes + (v->address - a->start));
        app_set_variables(h->app, v->address, v->size_bytes);
    }
}

/* Zeroed; what cooperative groups count arrivals in is its second word. */
enum { WORKSPACE_BYTES = 256 };

static void run(struct host *h)
{
    struct app *a = h->app;
    const struct script *s = a->input->script;
    u64 *buffers = host_memory(h, s->buffer_n * sizeof *buffers); /* their addresses */
    make_buffers(h, s, buffers);
    set_variables(h, s);
    for (u32 d = 0; d < s->dump_n; d++) a->dumps[d] = buffers[s->dumps[d].buffer];
    for (u32 i = 0; i < s->launch_n; i++) {
        const struct script_launch *l = &s->launches[i];
        u64 workspace = l->cooperative ? host_alloc(h, WORKSPACE_BYTES, "(cooperative launch)") : 0;
        for (u32 turn = 0; turn < l->repeat; turn++) {
            u8 *param = app_launch(a, l->kernel, l->grid, l->block, l->shared_bytes, l->stream,
                                   workspace);
            if (l->kernel->program->param_bytes)
                memcpy(param, l->param, l->kernel->program->param_bytes);
            for (u32 p = 0; p < l->patch_n; p++) {
                u64 address = buffers[l->patches[p].buffer] + l->patches[p].add;
                memcpy(param + l->patches[p].offset, &address, sizeof address);
            }
        }
    }
}

static bool fits(const struct app_input *in, const struct app_machine *machine, struct fail *fail)
{
    const struct script *s = in->script;
    u32 before = fail->error_n;
    for (u32 i = 0; i < s->launch_n; i++) {
        const struct script_launch *from = &s->launches[i];
        struct launch l = {.program = from->kernel->program,
                           .dynamic_shared_bytes = from->shared_bytes,
                           .cooperative = from->cooperative,
                           .registers = from->kernel->registers};
        memcpy(l.grid, from->grid, sizeof l.grid);
        memcpy(l.block, from->block, sizeof l.block);
        struct text why = {0};
        const char *sentence = machine->refuses(machine, &l, &why);
        if (sentence) fail_at(fail, s->file, from->offset, "%s", sentence);
        text_free(&why);
    }
    return fail->error_n == before;
}

static void feed(const struct app_input *in, struct input_feed *f)
{
    const struct script *s = in->script;
    input_feed_part(f, s->file->text, s->file->size);
    for (u32 i = 0; i < s->file_n; i++) input_feed_part(f, s->files[i]->text, s->files[i]->size);
}

static u32 dump_n(const struct app_input *in) { return in->script->dump_n; }

static void dump(const struct app_input *in, u32 index, struct input_dump *out)
{
    const struct script *s = in->script;
    const struct script_dump *d = &s->dumps[index];
    const struct script_buffer *b = &s->buffers[d->buffer];
    *out = (struct input_dump){b->name, d->path, s->file, d->offset, b->size_bytes};
}

static const struct input_kind kind = {run, feed, fits, dump_n, dump};

struct app_input *input_file(const struct source *file, struct reader *reader, u64 seed,
                             struct fail *fail)
{
    struct app_input *in = input_new(&kind, seed);
    if (appfile_read(in, file, reader, fail)) return in;
    input_free(in);
    return NULL;
}
