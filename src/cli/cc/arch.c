#include "cli/cc/arch.h"

#include <string.h>

enum { ARCH_DEFAULT = 75 };

/* Parses the value of -arch. native, all and all-major leave *out unchanged. */
static bool read_arch(const char *value, struct ptx_arch *out)
{
    static const char *const defaults[] = {"native", "all", "all-major"};
    for (u32 i = 0; i < COUNT_OF(defaults); i++)
        if (!strcmp(value, defaults[i])) return true;
    bool prefixed = !strncmp(value, "sm_", 3) || !strncmp(value, "compute_", 8);
    return prefixed && !strpbrk(value, " \t,/") && ptx_arch_parse(value, out);
}

/* Parses the value of -gencode: arch=compute_NN, then optionally ",code=...". */
static bool read_gencode(const char *value, struct ptx_arch *out)
{
    struct text arch = {0};
    value += strspn(value, "\"'");
    if (strncmp(value, "arch=", 5)) return false;
    value += 5;
    size_t n = strcspn(value, ",\"'");
    text_add(&arch, "%.*s", (int)n, value);
    bool ok = (!value[n] || !strncmp(value + n, ",code=", 6) || !value[n + 1]) &&
              read_arch(text_get(&arch), out);
    text_free(&arch);
    return ok;
}

bool arch_choose(const struct nvcc *o, struct ptx_arch *out, struct fail *fail)
{
    *out = (struct ptx_arch){0, '\0'};
    for (u32 i = 0; i < o->n; i++) {
        const struct nvcc_row *row = o->at[i].row;
        const char *value = o->at[i].value;
        bool gencode = row->effect == CC_GENCODE;
        if (!gencode && row->effect != CC_ARCH) continue;
        struct ptx_arch found = {ARCH_DEFAULT, '\0'};
        if (gencode ? read_gencode(value, &found) : read_arch(value, &found)) {
            bool newer = found.number > out->number ||
                         (found.number == out->number && found.suffix);
            if (newer) *out = found;
            continue;
        }
        struct source source = {COMMAND_LINE, value, strlen(value)};
        fail_at(fail, &source, 0, "%s is '%s', expected %s", row->flag, value,
                gencode ? "arch=compute_NN,code=sm_NN" : "sm_NN or compute_NN");
        return false;
    }
    if (!out->number) out->number = ARCH_DEFAULT;
    return true;
}
