/* An app file as an app's input. The host program of an app file uses the same interface as a
 * workload in C. */
#include "host/script.h"

#include <string.h>

#include "base/rand.h"
#include "host/app.h"
#include "host/content.h"

struct script_run { /* one execution */
    struct host *h;
    const struct script *s;
    u64 *address;   /* [region], followed by the handles of the textures */
    u64 *array;     /* [texture] handle of its array; 0 for other kinds */
    u64 *workspace; /* [launch] workspace of a cooperative launch, allocated on first use */
};

static void make_regions(struct script_run *r)
{
    for (u32 i = 0; i < r->s->region_n; i++) {
        const struct script_region *b = &r->s->regions[i];
        r->h->app->at = r->s->file;
        r->h->app->offset = b->offset;
        r->address[i] = i < r->s->buffer_n ? host_alloc(r->h, b->size_bytes, b->name) : b->address;
    }
}

/* ---- textures ---- */

static void make_textures(struct script_run *r)
{
    for (u32 i = 0; i < r->s->texture_n; i++) {
        const struct script_texture *t = &r->s->textures[i];
        struct texture made = t->texture;
        struct host *h = r->h;
        h->app->at = r->s->file;
        h->app->offset = t->offset;
        made.address = r->address[t->buffer];
        if (made.kind == TEXTURE_ARRAY)
            r->array[i] = made.address = host_array(h, &t->shape, t->name);
        r->address[r->s->region_n + i] = t->surface ? host_surface(h, r->array[i])
                                                    : host_texture(h, &made);
        if (t->reference && t->surface) host_bind_surface(h, t->reference, r->array[i]);
        else if (t->reference) host_bind_texture(h, t->reference, &made);
    }
}

/* Copies buffers to arrays, level by level; with `back`, arrays of surfaces to buffers. */
static void copy_texels(struct script_run *r, bool back)
{
    for (u32 i = 0; i < r->s->texture_n; i++) {
        const struct script_texture *t = &r->s->textures[i];
        u64 buffer = r->address[t->buffer];
        u32 levels = back && !t->surface ? 0 : max_u32(t->shape.levels, 1);
        for (u32 l = 0; r->array[i] && l < levels; l++) {
            struct extent3 x = array_extent(&t->shape, l);
            u64 row = (u64)x.width * texel_bytes(&t->shape.texel);
            struct host_place array = {.array = r->array[i], .level = l};
            struct host_place linear = {.device = buffer};
            host_copy(r->h, back ? &linear : &array, back ? &array : &linear, row, x.height,
                      x.depth);
            buffer += row * x.height * x.depth;
        }
    }
}

/* ---- steps ---- */

static u8 *bytes_at(struct image *m, u64 address, u64 size_bytes)
{
    const struct allocation *in = image_find(m, address, size_bytes);
    check(in);
    return in->bytes + (address - in->start);
}

/* Model: an operation of an app file's host program between launches (a fill, a copy, a look at a
 * flag) waits for all launches made before and takes no simulated time, as the copies of a
 * workload. */
static void wait_for_all(struct script_run *r) { app_block(r->h->app, WAIT_ALL, 0); }

/* Marks the variables whose addresses `c` contains as written: a kernel may write to the
 * address. */
static void set_pointed(struct script_run *r, const struct content *c)
{
    for (u32 i = 0; i < c->patch_n; i++)
        app_set_variables(r->h->app, r->address[c->patches[i].region], 1);
}

static void write_step(struct script_run *r, const struct script_write *w)
{
    u64 at = r->address[w->region] + w->add;
    content_write(w, r->address, bytes_at(&r->h->app->image, at, w->size_bytes));
    image_changes(&r->h->app->image, at, w->size_bytes);
    app_set_variables(r->h->app, at, w->size_bytes);
    set_pointed(r, &w->content);
}

static void copy_step(struct script_run *r, const struct script_copy *c)
{
    struct image *m = &r->h->app->image;
    u64 to = r->address[c->to] + c->to_add, from = r->address[c->from] + c->from_add;
    memmove(bytes_at(m, to, c->size_bytes), bytes_at(m, from, c->size_bytes), c->size_bytes);
    image_changes(m, to, c->size_bytes);
    app_set_variables(r->h->app, to, c->size_bytes);
}

/* Inserts the arguments that differ between executions. An execution has the same values in every
 * pass of a launch. */
static void draw_arguments(const struct app *a, const struct script_launch *l, u8 *param)
{
    const struct arrivals *arrivals = &a->input->arrivals;
    u64 seed = arrivals->seeded ? arrivals->seed : a->input->rules.seed;
    u64 place = RAND_ARGUMENT | (u64)a->draw_id << 48 | (u64)l->index << 16;
    content_draw(&l->param, seed, place, a->executions - 1, param);
}

