/* Integer names, compiler hints and the internal check; every file includes this first.
 * Knows nothing of GPUs. */
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
#define INLINED static inline __attribute__((always_inline)) /* an argument is a known number */
/* It will be written soon. GCC drops calls of a static function that does nothing else: make such a
 * function INLINED. */
#define prefetch(address) __builtin_prefetch((address), 1)

enum { LANES = 32 };         /* threads of a warp */
#define NEVER UINT64_MAX     /* a cycle that does not come */

/* An internal invariant: always on, cheap, no side effects. When it fails: the place, exit 3. */
#define check(cond) \
    do { if (unlikely(!(cond))) check_failed(#cond, __FILE__, __LINE__); } while (0)
_Noreturn void check_failed(const char *cond, const char *file, int line);
/* There is nothing to go on with: how much was wanted for what, exit 2. */
_Noreturn void out_of_memory(u64 bytes, const char *what);
/* An invariant that may cost what it likes: only in the hostile build (make hard). */
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
static inline u64 common_divisor(u64 a, u64 b) /* the greatest */
{
    while (b) {
        u64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
