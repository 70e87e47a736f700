/* Turns a kernel with all functions it can reach into a struct program. Each function passes
 * through select, flow and liveness; then the code is laid out, the kernel first. The deepest call
 * chain determines the size of a warp's frames. */
#include "ptx/lower.h"

#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"

/* Model: recursion may go 1024 calls deep, or as deep as the frames' registers and local memory
 * stay within the 512 KB of local memory per thread (CUDA C++ Programming Guide, technical
 * specifications), 32 calls at least; registers per thread are counted for a chain of 32 calls
 * (guess). */
enum { RECURSION_MAX = 1024, RECURSION_LEAST = 32, FRAMES_BYTES = 512 << 10 };
enum { SCORES_MAX = UINT16_MAX }; /* entries of a warp's scoreboard */

/* Resources needed by a call chain from a function downwards. */
struct need {
    u32 rows, preds, local_bytes, near_bytes, registers, functions;
    u32 waiting; /* registers live where a warp may wait */
};

struct edge { u32 caller, callee; }; /* bodies */
struct edges { struct edge *at; u32 n, room; };

static void need_max(struct need *a, const struct need *b)
{
    a->rows = max_u32(a->rows, b->rows);
    a->preds = max_u32(a->preds, b->preds);
    a->local_bytes = max_u32(a->local_bytes, b->local_bytes);
    a->registers = max_u32(a->registers, b->registers);
    a->waiting = max_u32(a->waiting, b->waiting);
    a->functions = max_u32(a->functions, b->functions);
}

static void edge_add(struct edges *e, u32 caller, u32 callee)
{
    *base_push(e->at, e->n, e->room) = (struct edge){caller, callee};
}

static struct edges edges_find(const struct lowering *l)
{
    struct edges e = {0};
    for (u32 i = 0; i < l->order_n; i++) {
        const struct body *b = &l->bodies[i];
        for (u32 k = 0; k < b->step_n; k++) {
            const struct step *s = &b->steps[k];
            if (s->form.op == OP_CALL && s->target != NO_INDEX)
                edge_add(&e, i, l->body_of[s->target]);
        }
        for (u32 k = 0; b->calls_indirect && k < l->order_n; k++)
            if (l->m->funcs[l->order[k]].address_taken) edge_add(&e, i, k);
    }
    return e;
}

/* Computes the needs of chains one call deeper: `next` from `now`. */
static void need_deeper(const struct lowering *l, const struct edges *e, const struct need *now,
                        struct need *next, u32 depth)
{
    for (u32 i = 0; i < l->order_n; i++)
        next[i] = (struct need){.local_bytes = l->bodies[i].out_bytes};
    for (u32 i = 0; i < e->n; i++) need_max(&next[e->at[i].caller], &now[e->at[i].callee]);
    for (u32 i = 0; i < l->order_n; i++) {
        const struct body *b = &l->bodies[i];
        struct need *n = &next[i];
        n->rows += b->row_n;
        n->preds += b->pred_n;
        n->local_bytes += l->m->funcs[b->func].local_bytes;
        n->registers = max_u32(b->peak, n->registers ? b->call_peak + n->registers : 0);
        n->waiting = max_u32(b->waiting_peak, n->waiting ? b->call_peak + n->waiting : 0);
        n->functions++;
        n->near_bytes = n->local_bytes;
        if (depth <= RECURSION_LEAST) continue;
        n->near_bytes = now[i].near_bytes;
        n->registers = now[i].registers;
        n->waiting = now[i].waiting;
    }
}

