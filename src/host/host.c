/* The interface of workloads (host.h). Every call comes from inside a host program; an invalid call
 * ends the app at once with a message for the user, because app_fail does not return. */
#include "host/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/app.h"
#include "host/launch.h"
#include "ptx/ptx.h"

static double value_of(struct host *h, const char *key)
{
    const struct app_input *in = h->app->input;
    u32 row = 0;
    while (in->workload->params[row].key && strcmp(in->workload->params[row].key, key)) row++;
    check(in->workload->params[row].key);
    return in->values[row];
}

double host_number(struct host *h, const char *key) { return value_of(h, key); }

s64 host_integer(struct host *h, const char *key)
{
    double value = value_of(h, key);
    if (!(fabs(value) < 0x1p62) || value != (double)(s64)value) {
        app_fail(h->app, APP_ERROR_INPUT, "%s=%.15g must be a whole number", key, value);
    }
    return (s64)value;
}

u64 host_seed(struct host *h) { return h->app->input->rules.seed; }

u64 host_alloc(struct host *h, u64 size_bytes, const char *name)
{
    struct app *a = h->app;
    if (!size_bytes) app_fail(a, APP_ERROR_INPUT, "allocation of '%s' has no bytes", name);
    u64 address = image_alloc(&a->image, size_bytes, name);
    if (address) return address;
    u64 left = GLOBAL_END - min_u64(a->image.next, GLOBAL_END);
    if (size_bytes > left) {
        app_fail(a, APP_ERROR_INPUT,
                 "out of device memory: '%s' needs %llu bytes, %llu of 2^40 are left", name,
                 (unsigned long long)size_bytes, (unsigned long long)left);
    }
    /* the simulating host may have less memory than the simulated GPU */
    app_fail(a, APP_ERROR_INPUT, "'%s' needs %llu bytes, more than this computer has", name,
             (unsigned long long)size_bytes);
}

void host_free(struct host *h, u64 address)
{
    app_block(h->app, WAIT_ALL, 0);
    if (!image_release(&h->app->image, address)) {
        app_fail(h->app, APP_ERROR_FAULT, "host_free: no allocation begins at 0x%llx",
                 (unsigned long long)address);
    }
}

static _Noreturn void bad_copy(struct app *a, const char *what, u64 device, u64 size_bytes)
{
    const struct allocation *near = image_nearest(&a->image, device);
    struct text where = {0};
    if (near) {
        text_add(&where, "; the nearest allocation is '%s', 0x%llx and %llu bytes", near->name,
                 (unsigned long long)near->start, (unsigned long long)near->size_bytes);
    }
    fail_plain(&a->error, "app %s: %s of %llu bytes at 0x%llx is outside every allocation%s",
               a->name, what, (unsigned long long)size_bytes, (unsigned long long)device,
               text_get(&where));
    text_free(&where);
    app_leave(a, APP_ERROR_FAULT);
}

void host_write(struct host *h, u64 device, const void *from, u64 size_bytes)
{
    app_block(h->app, WAIT_STREAM, 0);
    if (size_bytes && !image_write(&h->app->image, device, from, size_bytes)) {
        bad_copy(h->app, "host_write", device, size_bytes);
    }
    app_set_variables(h->app, device, size_bytes);
}

void host_read(struct host *h, void *to, u64 device, u64 size_bytes)
{
    app_block(h->app, WAIT_STREAM, 0);
    if (size_bytes && !image_read(&h->app->image, device, to, size_bytes)) {
        bad_copy(h->app, "host_read", device, size_bytes);
    }
}

void host_fill(struct host *h, u64 device, u8 value, u64 size_bytes)
{
    app_block(h->app, WAIT_STREAM, 0);
    if (!size_bytes) return;
    const struct allocation *a = image_find(&h->app->image, device, size_bytes);
    if (!a) bad_copy(h->app, "host_fill", device, size_bytes);
    memset(a->bytes + (device - a->start), value, size_bytes);
    image_changes(&h->app->image, device, size_bytes);
    app_set_variables(h->app, device, size_bytes);
}

