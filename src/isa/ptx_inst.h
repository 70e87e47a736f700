/* What the execution of PTX needs of a program and of each of its instructions: `ptx/lower` creates
 * the instructions, `exec` binds the `run` function of each and runs them. All names are resolved
 * once, at load time; at run time an instruction holds byte offsets of register rows. Timing reads
 * none of this header: see inst.h.
 *
 * A register row (ROW_BYTES) is 32 lanes x 4 bytes. A 64-bit register occupies two consecutive rows
 * and holds 32 u64. An 8- or 16-bit value occupies a 4-byte lane: readers use the low bits, writers
 * zero the rest, except cvt to .s8 and .s16, which sign-extends. A predicate is one u32 per warp,
 * bit = lane. */
#ifndef CORUN_PTX_INST_H
#define CORUN_PTX_INST_H

#include "isa/inst.h"
#include "isa/type.h"

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
enum geometry { /* Shape of the texture or surface an instruction names. */
    GEOMETRY_NONE, GEOMETRY_1D, GEOMETRY_2D, GEOMETRY_3D, GEOMETRY_A1D, GEOMETRY_A2D,
    GEOMETRY_CUBE, GEOMETRY_ACUBE, GEOMETRY_N
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
    u32 flags;   /* FLAG_* */
};
enum {
    FLAG_FTZ = 1, FLAG_SAT = 2, FLAG_APPROX = 4, FLAG_FULL = 8, FLAG_CC = 16 /* writes carry */,
    FLAG_UNI = 32, FLAG_VOLATILE = 64, FLAG_SATFINITE = 128, FLAG_WRAP = 256, FLAG_CLAMP = 512,
    FLAG_NAN = 1024, FLAG_NOFTZ = 2048,
    FLAG_NEGATE_C = 4096 /* operand c is negated: !p in setp, set, selp; in fma not in PTX */,
    FLAG_TO = 8192 /* cvta.to */, FLAG_ABS = 16384,
    /* Out-of-bounds surface access: FLAG_ZERO returns 0 for loads and drops stores, FLAG_CLAMP
     * accesses the edge; without either flag the kernel faults. */
    FLAG_ZERO = 32768,
    FLAG_NEGATE_A = 65536 /* operand a of fma is negated; not in PTX */,
    FLAG_RELU = 1 << 17, FLAG_XORSIGN = 1 << 18
};

/* An operand is the start of a row. Bit 31 clear: byte offset into the warp's registers of the
 * current frame. Bit 31 set: byte offset into the kernel's constants, where each immediate is
 * splatted over one row, or over two if 64 bits wide. Reading an operand needs no branch
 * (row_of). */
#define OPERAND_CONST 0x80000000u
#define OPERAND_ABSENT 0x7fffffffu /* operand not given, or the sink `_` */
enum { PRED_NONE = 0xff }; /* no guard, no predicate operand */
enum { PC_NONE = UINT32_MAX };

enum { DST_MAX = 4, SRC_MAX = 5, MATRIX_SRC_MAX = 13, TEXTURE_SRC_MAX = 11,
       STEP_SRC_MAX = 13 };
enum { AHEAD_MAX = 3 };
_Static_assert((int)DST_MAX < (int)SCORE_DST_MAX, "registers, and a predicate");

