#include "run/cuda/binary.h"

#include <elf.h>
#include <string.h>

#include "cuda/wire.h"

/* Every CUDA runtime contains the names of its errors. */
static const char its_error[] = "cudaErrorInsufficientDriver";

struct bytes {
    const char *at;
    size_t n;
};

static struct bytes part(struct bytes of, u64 from, u64 n)
{
    if (from > of.n || n > of.n - from) return (struct bytes){0};
    return (struct bytes){of.at + from, n};
}

/* Returns the string at offset `from` of a string table; "" if the offset is outside the table or
 * the string is not terminated. */
static const char *word(struct bytes texts, u64 from)
{
    struct bytes rest = from < texts.n ? part(texts, from, texts.n - from) : (struct bytes){0};
    return rest.n && memchr(rest.at, 0, rest.n) ? rest.at : "";
}

static bool section(struct bytes file, const Elf64_Ehdr *head, u64 i, Elf64_Shdr *out)
{
    struct bytes row = part(file, head->e_shoff + i * sizeof *out, sizeof *out);
    if (!row.n || i >= head->e_shnum) return false;
    memcpy(out, row.at, sizeof *out);
    return true;
}

static struct bytes section_bytes(struct bytes file, const Elf64_Ehdr *head, u64 i)
{
    Elf64_Shdr s;
    return section(file, head, i, &s) ? part(file, s.sh_offset, s.sh_size) : (struct bytes){0};
}

static bool needs_cuda(struct bytes dynamic, struct bytes names)
{
    Elf64_Dyn d;
    for (size_t at = 0; dynamic.n - at >= sizeof d; at += sizeof d) {
        memcpy(&d, dynamic.at + at, sizeof d);
        const char *name = d.d_tag == DT_NEEDED ? word(names, d.d_un.d_val) : "";
        if (!strncmp(name, "libcudart.", 10) || !strncmp(name, "libcuda.", 8)) return true;
    }
    return false;
}

bool binary_has_foreign_run_time(const char *bytes, size_t n)
{
    struct bytes file = {bytes, n};
    Elf64_Ehdr head;
    Elf64_Shdr s;
    if (n < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64) return false;
    struct bytes names = section_bytes(file, &head, head.e_shstrndx);
    bool kernels = false;
    for (u64 i = 0; section(file, &head, i, &s); i++) {
        kernels |= !strcmp(word(names, s.sh_name), ".nv_fatbin");
        if (s.sh_type == SHT_DYNAMIC &&
            needs_cuda(part(file, s.sh_offset, s.sh_size), section_bytes(file, &head, s.sh_link)))
            return false;
    }
    return kernels && memmem(bytes, n, its_error, sizeof its_error) &&
           !memmem(bytes, n, WIRE_VARIABLE, sizeof WIRE_VARIABLE);
}
