/* Several modules become one: what one of them declares .extern is what another defines. Asked by
 * ptx_link when all texts are parsed, each into the same lists; afterwards a declaration's `alias`
 * is its definition. Source: PTX ISA manual, linking directives. */
#include "ptx/module.h"

#include <string.h>

#include "ptx/lex.h"

struct linker {
    struct module *m;
    struct fail *fail;
    struct words names; /* of what is visible: binding is the index plus one */
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

/* f stands for `to` from now on. */
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
    from->is_extern = true; /* it has no place of its own */
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
