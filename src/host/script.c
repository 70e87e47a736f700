/* The host program of an app file: what a C workload would do by hand, through the same interface.
 */
#include "host/script.h"

#include <string.h>

#include "host/app.h"

static void make_buffers(struct host *h, const struct script *s)
{
    for (u32 i = 0; i < s->buffer_n; i++) {
        const struct script_buffer *b = &s->buffers[i];
        h->app->at = s->file;
        h->app->offset = b->offset;
        u64 address = host_alloc(h, b->size_bytes, b->name);
        h->app->buffers[i] = address;
        const struct allocation *a = image_find(&h->app->image, address, b->size_bytes);
        check(a);
        if (b->fill.kind != FILL_ZERO) fill_write(&b->fill, b->type, b->count, a->bytes);
    }
}

void script_run(struct host *h)
{
    struct app *a = h->app;
    const struct script *s = a->input->script;
    make_buffers(h, s);
    for (u32 i = 0; i < s->launch_n; i++) {
        const struct script_launch *l = &s->launches[i];
        for (u32 turn = 0; turn < l->repeat; turn++) {
            u8 *param = app_launch(a, l->kernel, l->grid, l->block, l->shared_bytes, l->stream);
            if (l->kernel->program->param_bytes)
                memcpy(param, l->param, l->kernel->program->param_bytes);
            for (u32 p = 0; p < l->patch_n; p++) {
                u64 address = a->buffers[l->patches[p].buffer] + l->patches[p].add;
                memcpy(param + l->patches[p].offset, &address, sizeof address);
            }
        }
    }
}
