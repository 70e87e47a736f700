#include "run/cuda/cubin.h"

#include <elf.h>
#include <string.h>

/* Section .nv.info: a list of attributes, each a format, a kind, and 16 bits that are the value or
 * the size of a following value. REGCOUNT has a symbol and registers for each function. Source:
 * cubins of nvcc 13 beside the figures of ptxas -v and nvlink -v. */
enum { FORMAT_SIZED = 4, REGCOUNT = 0x2f, REGISTERS_MOST = 255 };
struct attribute {
    u8 format, kind;
    u16 bytes; /* FORMAT_SIZED: size of the following value; other formats: the value */
};
struct regcount {
    u32 symbol, registers;
};

struct part {
    const u8 *bytes;
    size_t n;
};

static struct part part_of(struct part all, u64 at, u64 n)
{
    bool inside = at <= all.n && n <= all.n - at;
    return inside ? (struct part){all.bytes + at, n} : (struct part){0};
}

/* Copies element `index` of an array. false: beyond the end. */
static bool element(struct part array, u64 index, void *out, size_t bytes)
{
    if (index >= array.n / bytes) return false;
    memcpy(out, array.bytes + index * bytes, bytes);
    return true;
}

struct elf {
    struct part all, sections;
};

static bool elf_open(struct elf *elf)
{
    Elf64_Ehdr h;
    if (!element(elf->all, 0, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
        h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != EM_CUDA || h.e_type != ET_EXEC ||
        h.e_shentsize != sizeof(Elf64_Shdr))
        return false;
    elf->sections = part_of(elf->all, h.e_shoff, (u64)h.e_shnum * sizeof(Elf64_Shdr));
    return elf->sections.n;
}

/* Returns the contents of section `index`, and its link to another section. */
static struct part section(const struct elf *elf, u32 index, u32 *link)
{
    Elf64_Shdr h;
    if (!element(elf->sections, index, &h, sizeof h) || h.sh_type == SHT_NOBITS)
        return (struct part){0};
    if (link) *link = h.sh_link;
    return part_of(elf->all, h.sh_offset, h.sh_size);
}

/* True if a string table holds `text` at byte `at`. */
static bool is_text(struct part strings, u64 at, const char *text)
{
    size_t n = strlen(text) + 1;
    struct part there = part_of(strings, at, n);
    return there.n && !memcmp(there.bytes, text, n);
}

/* Returns section .nv.info, with facts about all functions, and the index of the symbol table. */
static struct part info_of(const struct elf *elf, u32 *symbols)
{
    Elf64_Ehdr file;
    Elf64_Shdr h;
    memcpy(&file, elf->all.bytes, sizeof file);
    struct part names = section(elf, file.e_shstrndx, NULL);
    for (u32 i = 0; element(elf->sections, i, &h, sizeof h); i++)
        if (is_text(names, h.sh_name, ".nv.info")) return section(elf, i, symbols);
    return (struct part){0};
}

static bool is_symbol(const struct elf *elf, u32 symbols, u32 index, const char *name)
{
    Elf64_Sym symbol;
    u32 strings = 0;
    return element(section(elf, symbols, &strings), index, &symbol, sizeof symbol) &&
           is_text(section(elf, strings, NULL), symbol.st_name, name);
}

u32 cubin_registers(const u8 *bytes, size_t n, const char *kernel)
{
    struct elf elf = {.all = {bytes, n}};
    struct attribute a;
    struct regcount r;
    u32 symbols = 0;
    if (!elf_open(&elf)) return 0;
    struct part info = info_of(&elf, &symbols);
    for (u64 at = 0; element(part_of(info, at, sizeof a), 0, &a, sizeof a);) {
        at += sizeof a;
        if (a.format != FORMAT_SIZED) continue;
        struct part value = part_of(info, at, a.bytes);
        at += a.bytes;
        if (a.kind == REGCOUNT && element(value, 0, &r, sizeof r) && r.registers &&
            r.registers <= REGISTERS_MOST && is_symbol(&elf, symbols, r.symbol, kernel))
            return r.registers;
    }
    return 0;
}
