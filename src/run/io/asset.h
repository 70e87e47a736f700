/* Texts that are part of the binary, so that shipped machines and programs are found from any
 * working directory: every file named in gpus/list.def, workloads/list.def and
 * workloads/clones/list.def. The bytes come from assets.sh at build time. */
#ifndef CORUN_ASSET_H
#define CORUN_ASSET_H

#include "base/fail.h"

/* Path in the source tree: "gpus/maxwell16.yaml", "workloads/mm/kernel.ptx". false: none such. */
bool asset_find(const char *path, struct source *out);

/* The names of gpus/list.def in order; NULL past the end. */
const char *asset_gpu(u32 index);

/* Made by assets.sh: fills `out` when index is below the number of texts, which it returns. */
u32 asset_at(u32 index, struct source *out);

#endif
