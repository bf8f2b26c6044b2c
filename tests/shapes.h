/* Matrices whose blocks stay whole between arrays of other shapes and codes, on simulated cubes. */
#ifndef SHAPES_H
#define SHAPES_H 1

#include <stdio.h>

/* Transposes and quarter turns from 2^r x 2^c nodes to 2^c x 2^r, and to another code: the time of
 * PERMUTED SEND by the simulator's clock equals its closed form, what is counted its cost.  Writes
 * the section to the page. */
void shapes_check_all(FILE *page);

#endif
