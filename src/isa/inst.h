/* The instruction format shared by all stages: `ptx/lower` creates instructions, `exec` binds the
 * `run` function of each, `chip/sm` issues them. All names are resolved once, at load time; at run
 * time an instruction holds byte offsets of register rows.
 *
 * A register row is 32 lanes x 4 bytes (128 bytes). A 64-bit register occupies two consecutive rows
 * and holds 32 u64. An 8- or 16-bit value occupies a 4-byte lane: readers use the low bits, writers
 * zero the rest, except cvt to .s8 and .s16, which sign-extends. A predicate is one u32 per warp,
 * bit = lane. */
#ifndef CORUN_INST_H
#define CORUN_INST_H

#include "base/base.h"

enum type { /* PTX fundamental types */
    T_NONE, T_PRED, T_B8, T_B16, T_B32, T_B64, T_U8, T_U16, T_U32, T_U64,
    T_S8, T_S16, T_S32, T_S64, T_F16, T_F16X2, T_F32, T_F64, T_BF16, T_BF16X2, T_B128,
    T_TF32, T_S4, T_U4, T_B1, TYPE_N
};
/* Returns the size of one element in bytes; 0 for T_PRED and for types below one byte. */
u32 type_bytes(enum type t);
const char *type_name(enum type t); /* Returns the PTX name without the dot, "u32". */

enum op {
    OP_NONE,
#define OP(id, ...) OP_##id,
#include "isa/op.def"
#undef OP
    OP_N
};

enum round {
    ROUND_NONE, ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA,
    ROUND_RNI, ROUND_RZI, ROUND_RMI, ROUND_RPI
};
enum compare {
    CMP_NONE, CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LO, CMP_LS, CMP_HI, CMP_HS,
    CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN
};
enum space {
    SPACE_NONE /* generic */, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM,
    SPACE_TEXTURE, /* global memory read through a texture, at no address of the program */
    SPACE_N
};
enum geometry { /* Shape of the texture or surface an instruction names. */
    GEOMETRY_NONE, GEOMETRY_1D, GEOMETRY_2D, GEOMETRY_3D, GEOMETRY_A1D, GEOMETRY_A2D,
    GEOMETRY_CUBE, GEOMETRY_ACUBE, GEOMETRY_N
};
enum cache_op {
    CACHE_NONE, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT, CACHE_NC
};

/* An opcode with its modifiers, as written. Form and operands together define the meaning of an
 * instruction. */
struct form {
    u16 op;      /* enum op */
    u8 type;     /* enum type of the operation; cvt, set: of the destination */
    u8 type2;    /* cvt, set, setp and others with two types: source type; else T_NONE */
    u8 round;    /* enum round */
    u8 compare;  /* enum compare: set, setp */
    /* Variant of the opcode: operation of atom, red and redux; mode of shfl, vote and match; kind
     * of barrier; property of testp; boolean operator of set and setp; half of mul and mad (lo, hi,
     * wide); shape and layout of a matrix. The enums are in isa.h and isa/matrix.h. */
    u8 sub;
    u8 space;    /* enum space */
    u8 cache;    /* enum cache_op */
    u8 vector;   /* elements of a vector ld, st or mov, or matrices of ldmatrix: 1, 2 or 4 */
    u8 geometry; /* enum geometry: tex, tld4, suld, sust, sured */
    u16 flags;   /* FLAG_* */
};
enum {
    FLAG_FTZ = 1, FLAG_SAT = 2, FLAG_APPROX = 4, FLAG_FULL = 8, FLAG_CC = 16 /* writes carry */,
    FLAG_UNI = 32, FLAG_VOLATILE = 64, FLAG_SATFINITE = 128, FLAG_WRAP = 256, FLAG_CLAMP = 512,
    FLAG_NAN = 1024, FLAG_NOFTZ = 2048, FLAG_NEGATE_C = 4096 /* setp, set, selp: operand c is !p */,
    FLAG_TO = 8192 /* cvta.to */, FLAG_ABS = 16384,
    /* Out-of-bounds surface access: FLAG_ZERO returns 0 for loads and drops stores, FLAG_CLAMP
     * accesses the edge; without either flag the kernel faults. */
    FLAG_ZERO = 32768
};

/* Execution unit of an instruction; control instructions go to SP. */
enum unit { UNIT_SP, UNIT_SFU, UNIT_MEM, UNIT_TENSOR, UNIT_N };

/* Latency class: the machine options give every class a latency and an initiation interval. */
enum cost { COST_INT_ADD, COST_INT_MAX, COST_INT_MUL, COST_INT_MAD, COST_INT_DIV,
            COST_FP_ADD, COST_FP_MAX, COST_FP_MUL, COST_FP_MAD, COST_FP_DIV,
            COST_DP_ADD, COST_DP_MAX, COST_DP_MUL, COST_DP_MAD, COST_DP_DIV, COST_SFU,
            COST_SHUFFLE, COST_OTHER, COST_TENSOR, COST_N = COST_TENSOR + 3 * 8 };
