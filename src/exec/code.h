/* The code of a program of PTX, as the run functions see it. */
#ifndef CORUN_CODE_H
#define CORUN_CODE_H

#include "exec/warp.h"
#include "isa/ptx_inst.h"

/* Return the execution part of the instruction at pc, of the instruction at the warp's pc, and the
 * pc of an instruction. */
static inline const struct ptx_inst *ptx_at(const struct warp *w, u32 pc)
{
    return &w->program->ptx->code[pc];
}
static inline const struct ptx_inst *ptx_next(const struct warp *w) { return ptx_at(w, w->pc); }
static inline u32 ptx_pc(const struct warp *w, const struct ptx_inst *i)
{
    return (u32)(i - w->program->ptx->code);
}

#endif
