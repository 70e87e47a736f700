/* The old name of cublas_v2.h. corun has only the functions with a handle. */
#ifndef CORUN_CUBLAS_H
#define CORUN_CUBLAS_H
#include "cublas_v2.h"
#endif
