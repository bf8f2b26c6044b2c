/* The mean number of links from node to node in an enhanced cube, over all cubes that can be drawn,
 * if each message goes to the neighbour that leaves the fewest bits.  Varvarigos 1992, 7.2, figure
 * 7.3, whose plot is a simulation; the recursion is ours. */
#include "hyla_embedding.h"

double hyla_topology_greedy(int dims) {
  double share[HYLA_DIMS_MAX + 1], links[HYLA_DIMS_MAX + 1], mean = 0;
  if (dims < 0 || dims > HYLA_DIMS_MAX) return -1;
  share[0] = 1;
  for (int i = 0; i < dims; i++) share[0] /= 2;
  for (int k = 0; k < dims; k++) share[k + 1] = share[k] * (dims - k) / (k + 1);
  links[0] = 0;
  for (int h = 1; h <= dims; h++) {
    double rest = 1;
    links[h] = 1;
    for (int k = 0; k < h - 1; k++) {
      links[h] += share[k] * links[k];
      rest -= share[k];
    }
    links[h] += rest * links[h - 1];
  }
  for (int h = 0; h <= dims; h++) mean += share[h] * links[h];
  return mean;
}
