/* The data types of PTX. */
#ifndef CORUN_TYPE_H
#define CORUN_TYPE_H

#include "base/base.h"

enum type { /* PTX fundamental types, and those of instructions */
    T_NONE, T_PRED, T_B8, T_B16, T_B32, T_B64, T_U8, T_U16, T_U32, T_U64,
    T_S8, T_S16, T_S32, T_S64, T_F16, T_F16X2, T_F32, T_F64, T_BF16, T_BF16X2, T_B128,
    T_TF32, T_S4, T_U4, T_B1, T_S2, T_U2, T_S16X2, T_U16X2, T_F32X2, T_E4M3, T_E5M2,
    T_E4M3X2, T_E5M2X2, T_E2M3X2, T_E3M2X2, T_E2M1X2, T_UE8M0X2, TYPE_N
};
/* Returns the size of one element in bytes; 0 for T_PRED and for types below one byte. */
u32 type_bytes(enum type t);
const char *type_name(enum type t); /* Returns the PTX name without the dot, "u32". */

#endif
