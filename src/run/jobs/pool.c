#include "run/jobs/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_uint threads_n;

u32 pool_threads(void) { return threads_n; }

struct pool_work {
    void (*one)(void *of, u32 i);
    void *of;
    u32 n;
    atomic_uint next;
};

static void work(struct pool_work *p)
{
    for (u32 i; (i = atomic_fetch_add(&p->next, 1)) < p->n;) p->one(p->of, i);
}

/* Runs if a policy's hook ends its thread (pthread_exit). The thread's job is lost, hence the
 * process exits. */
static void left(void *of)
{
    (void)of;
    _exit(1);
}

static void *thread(void *pool)
{
    pthread_cleanup_push(left, NULL);
    work(pool);
    pthread_cleanup_pop(0);
    return NULL;
}

void pool_run(void (*one)(void *of, u32 i), void *of, u32 n, u32 threads)
{
    struct pool_work p = {one, of, n, 0};
    pthread_t others[64];
    u32 other_n = 0;
    u32 wanted = min_u32(min_u32(threads, n), COUNT_OF(others));
    while (other_n + 1 < wanted && !pthread_create(&others[other_n], NULL, thread, &p)) {
        other_n++;
        threads_n++;
    }
    work(&p);
    for (u32 i = 0; i < other_n; i++) {
        pthread_join(others[i], NULL);
        threads_n--;
    }
}
