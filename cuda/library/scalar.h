/* alpha or beta of a call, for host and kernels. */
#ifndef CORUN_LIBRARY_SCALAR_H
#define CORUN_LIBRARY_SCALAR_H

/* On the host, or at a device address in the type of the scalars of the call. */
struct library_scalar {
    double re, im;
    const void *at; /* NULL: re, im */
};

#endif
