#include "ptx/module.h"

const struct family *func_family(const struct func *f, u32 reg)
{
    u32 low = 0, high = f->family_n;
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (f->families[middle].first <= reg) low = middle;
        else high = middle;
    }
    return &f->families[low];
}

void ptx_contract(struct module *m) { m->contract = true; }
void ptx_expand(struct module *m, u32 capability) { m->expand = capability; }
void ptx_estimate(struct module *m, u32 full, u32 capability)
{
    m->full_registers = full;
    m->capability = capability;
}

u32 symbol_elements(const struct symbol *s)
{
    u32 bytes = type_bytes((enum type)s->type);
    return s->count == 1 && bytes ? (u32)s->size_bytes / bytes : 1;
}

void func_register_name(const struct func *f, u32 reg, struct text *out)
{
    const struct family *family = func_family(f, reg);
    u32 at = reg - family->first, n = family->elements;
    text_add(out, "%s", family->name);
    if (family->numbered) text_add(out, "%u", at / n);
    if (n > 1) text_add(out, ".%c", "xyzw"[at % n]);
}

void func_refuse(struct module *m, struct func *f, const struct fail *why)
{
    struct text all = {0};
    text_add(&all, "%s%s", f->refusal ? f->refusal : "", text_get(&why->text));
    f->refusal = arena_text(m->arena, text_get(&all), all.size);
    f->refusal_n += why->error_n;
    text_free(&all);
}

static bool same_formal(const struct symbol *a, const struct symbol *b)
{
    return a->space == b->space && a->type == b->type && a->align == b->align &&
           a->count == b->count && a->size_bytes == b->size_bytes;
}

bool func_same_shape(const struct module *m, const struct func *a, const struct func *b)
{
    const struct signature *x = &a->signature, *y = &b->signature;
    bool same = x->result_n == y->result_n && x->param_n == y->param_n &&
                a->is_kernel == b->is_kernel;
    for (u32 i = 0; same && i < x->result_n + x->param_n; i++)
        same = same_formal(&m->symbols[x->symbol + i], &m->symbols[y->symbol + i]);
    return same;
}