/* Iterates until the needs no longer change or recursion reaches its limit. */
static struct need need_of_kernel(const struct lowering *l)
{
    struct edges e = edges_find(l);
    struct need *now = base_alloc(sizeof *now * l->order_n),
                *next = base_alloc(sizeof *next * l->order_n);
    for (u32 depth = 0; depth <= RECURSION_MAX; depth++) {
        need_deeper(l, &e, now, next, depth);
        u64 bytes = next[0].rows * (u64)sizeof(u32) + next[0].local_bytes;
        bool fits = bytes <= FRAMES_BYTES && next[0].rows + next[0].preds <= SCORES_MAX;
        if (depth > RECURSION_LEAST && !fits) break;
        if (!memcmp(now, next, sizeof *now * l->order_n)) break;
        memcpy(now, next, sizeof *now * l->order_n);
    }
    struct need n = now[0];
    free(now);
    free(next);
    free(e.at);
    return n;
}

static void list_params(const struct lowering *l)
{
    struct program *p = l->program;
    const struct func *f = &l->m->funcs[l->kernel];
    struct param *params = arena_array(l->arena, struct param, f->signature.param_n + 1);
    for (u32 i = 0; i < f->signature.param_n; i++) {
        const struct symbol *s = &l->m->symbols[f->signature.symbol + i];
        params[i] = (struct param){.name = s->name,
                                   .type = s->type,
                                   .count = s->count,
                                   .offset = (u32)s->place,
                                   .size_bytes = (u32)s->size_bytes,
                                   .align = s->align};
        p->param_bytes = max_u32(p->param_bytes, params[i].offset + params[i].size_bytes);
    }
    p->params = params;
    p->param_n = f->signature.param_n;
}

/* Lists the functions; the index of a function in ptx_program.functions is its address, and 0 is
 * the null pointer. */
static void list_functions(const struct lowering *l)
{
    struct function *functions = arena_array(l->arena, struct function, l->m->func_n + 1);
    functions[0] = (struct function){.name = "null", .pc = PC_NONE};
    for (u32 i = 0; i < l->m->func_n; i++) {
        u32 body = l->body_of[i];
        bool callable = body != NO_INDEX && !l->m->funcs[i].is_kernel;
        struct function *f = &functions[function_address(i)];
        *f = (struct function){
            .name = l->m->funcs[i].name, .source = l->m->funcs[i].source, .pc = PC_NONE};
        if (!callable) continue;
        const struct body *b = &l->bodies[body];
        *f = (struct function){.name = l->m->funcs[i].name,
                               .source = l->m->funcs[i].source,
                               .pc = b->pc,
                               .row_n = b->row_n,
                               .pred_n = b->pred_n,
                               .frame_local_bytes = l->m->funcs[i].local_bytes};
    }
    l->program->ptx->functions = functions;
    l->program->ptx->function_n = l->m->func_n + 1;
}

static u32 block_threads(const struct func *f)
{
    const u32 *t = f->required_threads[0] ? f->required_threads : f->max_threads;
    return t[0] * t[1] * t[2];
}

/* Returns the most registers per thread that the header of a kernel permits. Model: .maxnreg is the
 * bound; else the register file of 65536 registers holds .minnctapersm blocks of .maxntid threads,
 * in whole warps of four sub-cores, and the bound is a multiple of 8. .minnctapersm without
 * .maxntid, or beyond 32 blocks or 2048 threads, has no effect. Found with kernels of 200 live
 * registers and ptxas 13.0 for sm_80 and sm_90. */
static u32 register_bound(const struct func *f)
{
    enum { FILE_REGISTERS = 65536, SUB_CORES = 4, UNIT = 8, LEAST = 24 };
    enum { SM_BLOCKS = 32, SM_THREADS = 2048 };
    if (f->max_registers) return max_u32(f->max_registers, LEAST);
    u32 threads = block_threads(f), blocks = max_u32(f->min_blocks, 1);
    if (!threads) return UINT32_MAX;
    if (blocks > SM_BLOCKS || blocks * threads > SM_THREADS) blocks = 1;
    u32 warps = (u32)round_up(div_up(threads, LANES) * blocks, SUB_CORES);
    return FILE_REGISTERS / (warps * LANES) / UNIT * UNIT;
}

