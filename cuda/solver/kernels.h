/* Parameters of the kernels, for both sides. */
#ifndef CORUN_SOLVER_KERNELS_H
#define CORUN_SOLVER_KERNELS_H

struct solver_matrix { /* element (i, j): at[i * down + j * right] */
    void *at;
    long long down, right;
    int conjugate; /* elements are read conjugated */
};

enum { SOLVER_PANEL = 32, /* columns that are factored in a step */
       SOLVER_TILE = 16 };

#endif
