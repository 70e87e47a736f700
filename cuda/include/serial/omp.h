/* OpenMP's functions for host code in one thread. Without the OpenMP library of clang and with
 * -fopenmp, `corun cc` searches this folder before the folders of clang, otherwise last. */
#ifndef CORUN_SERIAL_OMP_H
#define CORUN_SERIAL_OMP_H

#include <time.h>

#define CORUN_OMP static inline __attribute__((unused))
#ifdef __cplusplus
extern "C" {
#endif
typedef struct { int held; } omp_lock_t;
typedef struct { int depth; } omp_nest_lock_t;
typedef enum omp_sched_t {
    omp_sched_static = 1, omp_sched_dynamic = 2, omp_sched_guided = 3, omp_sched_auto = 4
} omp_sched_t;
typedef enum omp_proc_bind_t {
    omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_master, omp_proc_bind_close,
    omp_proc_bind_spread
} omp_proc_bind_t;

CORUN_OMP int omp_get_num_threads(void) { return 1; }
CORUN_OMP int omp_get_max_threads(void) { return 1; }
CORUN_OMP int omp_get_thread_num(void) { return 0; }
CORUN_OMP int omp_get_thread_limit(void) { return 1; }
CORUN_OMP int omp_get_num_procs(void) { return 1; }
CORUN_OMP int omp_in_parallel(void) { return 0; }
CORUN_OMP int omp_get_dynamic(void) { return 0; }
CORUN_OMP int omp_get_nested(void) { return 0; }
CORUN_OMP int omp_get_level(void) { return 0; }
CORUN_OMP int omp_get_active_level(void) { return 0; }
CORUN_OMP int omp_get_max_active_levels(void) { return 1; }
CORUN_OMP int omp_get_ancestor_thread_num(int level) { return level ? -1 : 0; }
CORUN_OMP int omp_get_team_size(int level) { return level ? -1 : 1; }
CORUN_OMP int omp_get_num_teams(void) { return 1; }
CORUN_OMP int omp_get_team_num(void) { return 0; }
CORUN_OMP int omp_get_num_devices(void) { return 0; }
CORUN_OMP int omp_get_default_device(void) { return 0; }
CORUN_OMP int omp_get_initial_device(void) { return 0; }
CORUN_OMP int omp_is_initial_device(void) { return 1; }
CORUN_OMP int omp_get_cancellation(void) { return 0; }
CORUN_OMP omp_proc_bind_t omp_get_proc_bind(void) { return omp_proc_bind_false; }
CORUN_OMP void omp_set_num_threads(int n) { (void)n; }
CORUN_OMP void omp_set_dynamic(int on) { (void)on; }
CORUN_OMP void omp_set_nested(int on) { (void)on; }
CORUN_OMP void omp_set_max_active_levels(int n) { (void)n; }
CORUN_OMP void omp_set_default_device(int device) { (void)device; }
CORUN_OMP void omp_set_schedule(omp_sched_t kind, int size) { (void)kind, (void)size; }
CORUN_OMP void omp_get_schedule(omp_sched_t *kind, int *size)
{
    *kind = omp_sched_static;
    *size = 0;
}

CORUN_OMP void omp_init_lock(omp_lock_t *lock) { lock->held = 0; }
CORUN_OMP void omp_destroy_lock(omp_lock_t *lock) { (void)lock; }
CORUN_OMP void omp_set_lock(omp_lock_t *lock) { lock->held = 1; }
CORUN_OMP void omp_unset_lock(omp_lock_t *lock) { lock->held = 0; }
CORUN_OMP int omp_test_lock(omp_lock_t *lock) { return lock->held ? 0 : (lock->held = 1); }
CORUN_OMP void omp_init_nest_lock(omp_nest_lock_t *lock) { lock->depth = 0; }
CORUN_OMP void omp_destroy_nest_lock(omp_nest_lock_t *lock) { (void)lock; }
CORUN_OMP void omp_set_nest_lock(omp_nest_lock_t *lock) { lock->depth++; }
CORUN_OMP void omp_unset_nest_lock(omp_nest_lock_t *lock) { lock->depth--; }
CORUN_OMP int omp_test_nest_lock(omp_nest_lock_t *lock) { return ++lock->depth; }

/* Seconds since some time in the past. */
CORUN_OMP double omp_get_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
CORUN_OMP double omp_get_wtick(void) { return 1e-9; }
#ifdef __cplusplus
}
#endif
#undef CORUN_OMP

#endif
