/* Parameters of the kernel, for both sides. */
#ifndef CORUN_FFT_KERNELS_H
#define CORUN_FFT_KERNELS_H

enum fft_kind { /* of the elements at a side */
    FFT_COMPLEX,
    FFT_REAL,     /* stored: the real parts */
    FFT_HERMITIAN /* loaded: the first half; the others are conjugates */
};

struct fft_side {
    void *at;
    long long step;     /* between neighbours of a line, in elements */
    long long outer[3]; /* between lines, by each of three positions */
    int kind;
    int along; /* neighbouring threads take neighbours of a line, else of different lines */
};

enum { FFT_RADICES = 12 };

/* A pass of Stockham's algorithm over lines of n elements: `radix` is a factor of n, and `before`
 * the product of the factors of earlier passes. An item is `radix` elements of a line. */
struct fft_pass {
    struct fft_side in, out;
    long long lines[3]; /* number of lines, by each of three positions */
    long long n, before;
    long long present, kept; /* elements read, others are zero; elements written */
    int radix, together;     /* together: items of a block */
    int radix_n;
    unsigned char radices[FFT_RADICES];   /* factors of `radix` */
    const void *roots;                    /* exp(-2 pi i k / n) */
    const void *in_factors, *out_factors; /* NULL: none */
    int conjugate_in;                     /* after the load */
    int conjugate_product, conjugate_out; /* before and after the product with out_factors */
};

struct fft_item { /* in shared memory */
    long long in, out; /* first elements of the line */
    long long group;   /* first element of the item in the line */
    long long turn;    /* element q is multiplied by roots[q * turn] */
    long long first;   /* first element written */
};

#endif