/* Operand class of a tensor product. TENSOR_F16 and TENSOR_F32 both multiply f16 and name the type
 * of the accumulator. The cost of a product is COST_TENSOR + class if a tensor unit needs one step,
 * TENSOR_N more for two steps, 2 * TENSOR_N more for four. */
enum tensor { TENSOR_F16, TENSOR_F32, TENSOR_BF16, TENSOR_TF32, TENSOR_INT8, TENSOR_INT4,
              TENSOR_BIT, TENSOR_F64, TENSOR_N };
/* Size of tables indexed by cost, a power of two: issue reads them for every instruction. */
enum { COST_ROOM = 64 };
_Static_assert((int)COST_N <= (int)COST_ROOM, "all have a place");
_Static_assert(COST_N == COST_TENSOR + 3 * (int)TENSOR_N, "classes times work");

/* An operand is the start of a row. Bit 31 clear: byte offset into the warp's registers of the
 * current frame. Bit 31 set: byte offset into the kernel's constants, where each immediate is
 * splatted over one row, or over two if 64 bits wide. Reading an operand needs no branch
 * (row_of). */
#define OPERAND_CONST 0x80000000u
#define OPERAND_ABSENT 0x7fffffffu /* operand not given, or the sink `_` */
enum { ROW_BYTES = LANES * 4 };
enum { PRED_NONE = 0xff }; /* no guard, no predicate operand */
enum { PC_NONE = UINT32_MAX };

enum { DST_MAX = 4, SRC_MAX = 5, MATRIX_SRC_MAX = 10, TEXTURE_SRC_MAX = 11 };
enum { AHEAD_MAX = 3, SCORE_MAX = 16, SCORE_STEP = 4 };

struct warp;
struct inst {
    /* Executes the instruction for the active lanes; see exec/warp.h. */
    void (*run)(struct warp *w, const struct inst *i);
    /* Operands in PTX order. Memory: src[0] is the address. Textures and surfaces have more sources
     * (aux): src[0] is the handle, src[1] the handle of a separate sampler, then the coordinates
     * and the remaining operands follow. */
    u32 dst[DST_MAX], src[SRC_MAX];
    u32 ahead[AHEAD_MAX]; /* rows of the first sources to prefetch; 0: none (exec.c) */
    /* Byte offset added to the address in src[0]. If src[0] is absent: the address, in local memory
     * relative to the frame. Other uses: see aux below and the end of isa.h. */
    s64 imm;
    struct form form;
    /* bra: pc of the branch target. call of a named function: pc of its entry. PC_NONE for brx and
     * indirect calls, which use aux. */
    u32 target;
    u32 reconverge;    /* bra, brx: pc of the immediate post-dominator; PC_NONE: the exit */
    u8 guard;          /* predicate index; PRED_NONE: always executed */
    bool guard_negated;
    u8 dst_pred, dst_pred2; /* setp p|q, shfl d|p, vote: predicate indices or PRED_NONE */
    /* Source predicate of selp, vote and bar.red, operand c of setp and set; FLAG_NEGATE_C
     * negates. */
    u8 src_pred;
    u8 unit, cost;     /* enum unit, enum cost */
    /* address_bytes: size of the address register, 4 or 8, of ld, st, atom, red, cvta, isspacep and
     * other instructions with an address; 0: none. register_bytes: size of the registers loaded or
     * stored by ld and st, 2, 4 or 8, possibly wider than form.type. */
    u8 address_bytes, register_bytes;
    u8 score_n;        /* scoreboard entries to wait for: sources, then destinations */
    u8 score_dst;      /* index in `score` of the first destination */
    u8 score_row_n;    /* number of register sources: they come first, predicate sources follow */
    /* A register entry is the row in the frame (offset / 128), for 64 bits the first row; a
     * predicate entry is the program's row_n + predicate. Copies of score[0] fill the array up to a
     * multiple of SCORE_STEP. */
    u16 score[SCORE_MAX];
    /* Number in the PTX register name (7 of %f7), for the entries of `score` that are rows. */
    u16 numbers[SCORE_MAX];
    u32 line;          /* line in the PTX text */
    /* mma, wmma.load, wmma.store, textures, surfaces: index in program.operands of the first
     * operand. call: index of the struct call_site. brx: index of the jump table; src[0] holds the
     * index into the table, imm its length. call, OP_BUILTIN: imm is the offset, in the caller's
     * frame of local memory, where the callee's frame begins: result, then parameters, naturally
     * aligned. */
    u32 aux;
};