u64 host_symbol(struct host *h, const char *name, u64 *size_bytes)
{
    struct app *a = h->app;
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < ptx_variable_n(a->input->module); i++) {
        const struct variable *v = ptx_variable(a->input->module, i);
        nearest_offer(&nearest, v->name);
        if (strcmp(v->name, name)) continue;
        if (size_bytes) *size_bytes = v->size_bytes;
        a->set[i] = true; /* the address may be passed to a kernel */
        return v->address;
    }
    fail_plain(&a->error, "app %s: %s has no variable '%s'", a->name, a->input->ptx->name, name);
    fail_nearest(&a->error, &nearest);
    app_leave(a, APP_ERROR_INPUT);
}

void *host_memory(struct host *h, size_t bytes)
{
    void *memory = app_scratch(h->app, bytes);
    if (!memory)
        app_fail(h->app, APP_ERROR_INPUT,
                 "the app's host program needs %zu bytes, more than the computer has", bytes);
    return memory;
}

struct host_kernel *host_find(struct host *h, const char *kernel)
{
    struct host_kernel *k = input_kernel(h->app->input, kernel, NULL, 0, &h->app->error);
    if (!k) app_leave(h->app, APP_ERROR_INPUT);
    return k;
}

void host_prefer_carveout(struct host_kernel *k, u32 percent)
{
    check(percent <= 100);
    k->carveout = (struct carveout_preference){true, (u8)percent};
}

static void check_launch(struct app *a, const struct host_kernel *k, const u32 grid[3],
                         const u32 block[3], u32 shared_bytes, u32 stream_id)
{
    struct text why = {0};
    const char *error = launch_error(k->program, grid, block, &why);
    if (!error) {
        struct launch l = {.program = k->program,
                           .dynamic_shared_bytes = shared_bytes,
                           .app_id = a->app_id,
                           .stream = stream_id,
                           .registers = k->registers};
        memcpy(l.grid, grid, sizeof l.grid);
        memcpy(l.block, block, sizeof l.block);
        error = a->machine->refuses(a->machine, &l, &why);
    }
    if (error) app_add_error(a, APP_ERROR_INPUT, "launch of %s: %s", k->program->shown, error);
    text_free(&why);
    if (error) app_leave(a, APP_ERROR_INPUT);
    if (stream_id > STREAM_ID_MAX) {
        app_fail(a, APP_ERROR_INPUT, "launch of %s: stream %u is over the limit of %d",
                 k->program->shown, stream_id, STREAM_ID_MAX);
    }
}

void host_launch(struct host *h, struct host_kernel *k, struct host_dim grid, struct host_dim block,
                 u32 shared_bytes, u32 stream, const void *const *args)
{
    struct app *a = h->app;
    const u32 blocks[3] = {grid.x, grid.y, grid.z}, threads[3] = {block.x, block.y, block.z};
    check_launch(a, k, blocks, threads, shared_bytes, stream);
    struct launch_options options = {.carveout = k->carveout};
    u8 *param = app_launch(a, k, blocks, threads, shared_bytes, stream, &options);
    for (u32 i = 0; i < k->program->param_n; i++) {
        const struct param *p = &k->program->params[i];
        memcpy(param + p->offset, args[i], p->size_bytes);
    }
}

void host_sync(struct host *h) { app_block(h->app, WAIT_ALL, 0); }

void host_stream_sync(struct host *h, u32 stream) { app_block(h->app, WAIT_STREAM, stream); }

bool host_wants_check(struct host *h) { return !h->app->completions; }

void host_checked(struct host *h, bool ok, const char *why)
{
    struct app *a = h->app;
    if (a->completions) return;
    a->checked = ok;
    text_free(&a->checked_why);
    if (!ok && why) text_add(&a->checked_why, "%s", why);
}
