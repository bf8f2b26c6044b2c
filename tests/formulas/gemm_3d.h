/* The published times of the multiplications on three loops and on all ports, as Gupta and
 * Sadayappan 1996 compare them, and the simulator's times. */
#ifndef GEMM_3D_H
#define GEMM_3D_H 1

#include <stdio.h>

/* Simulates each on cubes with equal sides and writes the table. */
void gemm_3d_check_all(FILE *page);

#endif
