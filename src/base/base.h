/* Integer types, compiler hints and internal checks. Every file includes this header first. The
 * header contains nothing specific to GPUs. */
#ifndef CORUN_BASE_H
#define CORUN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* specialises on constant arguments */
#define INLINED static inline __attribute__((always_inline))
/* Unrolls the loop that follows, n times. */
#define PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define UNROLLED(n) PRAGMA(clang loop unroll_count(n))
#else
#define UNROLLED(n) PRAGMA(GCC unroll n)
#endif
/* Prefetches an address for a write in the near future. GCC removes calls of a static function
 * without other effects; make a prefetching function INLINED. */
#define prefetch(address) __builtin_prefetch((address), 1)

enum { LANES = 32 };         /* threads of a warp */
#define NEVER UINT64_MAX     /* later than every cycle */

/* Checks an internal invariant. Checks are always compiled in, cheap and free of side effects. A
 * failed check prints its location and exits with status 3. */
#define check(cond) \
    do { if (unlikely(!(cond))) check_failed(#cond, __FILE__, __LINE__); } while (0)
_Noreturn void check_failed(const char *cond, const char *file, int line);
/* Reports how much memory was wanted and for what purpose, and exits with status 2. No caller can
 * continue without the memory. */
_Noreturn void out_of_memory(u64 bytes, const char *what);
/* Checks an invariant without regard to cost; active only in the hardened build (make hard). */
#ifdef CORUN_HARD
enum { HARD = 1 };
#else
enum { HARD = 0 };
#endif
#define hard_check(cond) \
    do { if (HARD) check(cond); } while (0)

static inline u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }
static inline u64 min_u64(u64 a, u64 b) { return a < b ? a : b; }
static inline bool is_power_of_two(u32 n) { return n && !(n & (n - 1)); }
static inline u64 max_u64(u64 a, u64 b) { return a > b ? a : b; }
static inline u64 div_up(u64 a, u64 b) { return (a + b - 1) / b; }
static inline u64 round_up(u64 a, u64 multiple) { return div_up(a, multiple) * multiple; }
static inline u64 common_divisor(u64 a, u64 b) /* greatest common divisor */
{
    while (b) {
        u64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
