/* Groups, and the meeting of ranks. A rank's call waits in a queue of the rank; the call that
 * completes an operation launches its kernels, and the threads of the other ranks go on. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/connection/client.h"
#include "cuda/nccl/own.h"

enum { LOOK_MS = 50 }; /* between two looks at the threads of the process */

/* The group of a thread. */
static _Thread_local struct {
    int depth;
    struct nccl_call *calls, **end;
    ncclComm_t joining[4 * NCCL_RANKS];
    int joining_n;
} group;

/* The thread of the run-time library runs no calls of ranks. */
static bool is_of_run_time(const char *task)
{
    char path[64], name[sizeof CORUN_THREAD] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", task);
    FILE *f = fopen(path, "r");
    bool is_it = f && fgets(name, sizeof name, f) && !strcmp(name, CORUN_THREAD);
    if (f) fclose(f);
    return is_it;
}

static bool is_only_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    if (!tasks) return false;
    for (const struct dirent *d; (d = readdir(tasks));)
        n += d->d_name[0] != '.' && !is_of_run_time(d->d_name);
    closedir(tasks);
    return n == 1;
}

bool nccl_wait(void)
{
    struct timespec until;
    if (is_only_thread()) return false;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) until.tv_nsec -= 1000000000L, until.tv_sec++;
    pthread_cond_timedwait(&nccl_change, &nccl_lock, &until);
    return true;
}

static ncclResult_t alone(void)
{
    return nccl_refuse(ncclInvalidUsage, "a rank that waits for ranks of the same thread");
}

static ncclResult_t wait_for_ranks(ncclComm_t comm)
{
    bool waits = true;
    pthread_mutex_lock(&nccl_lock);
    while (comm->clique->joined_n < comm->clique->rank_n && waits) waits = nccl_wait();
    pthread_mutex_unlock(&nccl_lock);
    return waits ? ncclSuccess : alone();
}

ncclResult_t nccl_join(ncclComm_t comm)
{
    int room = (int)(sizeof group.joining / sizeof *group.joining);
    if (!group.depth || group.joining_n == room) return wait_for_ranks(comm);
    group.joining[group.joining_n++] = comm;
    return ncclSuccess;
}

/* ---- queues ---- */

static void put(struct nccl_call *c)
{
    enum nccl_queue q = c->kind == NCCL_SEND      ? NCCL_SENDS
                        : c->kind == NCCL_RECEIVE ? NCCL_RECEIVES
                                                  : NCCL_COLLECTIVES;
    struct nccl_call **at = &c->comm->queue[q];
    while (*at) at = &(*at)->next;
    c->next = NULL, *at = c;
}

static void take(struct nccl_call **at, ncclResult_t result)
{
    struct nccl_call *c = *at;
    *at = c->next;
    c->ended = true, c->result = result;
}

static void withdraw(struct nccl_call *c)
{
    for (int q = 0; q < NCCL_QUEUES; q++)
        for (struct nccl_call **at = &c->comm->queue[q]; *at; at = &(*at)->next)
            if (*at == c) {
                take(at, ncclInvalidUsage);
                return;
            }
}

static ncclResult_t differ(void)
{
    return nccl_refuse(ncclInvalidUsage, "a call that differs between its ranks");
}

static bool agree(const struct nccl_call *a, const struct nccl_call *b)
{
    return a->kind == b->kind && a->n == b->n && a->type == b->type && a->op == b->op &&
           a->root == b->root;
}

/* Runs the next collective operation; false: a rank has not called. */
static bool run_collective(struct nccl_clique *clique)
{
    struct nccl_call *calls[NCCL_RANKS];
    bool agreed = true;
    for (int r = 0; r < clique->rank_n; r++) {
        calls[r] = clique->rank[r] ? clique->rank[r]->queue[NCCL_COLLECTIVES] : NULL;
        if (!calls[r]) return false;
        agreed = agreed && agree(calls[0], calls[r]);
    }
    ncclResult_t result = agreed ? nccl_launch(calls, clique->rank_n) : differ();
    for (int r = 0; r < clique->rank_n; r++)
        take(&clique->rank[r]->queue[NCCL_COLLECTIVES], result);
    return true;
}

/* Runs the first send that has a receive. */
static bool run_message(struct nccl_clique *clique, int from)
{
    for (struct nccl_call **s = &clique->rank[from]->queue[NCCL_SENDS]; *s; s = &(*s)->next) {
        ncclComm_t to = clique->rank[(*s)->root];
        struct nccl_call **r = to ? &to->queue[NCCL_RECEIVES] : NULL;
        while (r && *r && (*r)->root != from) r = &(*r)->next;
        if (!r || !*r) continue;
        bool agreed = (*s)->n == (*r)->n && (*s)->type == (*r)->type;
        ncclResult_t result = agreed ? nccl_launch((struct nccl_call *[]){*s, *r}, 2) : differ();
        take(s, result), take(r, result);
        return true;
    }
    return false;
}

static void run_all(struct nccl_clique *clique)
{
    while (run_collective(clique)) continue;
    for (int r = 0; r < clique->rank_n; r++)
        while (clique->rank[r] && run_message(clique, r)) continue;
    pthread_cond_broadcast(&nccl_change);
}

/* ---- groups ---- */

/* Runs the calls of a list, waits for the other ranks, and frees the list. */
static ncclResult_t run_list(struct nccl_call *calls, int n)
{
    ncclResult_t result = ncclSuccess;
    bool waits = true;
    pthread_mutex_lock(&nccl_lock);
    for (int i = 0; i < n; i++) put(&calls[i]);
    for (int i = 0; i < n; i++) run_all(calls[i].comm->clique);
    for (int i = 0; i < n; i++) {
        while (!calls[i].ended && waits) waits = nccl_wait();
        if (!calls[i].ended) withdraw(&calls[i]);
        if (!result) result = calls[i].result;
    }
    pthread_mutex_unlock(&nccl_lock);
    return waits ? result : alone();
}

ncclResult_t nccl_do(const struct nccl_call *call)
{
    struct nccl_call copy = *call, *added;
    if (!group.depth) return run_list(&copy, 1);
    if (!(added = malloc(sizeof *added))) return ncclSystemError;
    *added = copy, added->next = NULL;
    if (!group.calls) group.end = &group.calls;
    *group.end = added, group.end = &added->next;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
    group.depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    ncclResult_t result = ncclSuccess;
    int n = 0;
    if (!group.depth) return ncclInvalidUsage;
    if (--group.depth) return ncclSuccess;
    for (int i = 0; i < group.joining_n; i++) {
        ncclResult_t error = wait_for_ranks(group.joining[i]);
        if (!result) result = error;
    }
    group.joining_n = 0;
    for (const struct nccl_call *c = group.calls; c; c = c->next) n++;
    struct nccl_call *calls = n ? malloc((size_t)n * sizeof *calls) : NULL, *next = group.calls;
    if (n && !calls) result = ncclSystemError;
    group.calls = NULL;
    for (int i = 0; next; i++) {
        struct nccl_call *c = next;
        next = c->next;
        if (calls) calls[i] = *c;
        free(c);
    }
    if (n && !result) result = run_list(calls, n);
    free(calls);
    return result;
}
