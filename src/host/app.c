#include "host/app.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/machine/clock.h"
#include "host/name/kernel_name.h"
#include "mem/textures.h"
#include "ptx/ptx.h"

struct scratch {
    struct scratch *next;
    _Alignas(max_align_t) u8 bytes[];
};

static void print_nothing(struct printer *p, const char *bytes, size_t n)
{
    (void)p, (void)bytes, (void)n;
}

static u32 variable_n(const struct app *a)
{
    return a->input->module ? ptx_variable_n(a->input->module) : 0;
}

struct app *app_new(struct app_input *in, const char *name, u32 app_id,
                    const struct app_machine *machine, struct printer *printer)
{
    struct app *a = base_alloc(sizeof *a);
    a->host.app = a;
    a->input = in;
    a->name = name;
    a->app_id = app_id;
    a->machine = machine;
    a->silent.put = print_nothing;
    a->printer = printer ? printer : &a->silent;
    a->checked = -1;
    a->state = APP_WAITING; /* until app_start */
    a->streams.wake = NEVER;
    image_init(&a->image, machine->pool);
    a->image.granule_bytes = machine->granule_bytes;
    a->output_fd = -1;
    a->dumps = base_alloc(input_dump_n(in) * sizeof *a->dumps);
    a->set = base_alloc(variable_n(a) * sizeof *a->set);
    return a;
}

static void scratch_free(struct app *a)
{
    while (a->scratch) {
        struct scratch *next = a->scratch->next;
        free(a->scratch);
        a->scratch = next;
    }
}

/* Ends the execution at any point of the host program. */
static void execution_end(struct app *a)
{
    coroutine_stop(&a->coroutine);
    streams_free(&a->streams);
    scratch_free(a);
    image_clear(&a->image);
    if (a->input->kind->end) a->input->kind->end(&a->host);
}

void app_free(struct app *a)
{
    if (!a) return;
    execution_end(a);
    image_free(&a->image);
    free(a->dumps);
    free(a->set);
    text_free(&a->checked_why);
    fail_free(&a->error);
    free(a);
}

void app_place_references(struct app *a, const struct module *m)
{
    texture_references(&a->image, ptx_reference_n(m));
    for (u32 i = 0; i < ptx_reference_n(m); i++) {
        const struct reference *r = ptx_reference(m, i);
        struct texture t = {.kind = TEXTURE_SAMPLER, .sampler = r->sampler};
        if (r->kind == REFERENCE_SAMPLER) texture_bind(&a->image, ptx_reference_handle(m, i), &t);
    }
}

static void place_variables(struct app *a)
{
    for (u32 i = 0; i < variable_n(a); i++) {
        const struct variable *v = ptx_variable(a->input->module, i);
        image_place(&a->image, v->address, v->size_bytes, v->name, v->space == SPACE_CONST);
        if (v->bytes) check(image_write(&a->image, v->address, v->bytes, v->size_bytes));
        a->set[i] = v->bytes != NULL;
    }
}

static void run_host(void *with)
{
    struct app *a = with;
    app_place_references(a, a->input->module);
    place_variables(a); /* now, to keep the app's later allocations contiguous */
    a->input->kind->run(&a->host);
    a->returned = true;
}

void app_start(struct app *a)
{
    execution_end(a);
    coroutine_start(&a->coroutine, run_host, a);
    a->at = a->input->spec;
    a->offset = 0;
    a->returned = false;
    a->executions++;
    a->state = APP_READY;
}

void app_restart(struct app *a) { app_start(a); }

static bool wait_holds(const struct app *a)
{
    switch (a->wait) {
    case WAIT_STREAM: return !streams_waiting(&a->streams, a->wait_stream);
    case WAIT_ROOM: return streams_waiting(&a->streams, a->wait_stream) < STREAM_ROOM;
    case WAIT_TICKET: return streams_done(&a->streams, a->wait_ticket);
    case WAIT_CYCLE: return a->machine->now(a->machine) >= a->wake;
    case WAIT_SIGNAL: return a->signalled;
    case WAIT_NONE: return true;
    default: return !a->streams.pending;
    }
}