struct param {       /* Parameter of a kernel; program.params lists them in order. */
    const char *name;
    u8 type;         /* enum type; T_B8 with count > 1: a struct by value */
    u32 count;       /* number of array elements, 1 for scalars */
    u32 offset, size_bytes, align;
};

/* A module variable that a kernel or its callees read or may write. */
struct use {
    u32 variable; /* index for ptx_variable */
    bool reads, writes;
};

/* Frame offsets of a call: from the caller's frame to the callee's, and the callee's entry. */
struct call_site {
    /* pc of the callee; PC_NONE: indirect through src[0], an index into program.functions */
    u32 target;
    /* Rows added to the register base: the callee's frame starts behind the caller's. */
    u32 frame_rows;
    u32 frame_preds;
    u32 frame_local_bytes; /* added to the local-memory frame base: see struct program */
};

/* A device function of the module. Its index in program.functions is its address; index 0 is the
 * null pointer. Functions that the kernel cannot reach have pc PC_NONE. */
struct function {
    const char *name;
    const struct source *source; /* PTX text that defines it */
    u32 pc, row_n, pred_n, frame_local_bytes;
};

/* Model: alloca has a stack of 1 KB per thread, the value of cudaLimitStackSize before a program
 * sets it (CUDA C++ Programming Guide); call frames do not count against the limit (guess). The
 * first STACK_HEAD bytes of the stack hold the number of bytes in use. */
enum { STACK_HEAD = 16, STACK_BYTES = 1024 };
/* system-reserved part of shared memory, in kernels that read its location */
enum { RESERVED_BYTES = 1024 };
enum { CODE_SPARE = 2 }; /* zeroed instructions behind the last, for prefetching ahead of the pc */

/* One kernel with every function it can reach, in one flat code array. Call arguments and results
 * (.param in device functions) are in local memory of the lane. The caller writes arguments behind
 * its own parameters and .local variables, where the callee's frame begins: callee's frame base =
 * caller's base + frame_local_bytes. The callee reads parameters at offsets from its base, 0 or
 * above, which linking has fixed. */
struct program {
    const char *name;
    /* Runs one instruction of a warp with the contract of warp_step. The front end sets the
     * function; for PTX exec_bind does. */
    void (*step)(struct warp *w, const struct inst *i);
    /* Set in copies by exec_note: the original program, whose step the noting step calls; else
     * NULL. */
    const struct program *noted;
    struct inst *code;
    u32 code_n;
    u32 entry;               /* pc of the kernel's first instruction */
    u8 *constants;           /* splatted rows; 64-byte aligned */
    u32 constant_bytes;
    /* Resources of a warp: rows and predicates of the deepest call chain, and number of nested
     * calls in the chain; recursion ends at a limit. */
    u32 row_n, pred_n, call_depth;
    u32 entry_row_n, entry_pred_n; /* of the kernel's own frame */
    u32 registers;           /* 32-bit registers per thread, from live-register analysis */
    /* Registers live where a warp may wait (first use of loaded data, barriers, waits for copies or
     * mbarriers), at most `registers`. */
    u32 waiting_registers;
    u32 shared_bytes;        /* static .shared */
    /* offset in .shared of the system-reserved part, %reserved_smem_offset_begin */
    u32 reserved_offset;
    /* per thread: frames of the deepest call chain, and the alloca stack */
    u32 local_bytes;
    /* Part of local_bytes needed by call chains up to 32 deep; the timing model keeps the memory of
     * all warps for this part close together. */
    u32 near_local_bytes;
    u32 frame_local_bytes;   /* of the kernel itself */
    u32 param_bytes;
    const struct param *params;
    u32 param_n;
    const struct use *uses;
    u32 use_n;
    bool copies;             /* the code contains cp.async */
    bool heap;               /* the code calls malloc or free */
    u32 stack_at;            /* start of the alloca stack in local memory; 0: no stack */
    u32 max_block_threads;   /* .maxntid product; 0: not given */
    u32 required_block[3];   /* .reqntid; 0: not given */
    const struct function *functions;
    u32 function_n;
    const struct call_site *calls;
    u32 call_n;
    /* jump tables of brx: pcs; the length is the imm of the instruction */
    const u32 *const *tables;
    u32 table_n;
    /* mma: four registers of a, two of b, four of c. wmma.load, wmma.store: number of the first
     * tile moved (isa/matrix.h), then the registers to store. Textures and surfaces: all sources,
     * in the order of inst.src. */
    const u32 *operands;
    u32 tensor;              /* classes of tensor product in the code, a bit per enum tensor */
    const struct source *source; /* PTX text, for messages */
};

#endif
