/* Calls of the functions available to every CUDA program: vprintf, __assertfail, malloc and free,
 * cudaGraphSetConditional; and the alloca stack. Text goes to the app's printer, one piece per
 * lane, in lane order. Bound by exec_bind. Source: CUDA programming guide, formatted output,
 * dynamic global memory allocation, conditional graph nodes; PTX ISA manual, stack manipulation.
 *
 * Arguments are in the caller's outgoing frame. Arguments of printf are naturally aligned in the
 * buffer given by the second parameter of vprintf. */
#include <stdio.h>

#include "base/text.h"
#include "exec/lanes.h"
#include "exec/output.h"
#include "exec/store_buffer.h"
#include "isa/isa.h"

enum { STRING_MAX = 1 << 20, WIDTH_MAX = 4096 };

struct print {              /* call of one lane */
    const struct warp *w;
    u32 lane, arg_n;
    u64 next;               /* generic address of the next argument */
    u64 bad, bad_bytes;     /* address and size of a failed read; bytes 0: none */
    struct text out;
};

struct spec {               /* %[flags][width][.precision][length]conversion */
    char flags[6];
    u32 flag_n;
    s32 width, precision;   /* -1: not given */
    u32 long_n, half_n;     /* l or ll (also z, j, t: 2), h or hh */
    char conversion;
};

static u64 print_read(struct print *p, u64 address, u32 n)
{
    const u8 *bytes = access_bytes(p->w, p->lane, address, n);
    u64 value = 0;
    if (bytes) {
        load_bytes(p->w, bytes, n, &value);
    } else if (!p->bad_bytes) {
        p->bad = address;
        p->bad_bytes = n;
    }
    return value;
}

static u64 print_arg(struct print *p, u32 n)
{
    p->next = round_up(p->next, n);
    u64 value = print_read(p, p->next, n);
    p->next += n;
    p->arg_n++;
    return value;
}

static void print_string(struct print *p, u64 address, u64 most, struct text *to)
{
    for (u64 k = 0; k < most && !p->bad_bytes; k++) {
        char c = (char)print_read(p, address + k, 1);
        if (!c) return;
        text_put(to, &c, 1);
    }
}

/* ---- format ---- */

static s32 spec_number(struct print *p, const char **at)
{
    if (**at == '*') {
        ++*at;
        s32 value = (s32)(u32)print_arg(p, 4);
        return value > WIDTH_MAX ? WIDTH_MAX : value < -WIDTH_MAX ? -WIDTH_MAX : value;
    }
    s32 value = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value > WIDTH_MAX ? WIDTH_MAX : value * 10 + (**at - '0');
    return value > WIDTH_MAX ? WIDTH_MAX : value;
}

static void spec_flag(struct spec *s, char c)
{
    if (s->flag_n < sizeof s->flags - 1 && !memchr(s->flags, c, s->flag_n))
        s->flags[s->flag_n++] = c;
}

/* Parses a directive. at: behind the '%'. Returns the position behind the conversion. */
static const char *spec_parse(struct print *p, const char *at, struct spec *s)
{
    *s = (struct spec){.width = -1, .precision = -1};
    for (; *at && strchr("-+ #0", *at); at++) spec_flag(s, *at);
    if (*at == '*' || (*at >= '1' && *at <= '9')) s->width = spec_number(p, &at);
    if (s->width < -1) {
        spec_flag(s, '-');
        s->width = -s->width;
    }
    if (*at == '.') {
        at++;
        s->precision = spec_number(p, &at);
    }
    for (; *at && strchr("lhzjtL", *at); at++) {
        if (*at == 'h')
            s->half_n++;
        else
            s->long_n += *at == 'l' ? 1 : 2;
    }
    s->conversion = *at;
    return *at ? at + 1 : at;
}

