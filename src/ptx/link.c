/* Links several texts into a module: a declaration as .extern gets the definition in another text
 * as its `alias`. Places the module's variables and the frames of its functions, and fills
 * addresses into initial values. `host` reads the resulting list of variables; `lower` reads
 * symbol.place and places .shared per kernel. Source: PTX ISA manual, linking directives; the
 * address map is corun's own, mem/address.h. */
#include "ptx/module.h"

#include <string.h>

#include "mem/address.h"
#include "ptx/parse/lex.h"

enum { PARAM_LIMIT = 32768 };   /* bytes of parameters of one function */
enum { LOCAL_LIMIT = 512 << 10 }; /* bytes of local memory of a thread */
#define UNPLACED (NO_INDEX - 1) /* symbol.call: passed, not placed yet */

u64 function_address(u32 func) { return (u64)func + 1; }

/* ---- several texts ---- */

struct linker {
    struct module *m;
    struct fail *fail;
    struct words names; /* visible names: binding is the index plus one */
};

static bool is_strong(u8 linkage) { return linkage != LINKAGE_WEAK && linkage != LINKAGE_COMMON; }

static void note_place(struct linker *k, const char *what, const struct source *source, u32 offset)
{
    u32 line, column;
    source_position(source, offset, &line, &column);
    fail_note(k->fail, "%s in %s, line %u", what, source->name, line);
}

static void defined_twice(struct linker *k, const char *name, const struct source *source,
                          u32 offset, const struct source *first, u32 first_offset)
{
    fail_at(k->fail, source, offset, "'%s' is defined in two of the modules", name);
    note_place(k, "first defined", first, first_offset);
}

/* ---- functions ---- */

static bool is_definition(const struct func *f)
{
    return f->has_body && (f->is_kernel || f->linkage != LINKAGE_LOCAL);
}

static void func_differs(struct linker *k, const struct func *f, const struct func *other)
{
    fail_at(k->fail, f->source, f->offset, "'%s' has other parameters than in another module",
            f->name);
    note_place(k, "there", other->source, other->offset);
}

/* Makes `to` the alias of f. */
static void func_join(struct linker *k, u32 f, u32 to)
{
    struct func *from = &k->m->funcs[f], *target = &k->m->funcs[to];
    if (!from->is_unknown && !target->is_unknown && !func_same_shape(k->m, from, target)) {
        func_differs(k, from, target);
        return;
    }
    from->alias = to;
    target->address_taken |= from->address_taken;
    target->signature.noreturn |= from->signature.noreturn;
}

static void func_define(struct linker *k, u32 id)
{
    struct func *f = &k->m->funcs[id];
    struct word *w = words_get(&k->names, f->name, strlen(f->name));
    if (!w->binding) {
        w->binding = id + 1;
        return;
    }
    u32 first = w->binding - 1;
    struct func *other = &k->m->funcs[first];
    if (is_strong(f->linkage) && is_strong(other->linkage)) {
        defined_twice(k, f->name, f->source, f->offset, other->source, other->offset);
    } else if (is_strong(f->linkage)) {
        func_join(k, first, id);
        w->binding = id + 1;
    } else {
        func_join(k, id, first);
    }
}

static void join_functions(struct linker *k)
{
    struct module *m = k->m;
    words_init(&k->names, m->arena);
    for (u32 i = 0; i < m->func_n; i++)
        if (is_definition(&m->funcs[i])) func_define(k, i);
    for (u32 i = 0; i < m->func_n; i++) {
        const struct func *f = &m->funcs[i];
        if (f->has_body || f->alias != NO_INDEX || f->linkage == LINKAGE_LOCAL) continue;
        const struct word *w = words_find(&k->names, f->name, strlen(f->name));
        if (w && w->binding) func_join(k, i, w->binding - 1);
    }
}

/* ---- variables ---- */

static bool may_link(const struct symbol *s)
{
    return s->function == NO_INDEX && (s->space == SPACE_GLOBAL || s->space == SPACE_CONST) &&
           s->linkage != LINKAGE_LOCAL;
}