static void launch_step(struct script_run *r, const struct script_launch *l)
{
    u64 *workspace = &r->workspace[l->index];
    if (l->cooperative && !*workspace)
        *workspace = host_alloc(r->h, WORKSPACE_BYTES, "(cooperative launch)");
    set_pointed(r, &l->param);
    struct launch_options options = {.priority = l->priority, .workspace = *workspace,
                                     .carveout = l->carveout, .large_clusters = true};
    memcpy(options.cluster, l->cluster, sizeof options.cluster);
    u8 *param = app_launch(r->h->app, l->kernel, l->grid, l->block, l->shared_bytes, l->stream,
                           &options);
    if (l->param.size_bytes) memcpy(param, l->param.bytes, l->param.size_bytes);
    content_patch(&l->param, r->address, param);
    draw_arguments(r->h->app, l, param);
}

static bool holds(struct script_run *r, const struct script_until *u)
{
    u32 n = type_bytes(u->type);
    u64 at = r->address[u->region] + u->add;
    return content_equal(u->type, bytes_at(&r->h->app->image, at, n), u->value, 0) != u->differs;
}

static void tell_unfinished(struct script_run *r, const struct script_step *step)
{
    struct text t = {0};
    u32 line, column;
    source_position(r->s->file, step->offset, &line, &column);
    text_add(&t, "repeat ended after the most, %llu passes, before '%s' met the condition",
             (unsigned long long)step->most, r->s->regions[step->until->region].name);
    warning_add(r->h->app->warnings, r->s->file->name, line, text_get(&t));
    text_free(&t);
}

static void run_steps(struct script_run *r, const struct script_step *steps, u32 n);

static void run_once(struct script_run *r, const struct script_step *step)
{
    if (step->kind == STEP_LAUNCH) {
        launch_step(r, step->launch);
        return;
    }
    if (step->kind == STEP_LIST) {
        run_steps(r, step->steps, step->step_n);
        return;
    }
    wait_for_all(r);
    if (step->kind == STEP_COPY) copy_step(r, step->copy);
    else write_step(r, step->write);
}

static void run_steps(struct script_run *r, const struct script_step *steps, u32 n)
{
    for (const struct script_step *step = steps; step < steps + n; step++) {
        bool ended = !step->until;
        for (u64 pass = 0; pass < step->most; pass++) {
            run_once(r, step);
            if (!step->until) continue;
            wait_for_all(r);
            ended = holds(r, step->until);
            if (ended) break;
        }
        if (!ended) tell_unfinished(r, step);
    }
}

static void run(struct host *h)
{
    const struct script *s = h->app->input->script;
    struct script_run r = {.h = h, .s = s};
    r.address = host_memory(h, (s->region_n + s->texture_n) * sizeof *r.address);
    r.array = host_memory(h, s->texture_n * sizeof *r.array);
    r.workspace = host_memory(h, s->launch_n * sizeof *r.workspace);
    h->app->places = r.address;
    make_regions(&r);
    make_textures(&r);
    for (u32 d = 0; d < s->dump_n; d++) h->app->dumps[d] = r.address[s->dumps[d].region];
    for (u32 i = 0; i < s->write_n; i++) write_step(&r, &s->writes[i]);
    copy_texels(&r, false);
    run_steps(&r, s->steps, s->step_n);
    if (s->texture_n) wait_for_all(&r);
    copy_texels(&r, true);
}

static void verify(struct host *h)
{
    const struct script *s = h->app->input->script;
    const u64 *address = h->app->places;
    struct text why = {0};
    for (u32 i = 0; i < s->expect_n && !why.size; i++) {
        const struct script_write *w = &s->expects[i].value;
        const u8 *got = bytes_at(&h->app->image, address[w->region], w->size_bytes);
        content_compare(&s->expects[i], s->regions[w->region].name, address, got, &why);
    }
    if (s->expect_n) host_checked(h, !why.size, text_get(&why));
    text_free(&why);
}

static bool fits(const struct app_input *in, const struct app_machine *machine, struct fail *fail)
{
    const struct script *s = in->script;
    u32 before = fail->error_n;
    for (u32 i = 0; i < s->launch_n; i++) {
        const struct script_launch *from = s->launches[i];
        struct launch l = {.program = from->kernel->program,
                           .dynamic_shared_bytes = from->shared_bytes,
                           .cooperative = from->cooperative,
                           .carveout = from->carveout,
                           .large_clusters = true,
                           .registers = from->kernel->registers};
        memcpy(l.cluster, from->cluster, sizeof l.cluster);
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
    const struct script_region *b = &s->regions[d->region];
    *out = (struct input_dump){b->name, d->path, s->file, d->offset, b->size_bytes};
}

static const struct input_kind kind = {.run = run, .feed = feed, .fits = fits,
                                       .verify = verify, .dump_n = dump_n, .dump = dump};

struct app_input *input_file(const struct source *file, struct file_loader *loader,
                             const struct input_rules *rules, struct fail *fail)
{
    struct app_input *in = input_new(&kind, rules);
    if (appfile_read(in, file, loader, fail)) return in;
    input_free(in);
    return NULL;
}
