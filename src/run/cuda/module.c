/* Calls about modules: the fat binaries of a program, with their kernels and variables. Objects
 * compiled for device linking (relocatable device code) are linked here, as PTX. Parsed modules and
 * lowered kernels stay with the input, for later executions of the program. */
#include <stdlib.h>
#include <string.h>

#include "mem/address.h"
#include "run/cuda/cubin.h"
#include "run/cuda/fat.h"
#include "run/cuda/session.h"
#include "run/io/hasher.h"

/* Returns the module of an earlier execution with equal fat binaries and equal addresses, or
 * NULL. */
static struct cuda_module *module_again(const struct cuda *c, u64 hash, size_t bytes,
                                        struct ptx_place place)
{
    for (struct cuda_module *m = c->modules; m; m = m->next) {
        if (m->hash == hash && m->bytes == bytes && m->place.global == place.global &&
            m->place.constant == place.constant && m->place.reference == place.reference)
            return m;
    }
    return NULL;
}

/* Reports the reason to the user and on the program's standard error, in addition to the error code
 * a program would receive on a GPU. */
static void tell_no_image(struct session *s, const char *why)
{
    text_add(&s->asserted, "corun: %s: no kernel image for the device: %s\n",
             s->app->input->cuda->arguments[0], why);
    warning_add(s->app->warnings, s->app->input->cuda->arguments[0], 0, why);
}

/* Returns the PTX of the fat binary at the beginning of the bytes. `nth` numbers the fat binary in
 * its module from 1, for messages; 0: the only fat binary. NULL: `result` is FAT_NOT_FOR_DEVICE
 * (reported to the program), FAT_DAMAGED (added to `fail`) or FAT_REFUSED (an error of the user,
 * added to the app's errors). */
static const struct source *take_ptx(struct session *s, const u8 *bytes, size_t n, u32 nth,
                                     u32 *arch, enum fat_result *result, struct fail *fail)
{
    struct app *a = s->app;
    struct arena *arena = &a->input->arena;
    const char *file = a->input->cuda->arguments[0];
    const struct fat_want want = {device_capability(a->machine->gpu), a->input->cuda->ptx};
    struct text ptx = {0}, why = {0}, name = {0};
    struct ptx_arch taken = {0};
    struct source *source = NULL;
    *result = fat_ptx(bytes, n, &want, &ptx, &taken, &why);
    if (*result == FAT_TAKEN) {
        text_add(&name, "%s (PTX", file);
        if (nth) text_add(&name, " of object %u", nth);
        text_add(&name, " for ");
        ptx_arch_show(taken, &name);
        text_add(&name, ")");
        source = arena_new(arena, struct source);
        *source = (struct source){arena_text(arena, name.bytes, name.size),
                                  arena_text(arena, ptx.bytes, ptx.size), ptx.size};
    } else if (*result == FAT_NOT_FOR_DEVICE) {
        tell_no_image(s, text_get(&why));
    } else if (*result == FAT_DAMAGED) {
        fail_plain(fail, "%s: %s", file, text_get(&why));
    } else {
        app_add_error(a, APP_ERROR_INPUT, "%s: %s", file, text_get(&why));
    }
    *arch = taken.number;
    text_free(&ptx);
    text_free(&why);
    text_free(&name);
    return source;
}

struct sources {
    const struct source **at;
    u32 n, room;
};

/* Takes the PTX of each fat binary in the payload of the call. false: as NULL from take_ptx. */
static bool take_sources(struct session *s, struct sources *out, u32 *arch,
                         enum fat_result *result, struct fail *fail)
{
    const u8 *bytes = s->payload;
    size_t n = s->call.payload_bytes - s->call.at[0], size = fat_size(bytes, n);
    bool several = size && size < n;
    do {
        const struct source *one = take_ptx(s, bytes, n, several ? out->n + 1 : 0, arch,
                                            result, fail);
        if (!one) return false;
        *arena_push(&s->app->input->arena, out->at, out->n, out->room) = one;
        size = fat_size(bytes, n);
        bytes += size;
        n -= size;
    } while (n);
    return true;
}

/* Takes the registers of the module's kernels from the machine code that the device would execute.
 * A PTX chosen by the user has no machine code beside it. */
static void take_registers(struct session *s, struct cuda_module *m)
{
    const u8 *bytes = s->payload;
    size_t n = s->call.payload_bytes;
    const u32 capability = device_capability(s->app->machine->gpu);
    struct text code = {0};
    while (n && !s->app->input->cuda->ptx.number) {
        size_t size = fat_size(bytes, n);
        code.size = 0;
        if (size && fat_code(bytes, size, capability, &code)) {
            for (u32 i = 0; i < ptx_kernel_n(m->module); i++) {
                u32 registers = cubin_registers((const u8 *)code.bytes, code.size,
                                                ptx_kernel_name(m->module, i));
                if (registers) m->kernels[i].code_registers = registers;
            }
        }
        if (!size) break;
        bytes += size;
        n -= size;
    }
    text_free(&code);
}

