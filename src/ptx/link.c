/* Places the module's variables and the frames of its functions, and fills addresses into initial values.
 * Hands `host` the list of variables; `lower` reads symbol.place. .shared is placed per kernel, in lower.
 * Source: our own address map, isa/inst.h. */
#include "ptx/module.h"

#include <string.h>

u64 function_address(u32 func) { return (u64)func + 1; }

static bool place(const struct module *m, struct fail *fail, struct symbol *s, u64 *next, u64 limit)
{
    u64 at = round_up(*next, max_u32(s->align, 256));
    if (s->size_bytes > limit || at > limit - s->size_bytes) {
        fail_at(fail, m->source, s->offset, "no room for '%s' (%llu bytes)", s->name, (unsigned long long)s->size_bytes);
        return false;
    }
    s->place = at;
    *next = at + s->size_bytes + 256; /* a gap, so that an access out of bounds is seen */
    return true;
}

static bool place_variables(struct module *m, struct fail *fail)
{
    u64 global = GLOBAL_BASE, constant = CONST_BASE;
    bool ok = true;
    for (u32 i = 0; i < m->symbol_n; i++) {
        struct symbol *s = &m->symbols[i];
        if (s->is_extern || s->unsupported) continue;
        if (s->space == SPACE_GLOBAL) ok &= place(m, fail, s, &global, GLOBAL_END);
        if (s->space == SPACE_CONST) ok &= place(m, fail, s, &constant, CONST_BASE + WINDOW_BYTES);
    }
    return ok;
}

/* Results and parameters of a function lie at the start of its frame, in order, each aligned. Caller and callee
 * compute the same places from the signature. */
static void place_signature(struct module *m, struct signature *g)
{
    u64 at = 0;
    for (u32 i = 0; i < g->result_n + g->param_n; i++) {
        struct symbol *s = &m->symbols[g->symbol + i];
        at = round_up(at, s->align);
        s->place = at;
        at += s->size_bytes;
    }
    g->bytes = (u32)round_up(at, 16);
}

static bool place_frames(struct module *m, struct fail *fail)
{
    bool ok = true;
    for (u32 i = 0; i < m->func_n; i++) {
        struct func *f = &m->funcs[i];
        place_signature(m, &f->signature);
        f->local_bytes = f->is_kernel ? 0 : f->signature.bytes;
    }
    for (u32 i = 0; i < m->prototype_n; i++) place_signature(m, &m->prototypes[i]);
    for (u32 i = 0; i < m->symbol_n; i++) {
        struct symbol *s = &m->symbols[i];
        if (s->space != SPACE_LOCAL) continue;
        if (s->function == NO_INDEX) continue; /* refused where it is used */
        struct func *f = &m->funcs[s->function];
        u64 at = round_up(f->local_bytes, s->align);
        if (s->size_bytes > 512 * 1024 || at + s->size_bytes > 512 * 1024) {
            fail_at(fail, m->source, s->offset, "'%s': a thread has at most 512 KB of local memory", s->name);
            ok = false;
            continue;
        }
        s->place = at;
        f->local_bytes = (u32)(at + s->size_bytes);
    }
    for (u32 i = 0; i < m->func_n; i++) m->funcs[i].local_bytes = (u32)round_up(m->funcs[i].local_bytes, 16);
    return ok;
}

static bool fill_address(struct module *m, struct fail *fail, struct symbol *s, const struct fixup *x)
{
    u64 value = x->is_function ? function_address(x->target) : m->symbols[x->target].place;
    const struct symbol *to = x->is_function ? NULL : &m->symbols[x->target];
    if (to && ((to->space != SPACE_GLOBAL && to->space != SPACE_CONST) || to->is_extern)) {
        fail_at(fail, m->source, x->offset, "the address of '%s' is not known before the kernel runs", to->name);
        return false;
    }
    value = (value + (u64)x->addend) >> x->shift;
    if (x->size_bytes == 4 && value > UINT32_MAX) {
        fail_at(fail, m->source, x->offset, "this address does not fit into 32 bits");
        return false;
    }
    for (u32 i = 0; i < x->size_bytes && i < 8; i++) s->bytes[x->at + i] = (u8)(value >> (8 * i));
    return true;
}

static bool fill_addresses(struct module *m, struct fail *fail)
{
    bool ok = true;
    for (u32 i = 0; i < m->symbol_n; i++) {
        struct symbol *s = &m->symbols[i];
        for (u32 k = 0; k < s->fixup_n; k++) ok &= fill_address(m, fail, s, &m->fixups[s->fixup + k]);
    }
    return ok;
}

static const u8 *whole_bytes(struct module *m, const struct symbol *s)
{
    if (!s->bytes || s->byte_n == s->size_bytes) return s->bytes;
    u8 *bytes = arena_alloc(m->arena, s->size_bytes, 16);
    memcpy(bytes, s->bytes, min_u64(s->byte_n, s->size_bytes));
    return bytes;
}

static void list_variables(struct module *m)
{
    m->variables = arena_array(m->arena, struct variable, m->symbol_n + 1);
    for (u32 i = 0; i < m->symbol_n; i++) {
        const struct symbol *s = &m->symbols[i];
        if (s->is_extern || s->unsupported || (s->space != SPACE_GLOBAL && s->space != SPACE_CONST)) continue;
        m->variables[m->variable_n++] = (struct variable){.name = s->name, .space = s->space, .address = s->place,
                                                          .size_bytes = s->size_bytes, .bytes = whole_bytes(m, s)};
    }
}

bool link_module(struct module *m, struct fail *fail)
{
    if (!place_variables(m, fail) || !place_frames(m, fail) || !fill_addresses(m, fail)) return false;
    list_variables(m);
    return true;
}
