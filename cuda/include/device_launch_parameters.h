/* threadIdx and its kin are there without it. */
#ifndef CORUN_DEVICE_LAUNCH_PARAMETERS_H
#define CORUN_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#endif
