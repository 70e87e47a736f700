/* threadIdx and related variables are defined without this header. */
#ifndef CORUN_DEVICE_LAUNCH_PARAMETERS_H
#define CORUN_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#endif