static void symbol_join(struct linker *k, u32 id, u32 to)
{
    struct symbol *from = &k->m->symbols[id];
    const struct symbol *target = &k->m->symbols[to];
    bool open = from->is_extern && !from->count;
    if (from->space != target->space || (!open && from->size_bytes != target->size_bytes)) {
        fail_at(k->fail, from->source, from->offset,
                "'%s' has another %s than in another module", from->name,
                from->space != target->space ? "state space" : "size");
        note_place(k, "there", target->source, target->offset);
        return;
    }
    from->alias = to;
    from->is_extern = true; /* the alias provides the memory */
}

static void symbol_define(struct linker *k, u32 id)
{
    struct symbol *s = &k->m->symbols[id];
    struct word *w = words_get(&k->names, s->name, strlen(s->name));
    if (!w->binding) {
        w->binding = id + 1;
        return;
    }
    u32 first = w->binding - 1;
    struct symbol *other = &k->m->symbols[first];
    if (is_strong(s->linkage) && is_strong(other->linkage)) {
        defined_twice(k, s->name, s->source, s->offset, other->source, other->offset);
    } else if (is_strong(s->linkage)) {
        symbol_join(k, first, id);
        w->binding = id + 1;
    } else {
        symbol_join(k, id, first);
    }
}

static void join_symbols(struct linker *k)
{
    struct module *m = k->m;
    words_init(&k->names, m->arena);
    for (u32 i = 0; i < m->symbol_n; i++)
        if (may_link(&m->symbols[i]) && !m->symbols[i].is_extern) symbol_define(k, i);
    for (u32 i = 0; i < m->symbol_n; i++) {
        const struct symbol *s = &m->symbols[i];
        if (!may_link(s) || !s->is_extern || s->alias != NO_INDEX) continue;
        const struct word *w = words_find(&k->names, s->name, strlen(s->name));
        if (w && w->binding) symbol_join(k, i, w->binding - 1);
    }
}

u32 symbol_resolved(const struct module *m, u32 symbol)
{
    for (u32 i = 0; i < 8 && m->symbols[symbol].alias != NO_INDEX; i++)
        symbol = m->symbols[symbol].alias;
    return symbol;
}

u32 func_resolved(const struct module *m, u32 func)
{
    for (u32 i = 0; i < 8 && m->funcs[func].alias != NO_INDEX; i++) func = m->funcs[func].alias;
    return func;
}

bool resolve_modules(struct module *m, struct fail *fail)
{
    struct linker k = {.m = m, .fail = fail};
    u32 before = fail->error_n;
    join_functions(&k);
    join_symbols(&k);
    return fail->error_n == before;
}

/* ---- places ---- */

static bool place(struct fail *fail, struct symbol *s, u64 *next, u64 limit)
{
    u64 at = round_up(*next, max_u32(s->align, 256));
    if (s->size_bytes > limit || at > limit - s->size_bytes) {
        fail_at(fail, s->source, s->offset, "no room for '%s' (%llu bytes)", s->name,
                (unsigned long long)s->size_bytes);
        return false;
    }
    s->place = at;
    *next = at + s->size_bytes + 256; /* a gap, to detect accesses out of bounds */
    return true;
}

/* Checks the total size of .const without padding or the gaps of corun's placement: the assembler
 * may reorder the variables. */
static bool fits_const(struct fail *fail, const struct symbol *s, u64 *bytes)
{
    *bytes += min_u64(s->size_bytes, CONST_BANK_BYTES + 1);
    if (*bytes <= CONST_BANK_BYTES) return true;
    fail_at(fail, s->source, s->offset, "no room for '%s' (%llu bytes): .const has %d bytes in all",
            s->name, (unsigned long long)s->size_bytes, CONST_BANK_BYTES);
    return false;
}

static bool place_variables(struct module *m, struct fail *fail)
{
    u64 global = m->place.global, constant = m->place.constant, constant_bytes = 0;
    bool ok = true;
    for (u32 i = 0; i < m->symbol_n; i++) {
        struct symbol *s = &m->symbols[i];
        if (s->is_extern || s->opaque) continue;
        if (s->space == SPACE_GLOBAL) ok &= place(fail, s, &global, GLOBAL_END);
        if (s->space == SPACE_CONST)
            ok &= fits_const(fail, s, &constant_bytes) &&
                  place(fail, s, &constant, CONST_BASE + WINDOW_BYTES);
    }
    return ok;
}