/* Builds the same directive for the host's printf, with the host's length modifier. */
static void spec_host(const struct spec *s, const char *length, char conversion, char out[64])
{
    char width[16] = "", precision[16] = "";
    if (s->width >= 0) snprintf(width, sizeof width, "%d", s->width);
    if (s->precision >= 0) snprintf(precision, sizeof precision, ".%d", s->precision);
    snprintf(out, 64, "%%%s%s%s%s%c", s->flags, width, precision, length, conversion);
}

static s64 integer_arg(struct print *p, const struct spec *s, bool is_signed)
{
    if (s->long_n) return (s64)print_arg(p, 8);
    u32 value = (u32)print_arg(p, 4);
    if (s->half_n == 1) return is_signed ? (s16)value : (u16)value;
    if (s->half_n > 1) return is_signed ? (s8)value : (u8)value;
    return is_signed ? (s64)(s32)value : (s64)value;
}

static void spec_print(struct print *p, const struct spec *s)
{
    static const char null[] = "(null)"; /* as printed by the host's printf for a null pointer */
    char host[64];
    char c = s->conversion;
    switch (c) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': {
        spec_host(s, "ll", c, host);
        text_add(&p->out, host, (long long)integer_arg(p, s, c == 'd' || c == 'i'));
        return;
    }
    case 'c':
        spec_host(s, "", c, host);
        text_add(&p->out, host, (int)(u8)print_arg(p, 4));
        return;
    case 'p': { /* hexadecimal even for a null pointer */
        char hex[24];
        snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)print_arg(p, 8));
        spec_host(s, "", 's', host);
        text_add(&p->out, host, hex);
        return;
    }
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
        spec_host(s, "", c, host);
        text_add(&p->out, host, double_of(print_arg(p, 8)));
        return;
    case 's': {
        struct text string = {0};
        u64 most = s->precision >= 0 ? (u64)s->precision : STRING_MAX, at = print_arg(p, 8);
        if (at || p->bad_bytes) print_string(p, at, most, &string);
        else if (most >= strlen(null)) text_add(&string, "%s", null); /* whole or not at all */
        spec_host(s, "", c, host);
        text_add(&p->out, host, text_get(&string));
        text_free(&string);
        return;
    }
    case '%': text_put(&p->out, "%", 1); return;
    default: /* conversion not in the guide: printed literally */
        text_put(&p->out, "%", 1);
        if (c) text_put(&p->out, &c, 1);
    }
}

static void print_format(struct print *p, const char *format)
{
    for (const char *at = format; *at && !p->bad_bytes;) {
        size_t plain = strcspn(at, "%");
        text_put(&p->out, at, plain);
        at += plain;
        if (!*at) break;
        struct spec s;
        at = spec_parse(p, at + 1, &s);
        spec_print(p, &s);
    }
}

/* ---- calls ---- */

/* Returns n bytes of the outgoing frame. NULL: out of local memory, reported as a fault. */
static u8 *frame_of(struct warp *w, const struct ptx_inst *i, u32 lane, u64 n)
{
    u8 *frame = access_local(w, lane, w->local_base + (u64)i->imm, n);
    if (!frame) warp_fault(w, i, lane, "call stack overflow");
    return frame;
}

static u64 frame_u64(const u8 *frame, u32 offset)
{
    u64 value;
    memcpy(&value, frame + offset, sizeof value);
    return value;
}

static void fault_at(struct warp *w, const struct ptx_inst *i, u32 lane, u64 address, u64 n)
{
    warp_fault(w, i, lane, "out-of-bounds load by printf");
    w->effect->fault.address = address;
    w->effect->fault.size_bytes = (u32)n;
}

