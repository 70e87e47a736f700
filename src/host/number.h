/* Numbers as a user writes them, and their exact conversion to the types of kernel parameters and
 * buffers. A number without fraction fits every integer type whose width holds it, signed or not,
 * and every float, also 2k and 1.5M; a number written with a point or an exponent fits floats only.
 * Used by the app file's arguments and buffer contents and by parameters of programs. */
#ifndef CORUN_NUMBER_H
#define CORUN_NUMBER_H

#include "base/text.h"
#include "isa/inst.h"

struct number {
    bool fraction; /* written with a point, an exponent, or as inf or nan: `real` holds it */
    bool negative; /* else: sign and magnitude, -2^63 .. 2^64 - 1 */
    u64 magnitude;
    double real;
};

/* All of text[0..n). false: `why` says what is wrong with it. */
bool number_parse(const char *text, size_t n, struct number *out, struct text *why);
double number_real(const struct number *v);
u64 number_bits(const struct number *v); /* two's complement; v without fraction */

bool type_is_float(enum type t); /* f16, f32, f64 */
/* Little-endian bytes of `v` as type `t` (integer, untyped bits or float). false: it does not fit,
 * `why` says so. */
bool number_encode(const struct number *v, enum type t, u8 *out, struct text *why);

/* Round to nearest even, exactly; overflow gives infinity. */
u16 half_from_double(double v);
double half_to_double(u16 bits);

#endif
