/* Finds the functions that a kernel can reach: by name, and for indirect calls every function whose
 * address is taken. Rejects unsupported items, with their position, and lays out the kernel's
 * shared memory. First stage of `lower`. */
#include "ptx/body.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_LIMIT = 1 << 20 }; /* far above any GPU: each machine checks its own limit */

static void reach_function(struct lowering *l, u32 func)
{
    func = func_resolved(l->m, func);
    if (l->body_of[func] != NO_INDEX || !l->m->funcs[func].has_body) return;
    l->body_of[func] = l->order_n;
    l->order[l->order_n++] = func;
}

static void reach_taken(struct lowering *l)
{
    for (u32 i = 0; i < l->m->func_n; i++) {
        if (l->m->funcs[i].address_taken && !l->m->funcs[i].is_kernel) reach_function(l, i);
    }
}

static bool is_builtin(const struct func *f)
{
    return !f->has_body && builtin_find(f->name, strlen(f->name)) != BUILTIN_N;
}

static void refuse_call(struct lowering *l, const struct func *f, const struct stmt *s,
                        const struct func *callee)
{
    static const char *const of_runtime[] = {"cuda", "__cudaCDP2", "__cuda_syscall_"};
    static const char of_math[] = "__nv_"; /* prefix of libdevice functions in clang's PTX */
    const char *kernel = l->m->funcs[l->kernel].name;
    for (u32 i = 0; i < COUNT_OF(of_runtime); i++) {
        if (strncmp(of_runtime[i], callee->name, strlen(of_runtime[i]))) continue;
        fail_at(l->fail, f->source, s->offset,
                "kernel '%s' calls '%s': device-side launch, and all of the CUDA run-time API on "
                "the device, is not supported", kernel, callee->name);
        return;
    }
    fail_at(l->fail, f->source, s->offset,
            "kernel '%s' calls '%s': no body in the module", kernel, callee->name);
    if (!strncmp(callee->name, of_math, strlen(of_math)))
        fail_note(l->fail, "corun cc lacks this function of CUDA's math library: compile with "
                  "nvcc");
    else fail_note(l->fail, "give all PTX files of the program as a list: module: [a.ptx, b.ptx]");
}

static void reach_statement(struct lowering *l, const struct func *f, const struct stmt *s)
{
    if (s->refused) {
        const char *why = op_reason((enum op)s->form.op, f->source->text + s->offset, s->size);
        fail_at(l->fail, f->source, s->offset,
                "instruction '%.*s' is not supported%s%s (reachable from kernel '%s')",
                (int)s->size, f->source->text + s->offset, why ? ": " : "", why ? why : "",
                l->m->funcs[l->kernel].name);
        return;
    }
    u16 op = s->form.op;
    l->has_stack |= op == OP_ALLOCA || op == OP_STACKSAVE || op == OP_STACKRESTORE;
    if (op != OP_CALL) return;
    const struct arg *to = &f->args[s->arg + 1];
    if (to->kind != ARG_FUNCTION) {
        reach_taken(l);
        return;
    }
    const struct func *callee = &l->m->funcs[func_resolved(l->m, to->index)];
    if (callee->has_body) reach_function(l, to->index);
    else if (!is_builtin(callee)) refuse_call(l, f, s, callee);
}

/* Errors of a reachable function are errors of the kernel. */
static bool reach_refused(struct lowering *l, const struct func *f)
{
    if (!f->refusal) return false;
    const struct fail why = {.text = {(char *)f->refusal, strlen(f->refusal), 0},
                             .error_n = f->refusal_n};
    fail_append(l->fail, &why);
    const char *kernel = l->m->funcs[l->kernel].name;
    if (f != &l->m->funcs[l->kernel])
        fail_note(l->fail, "function '%s', reachable from kernel '%s'", f->name, kernel);
    return true;
}

static void use_symbol(struct lowering *l, const struct arg *a)
{
    bool names = a->kind == ARG_SYMBOL || (a->kind == ARG_ADDRESS && a->base == ARG_SYMBOL);
    bool reserved = a->kind == ARG_SPECIAL && a->index >= SPECIAL_RESERVED_SMEM_BEGIN &&
                    a->index <= SPECIAL_RESERVED_SMEM_1;
    l->reserves |= reserved;
    if (names && l->m->symbols[a->index].space == SPACE_SHARED) l->shared_place[a->index] = 0;
}

/* ---- variables of the module that are read or possibly written ---- */

/* The symbol from which the address in a register is derived; ROOT_NONE: no symbol. */
#define ROOT_NONE NO_INDEX

struct roots {
    struct lowering *l;
    const struct func *f;
    u32 *of; /* [register] symbol */
};

static void use_mark(struct roots *r, u32 symbol, bool reads, bool writes)
{
    if (symbol != ROOT_NONE) symbol = symbol_resolved(r->l->m, symbol);
    if (symbol == ROOT_NONE || r->l->m->symbols[symbol].variable == NO_INDEX) return;
    struct use *u = &r->l->uses[r->l->m->symbols[symbol].variable];
    u->reads |= reads;
    u->writes |= writes;
}

static u32 root_of(const struct roots *r, const struct arg *a)
{
    u8 kind = a->kind == ARG_ADDRESS ? a->base : a->kind;
    if (kind == ARG_REG) return r->of[a->index];
    return kind == ARG_SYMBOL ? a->index : ROOT_NONE;
}

/* Marks the variable as possibly written: the address leaves the registers that are tracked. */
static void root_escapes(struct roots *r, const struct arg *a)
{
    if (a->kind != ARG_VECTOR && a->kind != ARG_LIST) {
        use_mark(r, root_of(r, a), false, true);
        return;
    }
    for (u32 i = 0; i < a->n; i++) root_escapes(r, &r->f->args[a->index + i]);
}

