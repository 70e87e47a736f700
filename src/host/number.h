/* Numbers as written by a user, and their exact conversion to the types of kernel parameters and
 * buffers. A number without fraction, also in the form 2k or 1.5M, fits every float type and every
 * integer type wide enough for the value, signed or not; a number with a point or an exponent fits
 * only floats. Used for the arguments and buffer contents of app files and for parameters of
 * programs. */
#ifndef CORUN_NUMBER_H
#define CORUN_NUMBER_H

#include "base/text.h"
#include "isa/type.h"

struct number {
    bool fraction; /* written with a point, an exponent, or as inf or nan: value in `real` */
    bool negative; /* otherwise sign and magnitude, -2^63 .. 2^64 - 1 */
    u64 magnitude;
    double real;
};

/* Parses exactly text[0..n). Returns false with the error in `why`. */
bool number_parse(const char *text, size_t n, struct number *out, struct text *why);
double number_real(const struct number *v);
u64 number_bits(const struct number *v); /* two's complement; `v` has no fraction */

static inline bool type_is_float(enum type t) { return t == T_F16 || t == T_F32 || t == T_F64; }
/* Writes `v` as little-endian bytes of type `t` (integer, untyped bits or float). Returns false if
 * `v` does not fit, with the reason in `why`. */
bool number_encode(const struct number *v, enum type t, u8 *out, struct text *why);

/* Convert with exact rounding to nearest even; overflow gives infinity. */
u16 half_from_double(double v);
double half_to_double(u16 bits);

#endif
