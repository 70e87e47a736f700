#include "run/study/prepare.h"

/* If the oracle searched, the simulation runs under the policy chosen by the oracle. */
bool prepare(struct prepared *p, struct sim *s, bool fresh, u32 threads, struct fail *fail)
{
    if (!oracle_open(&p->oracle, s, fresh, threads, fail)) return false;
    if (p->oracle.chosen && !sim_set_policy(s, p->oracle.chosen, fail)) return false;
    return needs_make(&p->needs, s, fresh, fail);
}

void prepared_free(struct prepared *p)
{
    needs_free(&p->needs);
    oracle_free(&p->oracle);
}
