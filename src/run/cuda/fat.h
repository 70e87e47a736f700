/* Fat binaries, as compilers put them into CUDA programs: the PTX text in one. */
#ifndef CORUN_FAT_H
#define CORUN_FAT_H

#include "base/text.h"

/* How many of n bytes the fat binary at their beginning has; 0: it is damaged. */
size_t fat_size(const u8 *bytes, size_t n);

/* The PTX for the highest architecture. false: there is none, and `why` says so, or what is wrong.
 * `arch`: 75 for sm_75. */
bool fat_ptx(const u8 *bytes, size_t n, struct text *ptx, u32 *arch, struct text *why);

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
