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

void func_register_name(const struct func *f, u32 reg, struct text *out)
{
    const struct family *family = func_family(f, reg);
    if (family->numbered) text_add(out, "%s%u", family->name, reg - family->first);
    else text_add(out, "%s", family->name);
}

void func_refuse(struct module *m, struct func *f, const struct fail *why)
{
    struct text all = {0};
    text_add(&all, "%s%s", f->refusal ? f->refusal : "", text_get(&why->text));
    f->refusal = arena_text(m->arena, text_get(&all), all.size);
    f->refusal_n += why->error_n;
    text_free(&all);
}
