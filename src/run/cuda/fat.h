/* Fat binaries, as compilers put them into CUDA programs: the PTX text that a device takes of one,
 * among those for several architectures. */
#ifndef CORUN_FAT_H
#define CORUN_FAT_H

#include "base/text.h"

/* How many of n bytes the fat binary at their beginning has; 0: it is damaged. */
size_t fat_size(const u8 *bytes, size_t n);

struct ptx_arch {
    u32 number;  /* 90: sm_90; 0: none */
    char suffix; /* 'a': for this device only; 'f': for its family; 0: for later devices, too */
};
/* Reads 90, sm_90a, compute_90. false: the text names no architecture. */
bool ptx_arch_parse(const char *text, struct ptx_arch *out);
void ptx_arch_show(struct ptx_arch arch, struct text *out); /* sm_90a */

struct fat_want {
    u32 capability;        /* of the device, 75: 7.5 */
    struct ptx_arch asked; /* by the user, whatever the device */
};
enum fat_result { FAT_TAKEN, FAT_NOT_FOR_DEVICE, FAT_REFUSED };
/* The PTX that was asked for, else the one for the highest architecture whose code the device can
 * run. `why`: a sentence, when none is taken; FAT_REFUSED: the fat binary is damaged, or lacks PTX
 * or what was asked for. */
enum fat_result fat_ptx(const u8 *bytes, size_t n, const struct fat_want *want, struct text *ptx,
                        struct ptx_arch *arch, struct text *why);

/* Where the next fat binary of a file lies, from byte `from` on: of an executable, an object, an
 * archive. Returns n after the last. */
size_t fat_find(const u8 *bytes, size_t n, size_t from);

/* Each PTX of a fat binary: *at is 0 for the first and moves behind. false: no more, or `why` says
 * what is wrong. */
bool fat_next(const u8 *bytes, size_t n, size_t *at, struct text *ptx, u32 *arch,
              struct text *why);

/* A fat binary with one entry, the PTX text for sm_`arch` as it stands. */
void fat_write(u32 arch, const char *ptx, size_t n, struct text *out);

#endif
