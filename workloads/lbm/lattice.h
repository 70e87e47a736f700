/* The D3Q19 lattice: the velocities of the populations along x, y and z, the weights of their
 * equilibrium, the population of opposite direction; kinds of cells. The kernel and the CPU
 * reference read the same table. */
#ifndef CORUN_WORKLOADS_LATTICE_H
#define CORUN_WORKLOADS_LATTICE_H

enum { POPULATIONS = 19 };
enum { FLUID, SOLID, LID };

#define LATTICE_X {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0}
#define LATTICE_Y {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1}
#define LATTICE_Z {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1}
#define LATTICE_BACK {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17}
#define LATTICE_WEIGHT(q) ((q) == 0 ? 1.0f / 3.0f : (q) < 7 ? 1.0f / 18.0f : 1.0f / 36.0f)

#define LBM_OMEGA 1.85f /* relaxation per step */
#define LBM_LID_X 0.005f /* velocity of the fluid under the lid */
#define LBM_LID_Y 0.002f

#endif