struct ptx_inst {
    /* Executes the instruction for the active lanes; see exec/warp.h. */
    _Alignas(64) void (*run)(struct warp *w, const struct ptx_inst *i);
    u8 guard;          /* predicate index; PRED_NONE: always executed */
    bool guard_negated;
    u8 dst_pred, dst_pred2; /* setp p|q, shfl d|p, vote: predicate indices or PRED_NONE */
    /* Source predicate of selp, vote and bar.red, operand c of setp and set; FLAG_NEGATE_C
     * negates. */
    u8 src_pred;
    /* address_bytes: size of the address register, 4 or 8, of ld, st, atom, red, cvta, isspacep and
     * other instructions with an address; 0: none. register_bytes: size of the registers loaded or
     * stored by ld and st, 2, 4 or 8, possibly wider than form.type. */
    u8 address_bytes, register_bytes;
    /* An access to shared or global memory: the bytes are prefetched with the registers. */
    bool ahead_bytes;
    u32 ahead[AHEAD_MAX]; /* rows of the first sources to prefetch; 0: none (exec.c) */
    /* Operands in PTX order. Memory: src[0] is the address. Textures and surfaces have more sources
     * (aux): src[0] is the handle, src[1] the handle of a separate sampler, then the coordinates
     * and the remaining operands follow. */
    u32 dst[DST_MAX], src[SRC_MAX];
    /* Byte offset added to the address in src[0]. If src[0] is absent: the address, in local memory
     * relative to the frame. Other uses: see aux below and the end of isa.h. */
    s64 imm;
    struct form form;
    /* bra: pc of the branch target. call of a named function: pc of its entry. PC_NONE for brx and
     * indirect calls, which use aux. */
    u32 target;
    u32 reconverge;    /* bra, brx: pc of the immediate post-dominator; PC_NONE: the exit */
    /* mma, wgmma, wmma.load, wmma.store, textures, surfaces, copies of tensors: index
     * in ptx_program.operands of the first operand. call: index of the struct call_site. brx: index
     * of the jump table; src[0] holds the index into the table, imm its length. call, OP_BUILTIN:
     * imm is the offset, in the caller's frame of local memory, where the callee's frame begins:
     * result, then parameters, naturally aligned. */
    u32 aux;
    /* Instructions that execute before this one in the same step: a range of ptx_program.folded. */
    u32 folded, folded_n;
};
_Static_assert(offsetof(struct ptx_inst, imm) == 64, "arithmetic reads one cache line");

/* A module variable that a kernel or its callees read or may write. */
struct use {
    u32 variable; /* index for ptx_variable */
    bool reads, writes;
};

/* Frame offsets of a call: from the caller's frame to the callee's, and the callee's entry. */
struct call_site {
    /* pc of the callee; PC_NONE: indirect through src[0], an index into ptx_program.functions */
    u32 target;
    /* Rows added to the register base: the callee's frame starts behind the caller's. */
    u32 frame_rows;
    u32 frame_preds;
    u32 frame_local_bytes; /* added to the local-memory frame base: see struct program */
};

/* Source position of an instruction, from .loc. file NULL: not known. */
struct origin {
    const char *file;
    u32 line;
    u32 call_line;         /* in an inlined function: line of the call; 0: not inlined */
    const char *call_file; /* NULL: not inlined, or not known */
};

/* A device function of the module. Its index in ptx_program.functions is its address; index 0 is
 * the null pointer. Functions that the kernel cannot reach have pc PC_NONE. */
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
/* Call arguments and results (.param in device functions) are in local memory of the lane. The
 * caller writes arguments behind its own parameters and .local variables, where the callee's frame
 * begins: callee's frame base = caller's base + frame_local_bytes. The callee reads parameters at
 * offsets from its base, 0 or above, which linking has fixed. */
struct ptx_program {
    struct ptx_inst *code;   /* code[pc] belongs to the program's code[pc] */
    /* Instructions without an instruction in `program.code`: see expand.c. */
    struct ptx_inst *folded;
    u32 folded_n;
    const struct origin *origins; /* [pc]; NULL: the text has no .loc */
    u8 *constants;           /* splatted rows; 64-byte aligned */
    u32 constant_bytes;
    /* Number of nested calls in the deepest call chain; recursion ends at a limit. */
    u32 call_depth;
    u32 entry_row_n, entry_pred_n; /* rows and predicates of the kernel's own frame */
    /* offset in .shared of the system-reserved part, %reserved_smem_offset_begin */
    u32 reserved_offset;
    u32 frame_local_bytes;   /* of the kernel itself */
    const struct use *uses;
    u32 use_n;
    u32 stack_at;            /* start of the alloca stack in local memory; 0: no stack */
    const struct function *functions;
    u32 function_n;
    const struct call_site *calls;
    u32 call_n;
    /* jump tables of brx: pcs; the length is the imm of the instruction */
    const u32 *const *tables;
    u32 table_n;
    /* mma: four registers each of a, b and c, then the metadata of mma.sp. wmma.load, wmma.store:
     * number of the first tile moved (isa/matrix.h), then the registers to store. wgmma: the sums,
     * then the metadata. Textures, surfaces and copies of tensors: all sources, in the order of
     * ptx_inst.src. */
    const u32 *operands;
};

#endif
