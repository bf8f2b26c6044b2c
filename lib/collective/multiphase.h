/* The best partition of the multiphase exchange on a circuit-switched machine.  Private to this
 * room and its tests.  (Nicol and Bokhari 1994)
 *
 * One phase that exchanges directly in subcubes of x of the d dimensions costs
 *   P(x) = (2^x - 1)(lambda + delta + 2^(d-x) m tau) + 2^d m rho + omega
 * where m is the length of one message.  A partition writes d as a sum of phases. */
#ifndef HY_MULTIPHASE_H
#define HY_MULTIPHASE_H 1

#include "base/base.h"

struct hy_circuits {
  double lambda; /* start of a message */
  double tau;    /* a word (in Nicol and Bokhari's tables: a byte) */
  double delta;  /* the path of a message, on average */
  double rho;    /* moving a word inside a node, once in each phase */
  double omega;  /* a barrier, once in each phase */
};

/* The iPSC/860 as printed, in microseconds and bytes, for a d-cube. */
struct hy_circuits hy_circuits_ipsc860(int d);

/* P(x), also for real x, and the cost of the equi-partition of d into k phases. */
double hy_phase_cost(int d, double x, double m, const struct hy_circuits *machine);
double hy_partition_cost(int d, int k, double m, const struct hy_circuits *machine);
/* Writes d as k phases that differ by at most one, the smaller ones first. */
void hy_partition_equal(int d, int k, uint8_t *phases);

/* s*, the size from which two halves are better than one phase.  HY_ALWAYS_DIRECT: the direct
 * exchange is best (lemma 1, m below its lower bound); HY_ALWAYS_STANDARD: the standard exchange
 * is. */
double hy_split_point(int d, double m, const struct hy_circuits *machine);
enum { HY_ALWAYS_DIRECT = -1, HY_ALWAYS_STANDARD = -2 };

/* best: the number of phases of the best equi-partition; ties go to the fewest phases.  search: the
 * same by theorem 3, which tries only a few partitions; *tried: their number. */
int hy_partition_best(int d, double m, const struct hy_circuits *machine);
int hy_partition_search(int d, double m, const struct hy_circuits *machine, int *tried);

/* The next partition of the same number, larger phases first, from one phase down to phases of 1.
 * Room for d phases.  Returns the number of phases; 0 behind the last partition. */
int hy_partition_next(uint8_t *phases, int count);
/* The cheapest of all partitions, larger phases first, its cost, and the number of partitions.
 * Room for d phases.  Returns the number of phases. */
int hy_partition_of_all(int d, double m, const struct hy_circuits *machine, uint8_t *phases,
                        double *cost, int64_t *partitions);

/* The lower envelope over m: phases[i] phases are best from m = from[i] to from[i + 1].  Room for d
 * entries.  Returns the number of entries. */
int hy_partition_envelope(int d, const struct hy_circuits *machine, double *from, int *phases);

#endif
