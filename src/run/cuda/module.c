/* Modules: a program's fat binaries, their kernels and variables. What was parsed and lowered stays
 * with the input, for other executions of the program. */
#include <stdlib.h>
#include <string.h>

#include "mem/address.h"
#include "run/cuda/fat.h"
#include "run/cuda/session.h"
#include "run/io/hasher.h"

/* The module of these bytes at this place, from an earlier execution; or NULL. */
static struct cuda_module *module_again(const struct cuda *c, u64 hash, size_t bytes,
                                        struct ptx_place place)
{
    for (struct cuda_module *m = c->modules; m; m = m->next) {
        if (m->hash == hash && m->bytes == bytes && m->place.global == place.global &&
            m->place.constant == place.constant)
            return m;
    }
    return NULL;
}

/* NULL: the user's error, in the app's. */
static struct cuda_module *module_new(struct session *s, u64 hash, struct ptx_place place)
{
    struct app *a = s->app;
    struct cuda *c = a->input->cuda;
    struct arena *arena = &a->input->arena;
    struct text ptx = {0}, why = {0}, name = {0};
    u32 arch = 0;
    struct cuda_module *m = NULL;
    if (!fat_ptx(s->payload, s->call.payload_bytes, &ptx, &arch, &why)) {
        app_add_error(a, APP_ERROR_INPUT, "%s: %s", c->arguments[0], text_get(&why));
    } else {
        text_add(&name, "%s (its PTX for sm_%u)", c->arguments[0], arch);
        m = arena_new(arena, struct cuda_module);
        *m = (struct cuda_module){.hash = hash, .bytes = s->call.payload_bytes, .place = place,
                                  .arch = arch};
        m->source = (struct source){arena_text(arena, name.bytes, name.size),
                                    arena_text(arena, ptx.bytes, ptx.size), ptx.size};
        m->module = ptx_parse_at(&m->source, &place, arena, &a->error);
        if (!m->module) m = NULL;
    }
    text_free(&ptx);
    text_free(&why);
    text_free(&name);
    if (!m) return NULL;
    m->kernels = arena_array(arena, struct host_kernel, ptx_kernel_n(m->module));
    m->next = c->modules;
    return c->modules = m;
}

static void place_variables(struct session *s, const struct module *m)
{
    struct image *image = &s->app->image;
    for (u32 i = 0; i < ptx_variable_n(m); i++) {
        const struct variable *v = ptx_variable(m, i);
        bool constant = v->space == SPACE_CONST;
        image_place(image, v->address, v->size_bytes, v->name, constant);
        if (v->bytes) check(image_write(image, v->address, v->bytes, v->size_bytes));
        if (constant)
            s->next_const = max_u64(s->next_const, round_up(v->address + v->size_bytes, 256) + 256);
    }
}

cudaError_t session_MODULE(struct session *s)
{
    struct ptx_place place = {max_u64(s->app->image.next, GLOBAL_BASE), s->next_const};
    u64 hash = hash_of(s->payload, s->call.payload_bytes);
    struct cuda_module *m =
        module_again(s->app->input->cuda, hash, s->call.payload_bytes, place);
    if (!m) m = module_new(s, hash, place);
    if (!m) app_leave(s->app, APP_ERROR_INPUT);
    place_variables(s, m->module);
    *base_push(s->modules, s->module_n, s->module_room) = m;
    s->reply.at[0] = s->module_n - 1;
    return cudaSuccess;
}

static struct cuda_module *module_of(const struct session *s)
{
    return s->call.at[0] < s->module_n ? s->modules[s->call.at[0]] : NULL;
}

static void describe(struct session *s, const struct cuda_module *m, const struct host_kernel *k)
{
    const struct program *p = k->program;
    u64 const_bytes = 0;
    for (u32 i = 0; i < ptx_variable_n(m->module); i++) {
        const struct variable *v = ptx_variable(m->module, i);
        if (v->space == SPACE_CONST) const_bytes += v->size_bytes;
    }
    u32 by_registers = s->app->machine->gpu->sm.registers / max_u32(k->registers, 1) / 32 * 32;
    u32 threads = p->max_block_threads ? p->max_block_threads : 1024;
    struct wire_kernel w = {.shared_bytes = p->shared_bytes, .const_bytes = const_bytes,
                            .local_bytes = p->local_bytes,
                            .block_threads = min_u32(threads, by_registers),
                            .registers = k->registers, .param_n = p->param_n,
                            .param_bytes = p->param_bytes, .ptx_version = m->arch};
    text_put(&s->out, (const char *)&w, sizeof w);
    for (u32 i = 0; i < p->param_n; i++) {
        struct wire_param param = {p->params[i].offset, p->params[i].size_bytes};
        text_put(&s->out, (const char *)&param, sizeof param);
    }
}

cudaError_t session_KERNEL(struct session *s)
{
    struct cuda_module *m = module_of(s);
    if (!m) return cudaErrorInvalidResourceHandle;
    u32 kernel = ptx_kernel_find(m->module, (const char *)s->payload);
    if (kernel == UINT32_MAX) return cudaErrorInvalidDeviceFunction;
    struct host_kernel *k = &m->kernels[kernel];
    if (!k->program && !input_lower(k, m->module, m->source.name, kernel, &s->app->input->arena,
                                    &s->app->error))
        app_leave(s->app, APP_ERROR_INPUT);
    *base_push(s->kernels, s->kernel_n, s->kernel_room) = (struct session_kernel){m, k};
    s->reply.at[0] = s->kernel_n - 1;
    describe(s, m, k);
    return cudaSuccess;
}

cudaError_t session_VARIABLE(struct session *s)
{
    struct cuda_module *m = module_of(s);
    if (!m) return cudaErrorInvalidResourceHandle;
    for (u32 i = 0; i < ptx_variable_n(m->module); i++) {
        const struct variable *v = ptx_variable(m->module, i);
        if (strcmp(v->name, (const char *)s->payload)) continue;
        s->reply.at[0] = v->address;
        s->reply.at[1] = v->size_bytes;
        return cudaSuccess;
    }
    return cudaErrorInvalidSymbol;
}
