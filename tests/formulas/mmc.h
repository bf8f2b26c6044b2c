/* The multiplications of Johnsson 1987, section 5, in the paper's own form.
 *
 * C := C + A B on a 2^k x 2^k array.  A node has q1 q2 elements of A, q2 q3 of B, q1 q3 of C.
 * Element (I, J) of A at node (i, m) and (J, L) of B at (m, j) are multiplied at node (i, j), so
 * there are q = q1 q2 q3 products for each m.  The elements of A move within the rows of the array
 * and those of B within its columns, on links of their own.  So each line, a row for A or a column
 * for B, is a k-cube whose schedule the verifier walks: only neighbours communicate, one element a
 * link and step; nothing is sent before it is there; all elements are everywhere at the end.
 *
 * Elements travel in slots.  In the paper's count each product has a slot, so an element of A is
 * sent q3 times and one of B q1 times at each block step; with s = max(q1, q3) q2 slots each is
 * sent once. */
#ifndef MMC_H
#define MMC_H 1

#include "paper.h"

#include <stdio.h>

enum { K_MAX = 5, NODES_MAX = 1 << K_MAX, SLOTS_MAX = 12 };

/* One factor's movement along one line. */
struct line {
  int k;
  int number;                       /* i of a row, j of a column */
  int words;                        /* of the factor on a node */
  int slots;                        /* at a block step */
  int word[SLOTS_MAX];              /* the word that travels in a slot; -1: none */
  int set_up;                       /* steps before the first block step */
  uint8_t route[NODES_MAX * K_MAX]; /* MMC2: hy_rotation_disjoint */
  uint8_t *last_link; /* MMC4.2: [m][slot][node], the link over which an element comes to a node */
};

struct algorithm {
  const char *name;
  const char *theorem;
  const char *formula; /* with q, s as above */
  const char *once;    /* the same with s slots */
  const char *remark;
  hyla_status (*make)(const struct hy_generator *generator, uint32_t node,
                      struct hy_schedule *schedule);
  void (*prepare)(struct line *line); /* may be NULL; the caller frees last_link */
  bool tour;      /* elements change places; otherwise they go out from a root */
  bool gray;      /* the code of places */
  bool from_zero; /* the root is place 0; otherwise the owner */
  int more;       /* steps from one outer product to the next, besides the slots */
  bool in_order;  /* the elements of successive m come to every node in that order */
};

/* The five algorithms, and MMC4.2 along binomial trees, on which elements meet. */
enum { MMC_COUNT = 5 };
extern const struct algorithm mmc_algorithms[MMC_COUNT], mmc_binomial;

/* The arrivals at one node at one time. */
struct arrivals {
  int count;
  uint32_t ways[SLOTS_MAX + K_MAX]; /* the links over which each may come, as a mask */
  uint8_t *link[SLOTS_MAX + K_MAX];
};
/* Gives each arrival from x on a link of its own among those not taken; false: that is
 * impossible. */
bool mmc_match(const struct arrivals *all, int x, uint32_t taken);

/* Verifies the five algorithms against the theorems' counts and writes the table. */
void mmc_check_all(FILE *page);

#endif