/* Places the stack of alloca behind the frames of the deepest chain. */
static void place_stack(struct program *p)
{
    bool all_near = p->near_local_bytes == p->local_bytes;
    p->ptx->stack_at = (u32)round_up(max_u32(p->local_bytes, 1), STACK_HEAD);
    p->local_bytes = p->ptx->stack_at + STACK_HEAD + STACK_BYTES;
    if (all_near) p->near_local_bytes = p->local_bytes;
}

static void lay_out_code(struct lowering *l)
{
    struct program *p = l->program;
    for (u32 i = 0; i < l->order_n; i++) {
        l->bodies[i].pc = p->code_n;
        p->code_n += l->bodies[i].code_n;
        p->ptx->folded_n += l->bodies[i].folded_n;
    }
    u32 n = p->code_n + CODE_SPARE;
    p->code = arena_alloc(l->arena, sizeof *p->code * n, 64);
    p->ptx->code = arena_alloc(l->arena, sizeof *p->ptx->code * n, 64);
    p->ptx->folded = arena_alloc(l->arena, sizeof *p->ptx->folded * (p->ptx->folded_n + 1ull), 64);
}

/* Returns a kernel's name as in C++. */
static const char *shown(struct lowering *l, const char *name)
{
    struct text t = {0};
    demangle_show(name, &t);
    const char *kept = arena_text(l->arena, text_get(&t), t.size);
    text_free(&t);
    return kept;
}

/* Returns the registers per thread, before any bound. Model: the estimate knows no callees; a
 * kernel with functions has at least the registers live at once (guess). */
static u32 registers_of(const struct lowering *l, u32 peak, bool foreign)
{
    u32 estimate = l->bodies[0].estimate;
    if (!estimate || l->order_n > 1) return max_u32(estimate, registers_of_peak(peak, foreign));
    return max_u32(estimate, foreign ? FOREIGN_REGISTERS : 0);
}

static void lay_out(struct lowering *l)
{
    struct program *p = l->program;
    const struct func *f = &l->m->funcs[l->kernel];
    lay_out_code(l);
    struct ptx_program *ptx = p->ptx;
    struct need need = need_of_kernel(l);
    p->name = f->name;
    p->shown = shown(l, f->name);
    p->source = f->source;
    ptx->entry_row_n = l->bodies[0].row_n;
    ptx->entry_pred_n = l->bodies[0].pred_n;
    p->row_n = need.rows;
    p->pred_n = need.preds;
    if (need.rows + need.preds > SCORES_MAX) {
        fail_at(l->fail, f->source, f->offset,
                "kernel '%s' with all called functions needs %u registers at once; the limit is "
                "%u", p->name,
                need.rows + need.preds, SCORES_MAX);
    }
    ptx->call_depth = need.functions - 1;
    p->local_bytes = need.local_bytes;
    p->near_local_bytes = need.near_bytes;
    if (l->has_stack) place_stack(p);
    ptx->frame_local_bytes = f->local_bytes;
    bool foreign = false;
    for (u32 i = 0; i < l->order_n; i++) foreign |= l->bodies[i].calls_foreign;
    p->registers = min_u32(registers_of(l, need.registers, foreign), register_bound(f));
    p->registers_source = l->bodies[0].estimate ? REGISTERS_ESTIMATE : REGISTERS_LIVE;
    p->waiting_registers = min_u32(p->registers, registers_of_peak(need.waiting, false));
    p->shared_bytes = l->shared_bytes;
    ptx->reserved_offset = l->reserved_offset;
    ptx->uses = l->uses;
    ptx->use_n = l->use_n;
    p->max_block_threads = block_threads(f);
    memcpy(p->required_block, f->required_threads, sizeof p->required_block);
    memcpy(p->required_cluster, f->required_cluster, sizeof p->required_cluster);
    p->max_cluster = f->max_cluster;
    p->needs_cluster = f->needs_cluster;
    p->blocks_are_clusters = f->blocks_are_clusters;
    list_params(l);
    list_functions(l);
}