static void complete(struct app *a)
{
    if (!a->completions && a->input->kind->verify) a->input->kind->verify(&a->host);
    coroutine_stop(&a->coroutine);
    scratch_free(a);
    a->completions++;
    a->state = APP_COMPLETED;
}

/* Updates the state after the host program has stopped or a launch has ended. */
static void update_state(struct app *a)
{
    if (a->state == APP_FAILED) return;
    if (!a->returned) a->state = wait_holds(a) ? APP_READY : APP_WAITING;
    else if (a->streams.pending) a->state = APP_WAITING;
    else complete(a);
}

static u64 host_wake(const struct app *a)
{
    return a->state == APP_WAITING && !a->returned && a->wait == WAIT_CYCLE ? a->wake : NEVER;
}

u64 app_wake(const struct app *a)
{
    return a->state == APP_FAILED ? NEVER : min_u64(host_wake(a), a->streams.wake);
}

/* Tells the streams the current cycle. */
static void set_now(struct app *a)
{
    if (a->machine->now) a->streams.now = a->machine->now(a->machine);
}

void app_poll(struct app *a)
{
    set_now(a);
    if (app_wake(a) <= a->streams.now) {
        streams_go_on(&a->streams);
        update_state(a);
    } else if (host_wake(a) != NEVER) {
        update_state(a);
    }
    bool waits = a->state == APP_WAITING && !a->returned;
    if (waits && a->input->kind->lost && a->input->kind->lost(&a->host)) {
        a->error_kind = APP_ERROR_PROGRAM;
        a->state = APP_FAILED;
    }
    if (waits && a->signalled) update_state(a);
    if (a->state != APP_READY) return;
    coroutine_resume(&a->coroutine);
    update_state(a);
}

const struct launch *app_next_launch(struct app *a)
{
    struct stream_item *q = streams_take_ready(&a->streams);
    if (!q) return NULL;
    q->launch.number = ++a->launches;
    return &q->launch;
}

void app_launch_done(struct app *a, const struct launch *l)
{
    set_now(a);
    streams_end(&a->streams, l->owner);
    update_state(a);
}

const void *app_dump(const struct app *a, u32 index, u64 *size_bytes)
{
    struct input_dump d;
    input_dump(a->input, index, &d);
    const struct allocation *in = image_find(&a->image, a->dumps[index], d.size_bytes);
    check(a->state == APP_COMPLETED && in);
    *size_bytes = d.size_bytes;
    return in->bytes + (a->dumps[index] - in->start);
}

void app_launch_early(struct app *a, const struct launch *l)
{
    set_now(a);
    streams_early(&a->streams, l->owner);
}

/* ---- called from inside the host program ---- */

void app_leave(struct app *a, enum app_error_kind kind)
{
    a->error_kind = kind;
    a->state = APP_FAILED;
    coroutine_end(&a->coroutine);
}

static void add_error(struct app *a, enum app_error_kind kind, const char *format, va_list args)
{
    struct text message = {0};
    text_addv(&message, format, args);
    if (kind == APP_ERROR_INPUT && a->at)
        fail_at(&a->error, a->at, a->offset, "app %s: %s", a->name, text_get(&message));
    else
        fail_plain(&a->error, "app %s: %s", a->name, text_get(&message));
    text_free(&message);
}

void app_add_error(struct app *a, enum app_error_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_error(a, kind, format, args);
    va_end(args);
}

void app_fail(struct app *a, enum app_error_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_error(a, kind, format, args);
    va_end(args);
    app_leave(a, kind);
}

void app_block(struct app *a, enum app_wait wait, u32 stream_id)
{
    a->wait = wait;
    a->wait_stream = stream_id;
    while (!wait_holds(a)) coroutine_yield(&a->coroutine);
}

