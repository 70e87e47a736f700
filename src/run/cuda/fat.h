/* Fat binaries, as compilers embed them in CUDA programs: finding the entries, and selecting the
 * PTX text for a device among the texts for several architectures. */
#ifndef CORUN_FAT_H
#define CORUN_FAT_H

#include "base/text.h"

/* Returns the size in bytes of the fat binary at the beginning of n bytes; 0: damaged. */
size_t fat_size(const u8 *bytes, size_t n);

struct ptx_arch {
    u32 number;  /* 90: sm_90; 0: none */
    char suffix; /* 'a': runs on sm_`number` only; 'f': on later devices of the family; 0: on all
                  * later devices */
};
/* Parses 90, sm_90a or compute_90. false: the text names no architecture. */
bool ptx_arch_parse(const char *text, struct ptx_arch *out);
void ptx_arch_show(struct ptx_arch arch, struct text *out); /* appends the name, as in sm_90a */

struct fat_want {
    u32 capability;        /* compute capability of the device times 10: 75 for 7.5 */
    struct ptx_arch asked; /* architecture chosen by the user, for any device; number 0: none */
};
enum fat_result { FAT_TAKEN, FAT_NOT_FOR_DEVICE, FAT_DAMAGED, FAT_REFUSED };
/* Selects the PTX of the architecture chosen by the user, or else of the highest architecture the
 * device can run. Returns FAT_TAKEN with the text in `ptx`. Otherwise `why` is a sentence, and the
 * result is FAT_NOT_FOR_DEVICE if the device can run none of the texts, FAT_DAMAGED if the fat
 * binary is damaged, or FAT_REFUSED if the fat binary has no PTX, has none of the architecture
 * chosen by the user, or has machine code for the device and PTX only for other devices. */
enum fat_result fat_ptx(const u8 *bytes, size_t n, const struct fat_want *want, struct text *ptx,
                        struct ptx_arch *arch, struct text *why);

/* Returns the offset of the next fat binary in a file (executable, object or archive) at or after
 * byte `from`; n if there are no more. */
size_t fat_find(const u8 *bytes, size_t n, size_t from);

/* Reads the next PTX entry of a fat binary and advances *at, initially 0. false: no more entries,
 * or the fat binary is damaged and `why` holds a sentence. */
bool fat_next(const u8 *bytes, size_t n, size_t *at, struct text *ptx, u32 *arch,
              struct text *why);

/* Appends the machine code that a device would execute: of the highest architecture among those of
 * its major capability. false: the fat binary has none, or is damaged. */
bool fat_code(const u8 *bytes, size_t n, u32 capability, struct text *code);

/* Appends a fat binary with one entry: the uncompressed PTX text for sm_`arch`. relocatable: the
 * run-time library links the text with the other relocatable texts of the program. */
void fat_write(u32 arch, bool relocatable, const char *ptx, size_t n, struct text *out);

#endif