static void write_code(struct lowering *l)
{
    struct emission e = {.l = l};
    const struct program *p = l->program;
    struct ptx_program *ptx = p->ptx;
    for (u32 i = 0; i < l->order_n; i++) emit_body(&e, &l->bodies[i]);
    ptx->constants = constants_rows(&e.constants, l->arena);
    ptx->constant_bytes = e.constants.byte_n;
    struct call_site *calls = arena_array(l->arena, struct call_site, e.call_n + 1);
    const u32 **tables = arena_array(l->arena, const u32 *, e.table_n + 1);
    u32 *operands = arena_array(l->arena, u32, e.operand_n + 1);
    if (e.operand_n) memcpy(operands, e.operands, sizeof *operands * e.operand_n);
    ptx->operands = operands;
    ptx->origins = e.origins;
    if (e.call_n) memcpy(calls, e.calls, sizeof *calls * e.call_n);
    if (e.table_n) memcpy(tables, e.tables, sizeof *tables * e.table_n);
    ptx->calls = calls;
    ptx->call_n = e.call_n;
    ptx->tables = tables;
    ptx->table_n = e.table_n;
    if (e.constants.full) {
        fail_at(l->fail, p->source, l->m->funcs[l->kernel].offset,
                "kernel '%s' has too many different constants", p->name);
    }
    free(e.calls);
    free(e.tables);
    free(e.operands);
    free(e.constants.slots);
}

/* Places the instructions of each step in the body's code. */
static void place_steps(struct body *b)
{
    b->places = base_alloc(sizeof *b->places * (b->step_n + 1ull));
    for (u32 i = 0; i < b->step_n; i++) {
        b->places[i + 1] = b->places[i] + machine_n(&b->steps[i]);
        b->folded_n += b->steps[i].folded;
    }
    b->code_n = b->places[b->step_n];
}

/* Estimates the registers of the kernel, with machine instructions that the body keeps only under
 * exec.expand. */
static void estimate(const struct module *m, struct body *b)
{
    struct step *kept = b->steps;
    size_t bytes = sizeof *kept * b->step_n;
    b->steps = base_alloc(bytes + 1);
    memcpy(b->steps, kept, bytes);
    if (!m->expand) expand(b, m->capability);
    b->estimate = registers_estimate(b, m->full_registers, m->capability);
    free(b->steps);
    b->steps = kept;
}

static void lower_bodies(struct lowering *l)
{
    l->bodies = base_alloc(sizeof *l->bodies * l->order_n);
    bool failed = false;
    for (u32 i = 0; i < l->order_n; i++) {
        struct body *b = &l->bodies[i];
        b->m = l->m;
        b->func = l->order[i];
        select_body(l, b);
        if (b->failed) {
            failed = true;
            continue;
        }
        flow_find(b);
        if (l->m->contract) contract(b);
        if (l->m->expand) expand(b, l->m->expand);
        if (l->m->full_registers && !i) estimate(l->m, b);
        place_steps(b);
        liveness_allocate(l, b);
        failed |= b->failed;
    }
    if (!failed) {
        lay_out(l);
        write_code(l);
    }
    for (u32 i = 0; i < l->order_n; i++) body_free(&l->bodies[i]);
    free(l->bodies);
}

struct program *ptx_lower(const struct module *m, u32 kernel, struct arena *arena,
                          struct fail *fail)
{
    u32 before = fail->error_n;
    struct lowering l = {.m = m, .arena = arena, .fail = fail, .kernel = m->kernels[kernel]};
    l.program = arena_new(arena, struct program);
    l.program->ptx = arena_new(arena, struct ptx_program);
    if (lower_reach(&l)) lower_bodies(&l);
    return fail->error_n == before ? l.program : NULL;
}