/* Propagates a root through arithmetic: the result still points to the same variable. */
static void root_moves(struct roots *r, const struct stmt *s, const struct arg *a)
{
    for (u32 i = 1; i < s->arg_n; i++) {
        u32 root = root_of(r, &a[i]);
        if (a[i].kind == ARG_VECTOR) root_escapes(r, &a[i]);
        if (root == ROOT_NONE) continue;
        u32 *to = a[0].kind == ARG_REG ? &r->of[a[0].index] : NULL;
        if (to && (*to == ROOT_NONE || *to == root)) {
            *to = root;
            continue;
        }
        if (to) use_mark(r, *to, false, true);
        root_escapes(r, &a[i]);
    }
}

static void root_statement(struct roots *r, const struct stmt *s)
{
    const struct arg *a = r->f->args + s->arg;
    switch (s->form.op) {
    case OP_LD:
    case OP_LDU:
    case OP_WMMA_LOAD:
    case OP_LDMATRIX: use_mark(r, root_of(r, &a[1]), true, false); break;
    case OP_ST:
    case OP_RED:
    case OP_WMMA_STORE:
    case OP_STMATRIX:
    case OP_CP_BULK:
    case OP_CP_REDUCE:
    case OP_TENSORMAP_REPLACE:
    case OP_TENSORMAP_COPY:
        use_mark(r, root_of(r, &a[0]), false, true);
        root_escapes(r, &a[1]);
        break;
    case OP_ATOM:
    case OP_CALL:
        for (u32 i = 0; i < s->arg_n; i++) root_escapes(r, &a[i]);
        break;
    default: root_moves(r, s, a); break;
    }
}

/* Runs twice, because a loop may carry an address back. */
static void use_variables(struct lowering *l, const struct func *f)
{
    struct roots r = {l, f, base_alloc(sizeof *r.of * (f->register_n + 1))};
    memset(r.of, 0xff, sizeof *r.of * f->register_n);
    for (u32 turn = 0; turn < 2; turn++)
        for (u32 i = 0; i < f->stmt_n; i++)
            if (!f->stmts[i].refused) root_statement(&r, &f->stmts[i]);
    free(r.of);
}

static void list_uses(struct lowering *l)
{
    const struct module *m = l->m;
    for (u32 i = 0; i < m->symbol_n; i++) /* loads of a stored pointer are not tracked */
        if (m->symbols[i].pointed && m->symbols[i].variable != NO_INDEX)
            l->uses[m->symbols[i].variable].writes = true;
    u32 n = 0;
    for (u32 i = 0; i < m->variable_n; i++) {
        struct use u = l->uses[i];
        u.variable = i;
        if (u.reads || u.writes) l->uses[n++] = u;
    }
    l->use_n = n;
}

/* ---- shared memory ---- */

/* Places static variables in the order of the text; all dynamic variables begin at the same offset
 * behind them. */
static void place_shared(struct lowering *l)
{
    u64 at = 0, align = 16, dynamic = 0;
    for (u32 pass = 0; pass < 2; pass++) {
        for (u32 i = 0; i < l->m->symbol_n; i++) {
            const struct symbol *s = &l->m->symbols[i];
            if (l->shared_place[i] == UINT64_MAX || s->is_extern != (pass == 1)) continue;
            if (pass == 1) {
                l->shared_place[i] = dynamic;
                continue;
            }
            l->shared_place[i] = round_up(at, s->align);
            at = min_u64(l->shared_place[i] + s->size_bytes, SHARED_LIMIT + 1);
        }
        if (pass) break;
        if (l->reserves) {
            l->reserved_offset = (u32)round_up(at, align);
            at = l->reserved_offset + RESERVED_BYTES;
        }
        bool any = false;
        for (u32 i = 0; i < l->m->symbol_n; i++) {
            if (l->shared_place[i] == UINT64_MAX || !l->m->symbols[i].is_extern) continue;
            any = true;
            align = max_u64(align, l->m->symbols[i].align);
        }
        dynamic = round_up(at, align);
        if (any) at = dynamic;
    }
    if (at > SHARED_LIMIT) {
        fail_at(l->fail, l->m->funcs[l->kernel].source, l->m->funcs[l->kernel].offset,
                "kernel '%s' has more than 1 MB of shared memory", l->m->funcs[l->kernel].name);
    }
    l->shared_bytes = (u32)at;
}

bool lower_reach(struct lowering *l)
{
    const struct module *m = l->m;
    u32 before = l->fail->error_n;
    l->order = arena_array(l->arena, u32, m->func_n);
    l->body_of = arena_array(l->arena, u32, m->func_n);
    l->shared_place = arena_array(l->arena, u64, m->symbol_n + 1);
    l->uses = arena_array(l->arena, struct use, m->variable_n + 1);
    memset(l->body_of, 0xff, sizeof(u32) * m->func_n);
    memset(l->shared_place, 0xff, sizeof(u64) * m->symbol_n);
    reach_function(l, l->kernel);
    for (u32 i = 0; i < l->order_n; i++) {
        const struct func *f = &m->funcs[l->order[i]];
        if (reach_refused(l, f)) continue;
        for (u32 k = 0; k < f->stmt_n; k++) reach_statement(l, f, &f->stmts[k]);
        for (u32 k = 0; k < f->arg_n; k++) use_symbol(l, &f->args[k]);
        use_variables(l, f);
    }
    list_uses(l);
    place_shared(l);
    return l->fail->error_n == before;
}