/* Places results and parameters of a function at the start of its frame, in order and aligned.
 * Caller and callee compute the same offsets from the signature. */
static void place_signature(struct module *m, struct signature *g)
{
    u64 at = 0;
    for (u32 i = 0; i < g->result_n + g->param_n; i++) {
        struct symbol *s = &m->symbols[g->symbol + i];
        at = round_up(at, s->align);
        s->place = at;
        at += s->size_bytes;
    }
    g->bytes = (u32)round_up(min_u64(at, UINT32_MAX / 2), 16);
}

static bool is_formal(const struct func *f, u32 symbol)
{
    return symbol - f->signature.symbol < f->signature.result_n + f->signature.param_n;
}

/* Marks .param variables passed by a call; any other .param variable in a body is an ordinary local
 * variable. */
static void find_passed(struct module *m, const struct func *f)
{
    for (u32 i = 0; i < f->stmt_n; i++) {
        const struct stmt *s = &f->stmts[i];
        if (s->form.op != OP_CALL || s->refused) continue;
        for (u32 list = 0; list < 3; list += 2) {
            const struct arg *a = &f->args[s->arg + list];
            for (u32 k = 0; k < a->n; k++) {
                const struct arg *part = &f->args[a->index + k];
                if (part->kind == ARG_SYMBOL) m->symbols[part->index].call = UNPLACED;
            }
        }
    }
}

/* Places a .param variable at the offset in the frame where the callee of its only call expects the
 * argument. */
static void place_argument(struct module *m, struct fail *fail, const struct func *f,
                           const struct arg *a, u64 place)
{
    struct symbol *s = &m->symbols[a->index];
    if (a->kind != ARG_SYMBOL) return;
    bool formal = is_formal(f, a->index);
    if (formal || (s->call != UNPLACED && s->place != place)) {
        fail_at(fail, f->source, a->offset,
                formal ? "parameter '%s' of the function cannot be passed on by name"
                       : "'%s' is passed at two different offsets: not supported",
                s->name);
        return;
    }
    s->call = a->offset;
    s->place = place;
}

static void place_arguments(struct module *m, struct fail *fail, const struct func *f)
{
    for (u32 i = 0; i < f->stmt_n; i++) {
        const struct stmt *s = &f->stmts[i];
        if (s->form.op != OP_CALL || s->refused) continue;
        const struct arg *a = f->args + s->arg;
        const struct signature *g = a[1].kind == ARG_FUNCTION ? &m->funcs[a[1].index].signature
                                                              : &m->prototypes[a[3].index];
        for (u32 k = 0; k < a[0].n + a[2].n; k++) {
            const struct arg *part = k < a[0].n ? &f->args[a[0].index + k]
                                                : &f->args[a[2].index + k - a[0].n];
            place_argument(m, fail, f, part, f->local_bytes + m->symbols[g->symbol + k].place);
        }
    }
}

static void place_formals(struct module *m, struct func *f)
{
    struct fail fail = {0};
    place_signature(m, &f->signature);
    f->local_bytes = f->is_kernel ? 0 : f->signature.bytes;
    if (f->signature.bytes <= PARAM_LIMIT) return;
    fail_at(&fail, f->source, f->offset, "'%s' has %u bytes of parameters; the limit is %u",
            f->name, f->signature.bytes, PARAM_LIMIT);
    func_refuse(m, f, &fail);
    fail_free(&fail);
}

static void place_local(struct module *m, struct func *f, struct symbol *s)
{
    u64 at = round_up(f->local_bytes, s->align);
    if (s->size_bytes > LOCAL_LIMIT || at + s->size_bytes > LOCAL_LIMIT) {
        struct fail fail = {0};
        fail_at(&fail, s->source, s->offset, "'%s': a thread has at most 512 KB of local memory",
                s->name);
        func_refuse(m, f, &fail);
        fail_free(&fail);
        return;
    }
    s->place = at;
    f->local_bytes = (u32)(at + s->size_bytes);
}

