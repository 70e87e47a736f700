#include "base/team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* SPINS: looks at a cache line before a waiting thread gives up the processor: tens of
 * microseconds, longer than most phases and the time between phases. LATE: looks before member 0
 * runs the part of a member whose processor probably runs another process; 0 looks while the
 * member runs no part itself. With more members than processors: 1 and 0 looks. */
enum { SPINS = 2000, LATE = 1000 };
/* With more members than processors, a sleeping member is woken in one of so many phases; in the
 * other phases member 0 runs the part. Waking a thread takes longer than most parts. */
enum { PHASES_ASLEEP = 32 };

/* Three cache lines for three kinds of access: member 0 writes the first, which the member reads;
 * the member writes the third, which member 0 reads; only a late member's second line changes
 * hands. */
struct member {
    _Alignas(64) _Atomic u32 started; /* number of the last phase started */
    u32 number;
    /* of the phase; NULL: the thread ends */
    void (*part)(void *of, u32 member, const u64 words[TEAM_WORDS]);
    void *of;
    u64 words[TEAM_WORDS];
    _Alignas(64) _Atomic u32 begun;   /* number of the last phase begun, also by member 0 */
    _Alignas(64) _Atomic u32 ended;   /* number of the last phase ended */
    _Atomic u32 asleep;               /* 1: sleeps, or is about to, until `started` changes */
    struct team *team;
    pthread_t thread;
};
_Static_assert(offsetof(struct member, begun) == 64, "a member reads one line for a phase");
struct team {
    struct member member[TEAM_MOST]; /* member 0 is the caller and uses no entry */
    u32 n;
    u32 taking_part; /* members of the phase that has begun */
    u32 spins, late; /* looks until a waiting thread sleeps, and until a member is late */
    u32 wake_every;  /* phases */
    bool missed[TEAM_MOST]; /* of each member: member 0 has run the part of the last phase */
    u32 delays; /* see team_delays */
    u32 phase;
    /* of the phase that has begun */
    void (*part)(void *of, u32 member, const u64 words[TEAM_WORDS]);
    void *of;
    u64 words[TEAM_WORDS];
};

static _Atomic u32 threads_n;

u32 team_threads(void) { return threads_n; }

static void pause_briefly(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static void sleep_while(_Atomic u32 *word, u32 value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake_one(_Atomic u32 *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Returns the number of the next phase after `last`. */
static u32 wait_for_start(struct member *m, u32 last)
{
    u32 phase = last;
    for (u32 k = 0; k < m->team->spins; k++) {
        phase = atomic_load_explicit(&m->started, memory_order_acquire);
        if (phase != last) return phase;
        pause_briefly();
    }
    atomic_store(&m->asleep, 1);
    while ((phase = atomic_load(&m->started)) == last) sleep_while(&m->started, last);
    atomic_store(&m->asleep, 0);
    return phase;
}

/* Returns true for the first caller with this phase, and false for a phase that is over. */
static bool begin(struct member *m, u32 phase)
{
    u32 before = atomic_load_explicit(&m->begun, memory_order_relaxed);
    if ((s32)(phase - before) <= 0) return false;
    return atomic_compare_exchange_strong(&m->begun, &before, phase);
}

static void *work(void *member)
{
    struct member *m = member;
    for (u32 phase = 0;;) {
        phase = wait_for_start(m, phase);
        if (!begin(m, phase)) continue;
        if (!m->part) return NULL;
        m->part(m->of, m->number, m->words);
        atomic_store_explicit(&m->ended, phase, memory_order_release);
    }
}

/* The store to `started` and the load of `asleep` are sequentially consistent, as are the store and
 * the load of the member in the opposite order: no wake-up is lost. */
static void start(struct member *m, const struct team *t)
{
    m->part = t->part;
    m->of = t->of;
    memcpy(m->words, t->words, sizeof m->words);
    atomic_store(&m->started, t->phase);
    if (t->phase % t->wake_every == 0 && atomic_load(&m->asleep)) wake_one(&m->started);
}

/* Waits for the end of the member's part; runs the part of a member that is late to begin. Returns
 * the number of looks in vain. */
static u32 finish(struct member *m, u32 phase)
{
    struct team *t = m->team;
    u32 k = 0, late = t->missed[m->number] ? 0 : t->late;
    bool missed = false;
    for (; atomic_load_explicit(&m->ended, memory_order_acquire) != phase; k++) {
        if (k == late && begin(m, phase)) {
            missed = true;
            m->part(m->of, m->number, m->words);
            atomic_store_explicit(&m->ended, phase, memory_order_relaxed);
        } else if (k < t->spins) {
            pause_briefly();
        } else {
            sched_yield();
        }
    }
    t->missed[m->number] = missed;
    t->delays += missed || k > t->spins;
    return k;
}

struct team *team_start(u32 n)
{
    struct team *t = aligned_alloc(64, round_up(sizeof *t, 64));
    check(t);
    cpu_set_t allowed;
    bool known = !sched_getaffinity(0, sizeof allowed, &allowed);
    bool enough = known && n <= (u32)CPU_COUNT(&allowed);
    *t = (struct team){.n = 1, .spins = enough ? SPINS : 1, .late = enough ? LATE : 0,
                       .wake_every = enough ? 1 : PHASES_ASLEEP};
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; t->n < min_u32(n, TEAM_MOST); t->n++) {
        struct member *m = &t->member[t->n];
        m->team = t;
        m->number = t->n;
        if (pthread_create(&m->thread, NULL, work, m)) break;
        threads_n++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t;
}

u32 team_members(const struct team *t) { return t->n; }

u32 team_delays(struct team *t)
{
    u32 n = t->delays;
    t->delays = 0;
    return n;
}

void team_begin(struct team *t, u32 n,
                void (*part)(void *of, u32 member, const u64 words[TEAM_WORDS]), void *of,
                const u64 words[TEAM_WORDS])
{
    t->phase++;
    t->taking_part = n;
    t->part = part;
    t->of = of;
    memcpy(t->words, words, sizeof t->words);
    for (u32 k = 1; k < n; k++) start(&t->member[k], t);
}

u32 team_end(struct team *t)
{
    u32 looks = 0;
    t->part(t->of, 0, t->words);
    for (u32 k = 1; k < t->taking_part; k++) looks += finish(&t->member[k], t->phase);
    return looks;
}

void team_stop(struct team *t)
{
    if (!t) return;
    t->wake_every = 1;
    team_begin(t, t->n, NULL, NULL, (u64[TEAM_WORDS]){0});
    for (u32 k = 1; k < t->n; k++) pthread_join(t->member[k].thread, NULL);
    threads_n -= t->n - 1;
    free(t);
}
