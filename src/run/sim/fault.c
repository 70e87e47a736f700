/* Describes errors of the simulated machine in terms of the program that ran there. */
#include "host/name/kernel_name.h"
#include "run/sim/internal.h"

#include <inttypes.h>
#include <string.h>

/* Returns the owner of a state space of fixed size, for messages; NULL: the space consists of
 * allocations. */
static const char *whose_space(u32 space)
{
    switch (space) {
    case SPACE_SHARED: return "shared memory of the block is";
    case SPACE_LOCAL: return "local memory of the thread is";
    case SPACE_PARAM: return "parameters of the kernel are";
    default: return NULL;
    }
}

/* Returns true if the access failed only because bounds are exact: memory.bounds=page would allow
 * the access. */
static bool passes_in_page(const struct sim *s, const struct image *image,
                           const struct fault *f)
{
    const struct memory_conf *memory = &s->setup->gpu->machine.memory;
    struct image paged = *image;
    paged.granule_bytes = memory->granule_bytes;
    if (f->writes && f->space == SPACE_CONST) return false;
    return memory->bounds == MEMORY_FAULT && !image_find(image, f->address, f->size_bytes) &&
           image_mapped(&paged, f->address, f->size_bytes);
}

/* Appends the source line of the fault, and the nearest allocation or the size of the memory. */
static void describe_fault(struct sim *s, const struct gpu_trouble *t, struct text *out)
{
    const struct source *source = program_source(t->program, t->fault.pc);
    const char *line = source ? source->text : NULL, *end = line ? line + source->size : NULL;
    for (u32 n = 1; line && n < t->fault.line; n++) {
        line = memchr(line, '\n', (size_t)(end - line));
        if (line) line++;
    }
    if (line && t->fault.line) {
        while (line < end && (*line == ' ' || *line == '\t')) line++;
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        text_put(out, "    ", 4);
        text_put(out, line, (size_t)((stop ? stop : end) - line));
        text_put(out, "\n", 1);
    }
    const char *whose = whose_space(t->fault.space);
    if (!t->fault.size_bytes) return;
    if (whose) {
        text_add(out, "    the %s %" PRIu64 " bytes\n", whose, t->space_bytes);
        return;
    }
    struct image *image = t->app_id < s->app_n ? s->images[t->app_id] : NULL;
    if (!image) return;
    const struct allocation *a = image_nearest(image, t->fault.address);
    if (!a) return;
    text_add(out, "    nearest allocation: %s at 0x%" PRIx64 ", %" PRIu64 " bytes",
             a->name[0] ? a->name : "(no name)", a->start, a->size_bytes);
    u64 address = t->fault.address, past = a->start + a->size_bytes;
    if (address < a->start) {
        text_add(out, "; the address is %" PRIu64 " before the start\n", a->start - address);
    } else if (address >= past) {
        text_add(out, "; the address is %" PRIu64 " past the end\n", address - past);
    } else {
        text_add(out, "; the address is %" PRIu64 " past the start\n", address - a->start);
    }
    if (passes_in_page(s, image, &t->fault))
        text_add(out, "    a GPU maps whole pages and would allow the access: --set "
                      "memory.bounds=page reports a warning instead of an error\n");
}

void fault_of_app(struct sim *s, const char *app, const char *what)
{
    s->status = SIM_FAULT;
    s->fault = (struct sim_fault){.what = sim_keep(s, what), .app = sim_keep(s, app),
                                  .cycle = board_now(s->machine),
                                  .kernel = "", .file = "", .detail = "", .dump = ""};
}

static void fault_of(struct sim *s, const struct gpu_trouble *t)
{
    struct sim_fault *f = &s->fault;
    *f = (struct sim_fault){.what = sim_keep(s, t->what), .app = "", .kernel = "", .file = "",
                            .cycle = board_now(s->machine),
                            .detail = "", .dump = ""};
    if (t->app_id < s->app_n) f->app = s->apps[t->app_id].name;
    if (!t->program) return;
    f->kernel = program_shown(t->program, &s->arena);
    const struct source *source = program_source(t->program, t->fault.pc);
    if (source) f->file = sim_keep(s, source->name);
    f->detail = sim_keep(s, t->fault.detail);
    if (!t->in_block) return;
    f->in_kernel = true;
    f->block = t->block_id;
    f->sm = t->sm_id;
    f->warp = t->warp_id;
    f->lane = t->fault.lane;
    f->line = t->fault.line;
    f->address = t->fault.address;
    f->size_bytes = t->fault.size_bytes;
    f->at_address = t->fault.size_bytes > 0;
    struct text details = {0};
    describe_fault(s, t, &details);
    f->dump = sim_keep(s, text_get(&details));
    text_free(&details);
}

void fault_of_gpu(struct sim *s, enum gpu_stop stop)
{
    s->status = stop == GPU_FAULT      ? SIM_FAULT
                : stop == GPU_DEADLOCK ? SIM_DEADLOCK
                : stop == GPU_POLICY   ? SIM_POLICY_FAILED
                                       : SIM_STARVED;
    fault_of(s, board_trouble(s->machine));
}

void fault_of_launch(struct sim *s, const struct gpu_trouble *t)
{
    s->status = t->deadlock ? SIM_DEADLOCK : SIM_FAULT;
    fault_of(s, t);
}