static void place_frames(struct module *m)
{
    for (u32 i = 0; i < m->func_n; i++) place_formals(m, &m->funcs[i]);
    for (u32 i = 0; i < m->prototype_n; i++) place_signature(m, &m->prototypes[i]);
    for (u32 i = 0; i < m->func_n; i++) find_passed(m, &m->funcs[i]);
    for (u32 i = 0; i < m->symbol_n; i++) {
        struct symbol *s = &m->symbols[i];
        if (s->space == SPACE_PARAM && s->call == NO_INDEX && s->function != NO_INDEX &&
            !is_formal(&m->funcs[s->function], i))
            s->space = SPACE_LOCAL;
        if (s->space != SPACE_LOCAL) continue;
        if (s->function == NO_INDEX) continue; /* rejected at its use */
        place_local(m, &m->funcs[s->function], s);
    }
    for (u32 i = 0; i < m->func_n; i++) {
        struct func *f = &m->funcs[i];
        struct fail fail = {0};
        f->local_bytes = (u32)round_up(f->local_bytes, 16);
        if (!f->refusal) place_arguments(m, &fail, f);
        if (fail.error_n) func_refuse(m, f, &fail);
        fail_free(&fail);
    }
}

static bool fill_address(struct module *m, struct fail *fail, struct symbol *s,
                         const struct fixup *x)
{
    u32 target = x->is_function ? func_resolved(m, x->target) : symbol_resolved(m, x->target);
    u64 value = x->is_function ? function_address(target) : m->symbols[target].place;
    const struct symbol *to = x->is_function ? NULL : &m->symbols[target];
    if (to && ((to->space != SPACE_GLOBAL && to->space != SPACE_CONST) || to->is_extern)) {
        fail_at(fail, s->source, x->offset,
                "the address of '%s' is not known before the kernel runs", to->name);
        return false;
    }
    if (!x->is_function) m->symbols[target].pointed = true;
    value = (value + (u64)x->addend) >> x->shift;
    if (x->size_bytes == 4 && value > UINT32_MAX) {
        fail_at(fail, s->source, x->offset, "the address does not fit into 32 bits");
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
        for (u32 k = 0; k < s->fixup_n; k++)
            ok &= fill_address(m, fail, s, &m->fixups[s->fixup + k]);
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
        struct symbol *s = &m->symbols[i];
        s->variable = NO_INDEX;
        if (s->is_extern || s->opaque || (s->space != SPACE_GLOBAL && s->space != SPACE_CONST))
            continue;
        s->variable = m->variable_n;
        m->variables[m->variable_n++] = (struct variable){.name = s->name,
                                                          .source = s->source,
                                                          .line = s->line,
                                                          .space = s->space,
                                                          .type = s->type,
                                                          .address = s->place,
                                                          .size_bytes = s->size_bytes,
                                                          .bytes = whole_bytes(m, s)};
    }
}

u64 ptx_reference_handle(const struct module *m, u32 index)
{
    return TEXTURE_REFERENCE + m->place.reference + index;
}

/* Assigns handles in the order of the text and lists the references. */
static void list_references(struct module *m)
{
    m->references = arena_array(m->arena, struct reference, m->symbol_n + 1);
    for (u32 i = 0; i < m->symbol_n; i++) {
        struct symbol *s = &m->symbols[i];
        if (s->is_extern || !s->opaque || s->space == SPACE_PARAM) continue;
        s->place = ptx_reference_handle(m, m->reference_n);
        m->references[m->reference_n++] = (struct reference){
            .name = s->name, .line = s->line, .kind = (u8)(s->opaque - 1), .sampler = s->sampler};
    }
}

bool link_module(struct module *m, struct fail *fail)
{
    if (!place_variables(m, fail)) return false;
    list_references(m);
    place_frames(m);
    if (!fill_addresses(m, fail)) return false;
    list_variables(m);
    return true;
}
