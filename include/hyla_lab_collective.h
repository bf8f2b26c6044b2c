/* hyla_lab, collectives: broadcasts, exchanges and others, as the papers compare them.  hyla_lab.h
 * includes this header. */
#ifndef HYLA_LAB_COLLECTIVE_H
#define HYLA_LAB_COLLECTIVE_H 1

#include <hyla.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------- collective -- */

/* A collective operation over the whole cube, as the papers compare them, in words of 8 bytes.
 *   name     broadcast, reduce, allreduce, scatter, gather, allgather, reduce-scatter, partial,
 *            exchange, permute, partial-exchange, partial-gather, window, band-exchange,
 *            band-broadcast
 *   variant  NULL: the planner chooses for alpha and beta
 *   words    of one message: all data for broadcast, reduce and allreduce, else the data for or
 *            from one node
 *   root     of broadcast, reduce, scatter, gather; the sender in variants of permute with one
 *            sender; 0 for others
 *   distance from that sender to its receiver; 0: the opposite corner.  For variants of permute
 *            that rotate a line in Gray code: the places, from 1 to 2^d - 1; 0: floor(2^d / 3).
 *            For exchange and band-*: b + 1 for a band of 2^(b+1) + 1; 0: no band, or the widest
 *            for `v92-band'.  For window: its dimensions; 0: all.  0 for others
 *   active   for partial*: the number of active nodes; 0: all.  For band-*: the number of matrices.
 *            0 for others
 *   which    for partial*: the active nodes, `active' numbers; NULL: the first ones
 *   nearest, farthest  for exchange: each node has messages only for nodes at these distances, from
 *            1; farthest 0: for all nodes
 *   tags     for exchange: the length of `tag'.  Each node x has messages only for the nodes x XOR
 *            t, t one of these numbers; 0: for all nodes
 *   phases   for the exchange by `multiphase': the number of phases; phase: the dimensions of each,
 *            from 1, with the cube's as their sum; 0: the best ones
 *   alpha    time to start a packet; beta: time per word.  They decide the variant, and the number
 *            of packets into which a pipelined variant cuts a message.  Both 0: those of the cube's
 *            machine. */
typedef struct hyla_collective {
  const char *name;
  const char *variant;
  int64_t words;
  int root;
  int distance;
  int active;
  const int *which;
  int nearest;
  int farthest;
  int tags;
  const int *tag;
  int phases;
  int phase[HYLA_DIMS_MAX];
  double alpha;
  double beta;
} hyla_collective;

/* The result of a run.
 *   predicted, counted  cost on the busiest node
 *   ports, switching    of the machine for which the variant is
 *   formula             the paper and the place of the closed form; "" if there is none
 *   closed_form         the form, a time, in the letters of doc/formulas.md; "" if there is none
 *   formula_value       its value; NaN unless it holds for this length and machine.  If the variant
 *                       reserves steps that nobody needs (partial), seconds may be less
 *   reason              why this variant was chosen, and the others were not
 *   letters             the form's letters with their values, "d = 4, m = 60, tau = 1, beta = 1,
 *                       g = 3"
 *   published           a paper's claim about this task, if it differs from the variant's time:
 *                       formula, place, and steps of whole messages; "" without one
 *   published_value     this claim as a time; else NaN */
typedef struct hyla_collective_result {
  char variant[32];
  hyla_cost predicted;
  hyla_cost counted;
  hyla_ports ports;
  hyla_switching switching;
  char formula[96];
  double formula_value;
  double seconds;
  double seconds_predicted;
  char reason[4096];
  char closed_form[256];
  char letters[256];
  char published[256];
  double published_value;
} hyla_collective_result;

/* Collective; collective and its members: global.  Runs the collective once on data that show which
 * words came from where, and checks every word on every node: a wrong one gives COMMUNICATION.
 * seconds: the time of the run without planning, on the slowest rank; on a simulated cube its
 * virtual time.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_collective_run(hyla_cube *cube, const hyla_collective *collective,
                                         hyla_collective_result *result);

/* Collective; collective and its members: global.  Runs MPI's own operation instead of hyla's once,
 * on the same data, with the same check, for comparison.  An exchange with some nodes, a partial
 * exchange and a partial gather are MPI_Alltoallv, partial is MPI_Allgatherv, a permutation is
 * MPI_Sendrecv.  The variant only decides who sends to whom.  seconds: on the slowest rank.  It
 * blocks in MPI, and no timeout ends it.  ARGUMENT, MISMATCH, UNSUPPORTED (operations that MPI does
 * not have, virtual cubes, ranks that are not nodes, sizes beyond MPI's counts), MEMORY,
 * COMMUNICATION, BROKEN. */
HYLA_API hyla_status hyla_collective_run_mpi(hyla_cube *cube, const hyla_collective *collective,
                                             double *seconds);

/* Collective; collective and its members: global.  The plan of hyla_collective_run, for
 * hyla_plan_variant, _cost, _seconds, _candidate and _explain; hyla_plan_run does not run it.  On a
 * virtual cube with clocks, for its own times or for given ones, every variant is rehearsed.  The
 * caller owns *plan.  Statuses of hyla_collective_run. */
HYLA_API hyla_status hyla_collective_plan(hyla_cube *cube, const hyla_collective *collective,
                                          hyla_plan **plan);

/* Local; a failure's message is the cube's, and only its dimensions matter.  For an exchange by a
 * named variant: messages[i] is the number of a node's messages that are transmitted over i links
 * one after the other, from the variant's schedule; it is the same for all nodes (Nicol and Bokhari
 * 1994, section 1).  A message that a phase of `multiphase' sends over a circuit is transmitted
 * once there; a message that is cut counts as its parts do.  ARGUMENT, UNSUPPORTED (other
 * collectives; within a band; a variant that does not apply), MEMORY. */
HYLA_API hyla_status hyla_collective_transmissions(hyla_cube *cube,
                                                   const hyla_collective *collective,
                                                   int64_t messages[HYLA_DIMS_MAX + 1]);

/* Lower bounds for any variant, on nodes with these ports and this switching (Stout and Wagar 1990,
 * section 9; Bertsekas et al. 1991, table 1; Varvarigos 1992, chapter 2, theorem 1).
 *   time           with the collective's alpha and beta
 *   transmissions  of whole messages over links, by all nodes; 0: no bound is known
 *   formula        of the time, in the letters of doc/formulas.md.  It leaves out one start for
 *                  each link to the farthest node, which may be more
 *   reference      the paper and the place */
typedef struct hyla_bound {
  double time;
  int64_t transmissions;
  char formula[96];
  char reference[96];
} hyla_bound;

/* Local; a failure's message is the cube's, and only its dimensions matter.  A permutation is the
 * one of hyla_collective_run.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_collective_bound(hyla_cube *cube, const hyla_collective *collective,
                                           hyla_ports ports, hyla_switching switching,
                                           hyla_bound *bound);

#ifdef __cplusplus
}
#endif

#endif
