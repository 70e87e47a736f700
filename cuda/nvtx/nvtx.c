/* NVTX of programs compiled with NVIDIA's headers. The headers load the library that the variable
 * NVTX_INJECTION64_PATH names, call InitializeInjectionNvtx2, and then call the functions that the
 * library has put into the tables. Source: NVTX, nvtxTypes.h and nvtxInit.h: numbers of tables and
 * functions. */
#include <stddef.h>

#include "cuda/include/nvtx3/nvToolsExt.h"

typedef void function(void);
enum { CALLBACKS = 1 }; /* the table with `get` */
enum { CORE = 1, CORE2 = 5 };
struct callbacks {
    size_t size_bytes;
    int (*get)(int module, function ****table, unsigned *n);
};

static const struct entry {
    int module;
    unsigned id;
    function *does;
} entries[] = {
    {CORE, 4, (function *)nvtxRangeStartEx},
    {CORE, 5, (function *)nvtxRangeStartA},
    {CORE, 7, (function *)nvtxRangeEnd},
    {CORE, 8, (function *)nvtxRangePushEx},
    {CORE, 9, (function *)nvtxRangePushA},
    {CORE, 11, (function *)nvtxRangePop},
    {CORE2, 2, (function *)nvtxDomainRangeStartEx},
    {CORE2, 3, (function *)nvtxDomainRangeEnd},
    {CORE2, 4, (function *)nvtxDomainRangePushEx},
    {CORE2, 5, (function *)nvtxDomainRangePop},
    {CORE2, 10, (function *)nvtxDomainRegisterStringA},
};

int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id));
int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id))
{
    const struct callbacks *c = tables(CALLBACKS);
    if (!c || c->size_bytes < sizeof *c || !c->get) return 0;
    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++) {
        function ***table;
        unsigned n;
        const struct entry *e = &entries[i];
        if (c->get(e->module, &table, &n) && e->id < n && table[e->id]) *table[e->id] = e->does;
    }
    return 1;
}
