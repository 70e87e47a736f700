/* Fat binaries, as compilers put them into CUDA programs: the PTX text in one. */
#ifndef CORUN_FAT_H
#define CORUN_FAT_H

#include "base/text.h"

/* How many of n bytes the fat binary at their beginning has; 0: it is damaged. */
size_t fat_size(const u8 *bytes, size_t n);

/* The PTX for the highest architecture. false: there is none, and `why` says so, or what is wrong.
 * `arch`: 75 for sm_75. */
bool fat_ptx(const u8 *bytes, size_t n, struct text *ptx, u32 *arch, struct text *why);

/* A fat binary with one entry, the PTX text for sm_`arch` as it stands. */
void fat_write(u32 arch, const char *ptx, size_t n, struct text *out);

#endif