void app_block_ticket(struct app *a, struct ticket t)
{
    a->wait_ticket = t;
    app_block(a, WAIT_TICKET, 0);
}

void app_block_until(struct app *a, u64 cycle)
{
    a->wake = cycle;
    app_block(a, WAIT_CYCLE, 0);
}

void app_block_signal(struct app *a)
{
    a->signalled = false;
    app_block(a, WAIT_SIGNAL, 0);
}

void app_signal(struct app *a) { a->signalled = true; }

void app_yield(struct app *a)
{
    a->wait = WAIT_NONE;
    coroutine_yield(&a->coroutine);
}

void *app_scratch(struct app *a, size_t bytes)
{
    struct scratch *s = bytes < SIZE_MAX - sizeof *s ? base_try_alloc(sizeof *s + bytes) : NULL;
    if (!s) return NULL;
    s->next = a->scratch;
    a->scratch = s;
    return s->bytes;
}

void app_set_variables(struct app *a, u64 address, u64 size_bytes)
{
    for (u32 i = 0; i < variable_n(a); i++) {
        const struct variable *v = ptx_variable(a->input->module, i);
        if (address < v->address + v->size_bytes && v->address < address + size_bytes)
            a->set[i] = true;
    }
}

/* Warns about variables that a kernel reads before anything has written them, as after a forgotten
 * copy of constants: the kernel computes with zeroes. */
static void warn_unset(struct app *a, const struct program *p)
{
    const struct use *uses = p->ptx->uses;
    for (u32 i = 0; i < p->ptx->use_n; i++)
        if (uses[i].writes) a->set[uses[i].variable] = true;
    for (u32 i = 0; i < p->ptx->use_n; i++) {
        const struct variable *v = ptx_variable(a->input->module, uses[i].variable);
        if (a->set[uses[i].variable]) continue;
        struct text sentence = {0};
        struct arena names;
        arena_init(&names);
        text_add(&sentence, "variable '%s' has no initial value and was never set: kernel '%s' "
                 "reads zeroes", variable_shown(v, &names), program_shown(p, &names));
        warning_add(a->warnings, v->source->name, v->line, text_get(&sentence));
        text_free(&sentence);
        arena_free(&names);
        a->set[uses[i].variable] = true; /* warn once */
    }
}

u8 *app_launch(struct app *a, const struct host_kernel *k, const u32 grid[3], const u32 block[3],
               u32 shared_bytes, u32 stream_id, const struct launch_options *options)
{
    struct launch l = {.program = k->program,
                       .image = &a->image,
                       .printer = a->printer,
                       .warnings = a->warnings,
                       .dynamic_shared_bytes = shared_bytes,
                       .cooperative = options->workspace != 0,
                       .workspace = options->workspace,
                       .app_id = a->app_id,
                       .stream = stream_id,
                       .priority = options->priority,
                       .carveout = options->carveout,
                       .large_clusters = options->large_clusters,
                       .dependent = options->dependent && !a->in_order,
                       .registers = k->registers};
    memcpy(l.cluster, options->cluster, sizeof l.cluster);
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    if (a->input->module) warn_unset(a, k->program);
    /* now: addresses must not depend on the order of launches. */
    if (k->program->heap) image_heap(&a->image);
    app_block(a, WAIT_ROOM, stream_id);
    struct stream_item *q = stream_item_new(&l, k->program->param_bytes);
    const struct machine *m = a->machine->gpu;
    if (m) {
        u64 gap_ns = options->is_node ? m->launch.node_gap_ns : m->launch.gap_ns;
        q->until = a->streams.now + clock_cycles(m->clock.sm_mhz, m->launch.latency_ns);
        /* Model: a dependent launch is prepared while the preceding kernel runs, and has no gap
         * (guess, from the CUDA C++ programming guide: the latency is hidden). */
        q->gap = l.dependent ? 0 : clock_cycles(m->clock.sm_mhz, gap_ns);
    }
    streams_push(&a->streams, q);
    return q->param;
}
