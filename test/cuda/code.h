/* Machine code of a kernel as far as corun reads the code: an ELF file without instructions that
 * states the kernel's registers per thread. */
#ifndef TEST_CODE_H
#define TEST_CODE_H

#include <elf.h>
#include <string.h>

enum { CODE_KERNEL_BYTES = 32 };
struct code {
    Elf64_Ehdr file;
    Elf64_Shdr sections[5];
    char section_names[40], symbol_names[CODE_KERNEL_BYTES + 1];
    Elf64_Sym symbols[2];
    struct {
        unsigned char format, kind;
        unsigned short bytes;
        unsigned symbol, value;
    } info[2];
};

static inline void code_make(struct code *c, const char *kernel, unsigned registers)
{
    enum { SECTION_NAMES = 1, SYMBOL_NAMES, SYMBOLS, INFO, FORMAT_SIZED = 4, FRAME = 0x11,
           REGISTERS = 0x2f };
    static const char names[] = "\0.names\0.strtab\0.symtab\0.nv.info";
    memset(c, 0, sizeof *c);
    memcpy(c->file.e_ident, ELFMAG, SELFMAG);
    c->file.e_ident[EI_CLASS] = ELFCLASS64;
    c->file.e_type = ET_EXEC;
    c->file.e_machine = EM_CUDA;
    c->file.e_shoff = offsetof(struct code, sections);
    c->file.e_shentsize = sizeof(Elf64_Shdr);
    c->file.e_shnum = 5;
    c->file.e_shstrndx = SECTION_NAMES;
#define SECTION(index, name, field, link)                                                          \
    c->sections[index] = (Elf64_Shdr){.sh_name = name, .sh_type = SHT_PROGBITS,                    \
                                      .sh_offset = offsetof(struct code, field),                   \
                                      .sh_size = sizeof c->field, .sh_link = link}
    SECTION(SECTION_NAMES, 1, section_names, 0);
    SECTION(SYMBOL_NAMES, 8, symbol_names, 0);
    SECTION(SYMBOLS, 16, symbols, SYMBOL_NAMES);
    SECTION(INFO, 24, info, SYMBOLS);
#undef SECTION
    memcpy(c->section_names, names, sizeof names);
    strncpy(c->symbol_names + 1, kernel, CODE_KERNEL_BYTES - 1);
    c->symbols[1].st_name = 1;
    c->info[0].format = c->info[1].format = FORMAT_SIZED;
    c->info[0].kind = FRAME;
    c->info[1].kind = REGISTERS;
    c->info[0].bytes = c->info[1].bytes = 8;
    c->info[0].symbol = c->info[1].symbol = 1;
    c->info[0].value = 200;
    c->info[1].value = registers;
}

#endif