/* int vprintf(const char *format, void *arguments): returns the number of arguments consumed. */
static void run_vprintf(struct warp *w, const struct ptx_inst *i)
{
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        u8 *frame = frame_of(w, i, lane, 24);
        if (!frame) return;
        struct print p = {.w = w, .lane = lane, .next = frame_u64(frame, 16)};
        struct text format = {0};
        print_string(&p, frame_u64(frame, 8), STRING_MAX, &format);
        print_format(&p, text_get(&format));
        if (!p.bad_bytes && p.out.size) output_print(w, false, p.out.bytes, p.out.size);
        u32 result = p.arg_n;
        memcpy(frame, &result, sizeof result);
        text_free(&format);
        text_free(&p.out);
        if (p.bad_bytes) {
            fault_at(w, i, lane, p.bad, p.bad_bytes);
            return;
        }
    }
}

/* void __assertfail(const char *message, const char *file, u32 line, const char *function, size_t
 * char_bytes): reports every lane; then the kernel ends, or the run faults if the printer has no
 * `failed`. */
static void run_assertfail(struct warp *w, const struct ptx_inst *i)
{
    const struct block_state *b = w->block;
    const struct printer *to = b->printer;
    bool is_fault = !to || !to->failed;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left), t = w->warp_id * LANES + lane;
        const u8 *frame = frame_of(w, i, lane, 40);
        if (!frame) return;
        struct print p = {.w = w, .lane = lane};
        struct text message = {0}, function = {0};
        u32 line;
        memcpy(&line, frame + 16, sizeof line);
        print_string(&p, frame_u64(frame, 8), STRING_MAX, &p.out);
        print_string(&p, frame_u64(frame, 24), STRING_MAX, &function);
        print_string(&p, frame_u64(frame, 0), STRING_MAX, &message);
        text_add(&p.out, ":%u: %s: ", line, text_get(&function));
        struct fault *f = &w->effect->fault;
        if (is_fault) warp_fault(w, i, lane, "assertion failed");
        if (is_fault && f->lane == lane)
            snprintf(f->detail, sizeof f->detail, "%s%s", text_get(&p.out), text_get(&message));
        text_add(&p.out, "block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                 b->ctaid[0], b->ctaid[1], b->ctaid[2], t % b->ntid[0],
                 t / b->ntid[0] % b->ntid[1], t / (b->ntid[0] * b->ntid[1]), text_get(&message));
        output_print(w, !is_fault, p.out.bytes, p.out.size);
        text_free(&message);
        text_free(&function);
        text_free(&p.out);
    }
    if (!is_fault) output_over(w);
}

/* ---- the heap ---- */

/* Model: malloc and free cost as much as any built-in call and access no memory (guess: NVIDIA's
 * allocator is not published). Lanes are served in lane order, warps in issue order. */

/* void *malloc(size_t): the frame holds the result, then the size. */
static void run_malloc(struct warp *w, const struct ptx_inst *i)
{
    struct heap *heap = image_heap(w->block->image);
    w->effect->outside = true;
    for (u32 left = w->executing; left; left &= left - 1) {
        u8 *frame = frame_of(w, i, (u32)__builtin_ctz(left), 16);
        u64 bytes;
        if (!frame) return;
        memcpy(&bytes, frame + 8, sizeof bytes);
        u64 address = heap ? heap_take(heap, bytes) : 0;
        memcpy(frame, &address, sizeof address);
    }
    effect_wrote(w->effect, 1);
}

/* void free(void *) */
static void run_free(struct warp *w, const struct ptx_inst *i)
{
    struct heap *heap = image_heap(w->block->image);
    w->effect->outside = true;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        const u8 *frame = frame_of(w, i, lane, 8);
        u64 address;
        if (!frame) return;
        memcpy(&address, frame, sizeof address);
        if (!address || (heap && heap_give(heap, address))) continue;
        warp_fault(w, i, lane, "free of an address not allocated by malloc, or already freed");
        w->effect->fault.address = address;
        return;
    }
    effect_wrote(w->effect, 1);
}

/* void cudaGraphSetConditional(u64 handle, u32 value): the handle of a graph condition is the
 * address of its word. */