/* Parses and links a new module. NULL: as from take_ptx, or errors of the PTX in `fail` with
 * FAT_TAKEN in `result`. */
static struct cuda_module *module_new(struct session *s, u64 hash, struct ptx_place place,
                                      enum fat_result *result, struct fail *fail)
{
    struct app *a = s->app;
    struct cuda *c = a->input->cuda;
    struct arena *arena = &a->input->arena;
    struct sources sources = {0};
    struct cuda_module *m = arena_new(arena, struct cuda_module);
    *m = (struct cuda_module){.hash = hash, .bytes = s->call.payload_bytes, .place = place,
                              .file = c->arguments[0]};
    if (!take_sources(s, &sources, &m->arch, result, fail)) return NULL;
    m->module = ptx_link_at(sources.at, sources.n, &place, arena, fail);
    if (!m->module) return NULL;
    input_rules_apply(&a->input->rules, m->module);
    m->kernels = arena_array(arena, struct host_kernel, ptx_kernel_n(m->module));
    take_registers(s, m);
    m->next = c->modules;
    return c->modules = m;
}

/* Reports errors of code that the program has loaded itself, in addition to the error code. */
static cudaError_t code_failed(struct session *s, const struct fail *fail)
{
    struct text sentence = {0};
    const char *file = s->app->input->cuda->arguments[0], *all = text_get(&fail->text);
    text_add(&s->asserted, "corun: %s loaded a module with errors:\n%s", file, all);
    text_add(&sentence, "the program loaded a module with errors: %.*s", (int)strcspn(all, "\n"),
             all);
    warning_add(s->app->warnings, file, 0, sentence.bytes);
    text_free(&sentence);
    return cudaErrorInvalidKernelImage;
}

static void place_variables(struct session *s, const struct module *m)
{
    struct image *image = &s->app->image;
    for (u32 i = 0; i < ptx_variable_n(m); i++) {
        const struct variable *v = ptx_variable(m, i);
        bool constant = v->space == SPACE_CONST;
        image_place(image, v->address, v->size_bytes, v->name, constant);
        if (v->bytes) check(image_write(image, v->address, v->bytes, v->size_bytes));
        if (!constant) image_host_writes(image, v->address);
        if (constant)
            s->next_const = max_u64(s->next_const, round_up(v->address + v->size_bytes, 256) + 256);
    }
}

cudaError_t session_MODULE(struct session *s)
{
    if (s->call.at[0] > s->call.payload_bytes) return cudaErrorInvalidValue;
    struct ptx_place place = {max_u64(s->app->image.next, GLOBAL_BASE), s->next_const,
                              s->reference_n};
    u64 hash = hash_of(s->payload, s->call.payload_bytes);
    struct cuda_module *m =
        module_again(s->app->input->cuda, hash, s->call.payload_bytes, place);
    enum fat_result result = FAT_TAKEN;
    struct fail own = {0}, *fail = s->call.at[1] ? &own : &s->app->error;
    if (!m) m = module_new(s, hash, place, &result, fail);
    cudaError_t error = own.error_n ? code_failed(s, &own) : cudaSuccess;
    fail_free(&own);
    if (error) return error;
    if (result == FAT_NOT_FOR_DEVICE) return cudaErrorNoKernelImageForDevice;
    if (!m) app_leave(s->app, APP_ERROR_INPUT);
    place_variables(s, m->module);
    app_place_references(s->app, m->module);
    s->reference_n += ptx_reference_n(m->module);
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
                            .param_bytes = p->param_bytes, .ptx_version = m->arch,
                            .needs_cluster = p->needs_cluster};
    memcpy(w.cluster, p->required_cluster, sizeof w.cluster);
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
    if (!k->program && !input_lower(k, m->module, m->file, kernel, &s->app->input->arena,
                                    &s->app->error))
        app_leave(s->app, APP_ERROR_INPUT);
    if (k->program->shared_bytes > SHARED_BYTES) {
        struct text why = {0};
        text_add(&why, "kernel '%s' has %u bytes of static shared memory, at most %d are possible",
                 (const char *)s->payload, k->program->shared_bytes, SHARED_BYTES);
        warning_add(s->app->warnings, m->file, 0, text_get(&why));
        text_free(&why);
        return cudaErrorInvalidPtx;
    }
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

cudaError_t session_REFERENCE(struct session *s)
{
    const struct cuda_module *m = module_of(s);
    if (!m) return cudaErrorInvalidResourceHandle;
    const u8 kind = s->call.at[1] ? REFERENCE_SURFACE : REFERENCE_TEXTURE;
    for (u32 i = 0; i < ptx_reference_n(m->module); i++) {
        const struct reference *r = ptx_reference(m->module, i);
        if (r->kind != kind || strcmp(r->name, (const char *)s->payload)) continue;
        s->reply.at[0] = ptx_reference_handle(m->module, i);
        return cudaSuccess;
    }
    return cudaErrorInvalidSymbol;
}
