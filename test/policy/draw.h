/* Pseudo-random numbers for test policies: the high bits of Knuth's 64-bit linear congruential
 * generator. */
#include <stdint.h>

static inline uint32_t draw(uint64_t *number, uint32_t below)
{
    *number = *number * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((*number >> 33) % below);
}