static void run_set_condition(struct warp *w, const struct ptx_inst *i)
{
    u8 *each[LANES];
    u32 values[LANES];
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        const u8 *frame = frame_of(w, i, lane, 12);
        if (!frame) return;
        u64 handle = frame_u64(frame, 0);
        const struct allocation *in = image_find(w->block->image, handle, sizeof *values);
        if (!in) {
            warp_fault(w, i, lane, "cudaGraphSetConditional of an invalid handle");
            w->effect->fault.address = handle;
            return;
        }
        each[lane] = in->bytes + (handle - in->start);
        memcpy(&values[lane], frame + 8, sizeof *values);
    }
    store_bytes(w, i, w->executing, w->executing, each, (const u8 *)values, sizeof *values);
    effect_wrote(w->effect, 1);
}

/* ---- the alloca stack: behind all frames; the first word is the number of bytes in use ---- */

static u32 *stack_top(const struct warp *w, u32 lane)
{
    const struct block_state *b = w->block;
    u64 thread = (u64)w->warp_id * LANES + lane;
    return (u32 *)(void *)(b->local + thread * b->local_bytes + b->program->ptx->stack_at);
}

static u64 operand_of(const struct warp *w, const struct ptx_inst *i, u32 lane)
{
    const void *row = row_of(w, i->src[0]);
    return i->form.type == T_U64 ? ((const u64 *)row)[lane] : ((const u32 *)row)[lane];
}

static void result_put(struct warp *w, const struct ptx_inst *i, const u64 value[LANES])
{
    u32 low[LANES];
    for (u32 l = 0; l < LANES; l++) low[l] = (u32)value[l];
    if (i->dst[0] == OPERAND_ABSENT) return;
    if (i->form.type == T_U64) lanes_put64(w, i->dst[0], value);
    else lanes_put32(w, i->dst[0], low);
}

static void run_alloca(struct warp *w, const struct ptx_inst *i)
{
    u64 align = i->imm ? (u64)i->imm : 8, out[LANES] = {0};
    u64 start = w->block->program->ptx->stack_at + STACK_HEAD;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), *top = stack_top(w, l);
        u64 bytes = operand_of(w, i, l), at = round_up(start + *top, align) - start;
        if (bytes > STACK_BYTES || at + bytes > STACK_BYTES) {
            warp_fault(w, i, l, "stack overflow: alloca has 1024 bytes per thread");
            return;
        }
        out[l] = start + at;
        *top = (u32)(at + bytes);
    }
    result_put(w, i, out);
}

static void run_stacksave(struct warp *w, const struct ptx_inst *i)
{
    u64 out[LANES] = {0};
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        out[l] = *stack_top(w, l);
    }
    result_put(w, i, out);
}

static void run_stackrestore(struct warp *w, const struct ptx_inst *i)
{
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        u64 top = operand_of(w, i, l);
        if (top > *stack_top(w, l)) {
            warp_fault(w, i, l, "stackrestore to an address not returned by stacksave");
            return;
        }
        *stack_top(w, l) = (u32)top;
    }
}

#define ANY EXEC_ANY
#define ROW(op, sub, run) {OP_##op, ANY, ANY, ANY, ANY, sub, ANY, ANY, 0, 0, run},
const struct exec_row exec_builtin_rows[] = {
    ROW(BUILTIN, BUILTIN_VPRINTF, run_vprintf) ROW(BUILTIN, BUILTIN_ASSERTFAIL, run_assertfail)
    ROW(BUILTIN, BUILTIN_MALLOC, run_malloc) ROW(BUILTIN, BUILTIN_FREE, run_free)
    ROW(BUILTIN, BUILTIN_SET_CONDITION, run_set_condition)
    ROW(ALLOCA, ANY, run_alloca) ROW(STACKSAVE, ANY, run_stacksave)
    ROW(STACKRESTORE, ANY, run_stackrestore)
};
const u32 exec_builtin_row_n = COUNT_OF(exec_builtin_rows);
