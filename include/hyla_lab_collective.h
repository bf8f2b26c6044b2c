/* hyla_lab, collectives: broadcasts, exchanges and others, as the papers compare them.  hyla_lab.h
 * includes it. */
#ifndef HYLA_LAB_COLLECTIVE_H
#define HYLA_LAB_COLLECTIVE_H 1

#include <hyla.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------- collective -- */

/* A collective operation over the whole cube, as the papers compare them, in
 * words of 8 bytes.
 *   name     broadcast, reduce, allreduce, scatter, gather, allgather, reduce-scatter, partial,
 *            exchange, permute, partial-exchange, partial-gather, window, band-exchange,
 *            band-broadcast
 *   variant  NULL chooses for alpha and beta
 *   words    of one message: the whole for broadcast, reduce and allreduce, else for or from a node
 *   root     of broadcast, reduce, scatter, gather; the sender of the variants
 *            of permute that send from one node; 0 for others
 *   distance of that sender's receiver; 0: the opposite corner.  Of the variants of permute that
 *            rotate a line under Gray code: the places, from 1 to 2^d - 1, 0: floor(2^d / 3).  Of
 *            exchange and of band-*: b + 1,
 *            where the band is 2^(b+1) + 1, 0: none, of `v92-band' the widest; of window: its
 *            dimensions; 0: all.  0 for others
 *   active   of partial*: how many nodes are active; 0: all.  Of band-*: matrices.  0 for others
 *   which    of partial*: these nodes, `active' numbers; NULL: the first ones
 *   nearest, farthest  of exchange: each node has messages for those at these distances alone, from
 *            1; farthest 0: for all
 *   tags     of exchange: how many numbers tag has; each node x has messages for those nodes alone
 *            whose number is x XOR one of them; 0: for all
 *   phases   of the exchange by `multiphase': how many phases, and phase: the dimensions of each,
 *            from 1, which sum up to the cube's; 0: the best ones
 *   alpha    time to start a packet; beta: time of a word.  For the choice, and
 *            for how many packets a pipelined variant cuts a message into.  Both 0:
 *            those of the cube's machine. */
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

/* What came of one.  predicted, counted: of the busiest node.  formula: the paper and the place
 * where its closed form stands, "" without one; closed_form: the form, a time, in the letters of
 * doc/formulas.md, "" without one; formula_value: its value, NaN unless it holds for this length
 * and machine; where steps are reserved that nobody needs (partial) seconds may be less. ports and
 * switching: of the machine that the variant is for.  reason: why this variant, and why not the
 * others.  letters: the form's letters with their values, "d = 4, m = 60, tau = 1, beta = 1, g =
 * 3". published: what a paper claims of this task where the variant's time is another, formula,
 * place and steps of whole messages, "" where it claims nothing; published_value: as a time, else
 * NaN. */
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

/* Collective; collective, in it: global.  Runs the collective once on data that show whose words
 * came where, and checks every word on every node: a wrong one is COMMUNICATION.  seconds: the time
 * of the run, without planning, on the slowest rank; on a simulated cube its virtual time.
 * ARGUMENT, MISMATCH, UNSUPPORTED, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_collective_run(hyla_cube *cube, const hyla_collective *collective,
                                         hyla_collective_result *result);

/* Collective; collective, in it: global.  MPI's own operation in hyla's place, on the same data,
 * once, checked: for comparison alone.  Of an exchange with some nodes, and of partial exchanges
 * and gathers, it is MPI_Alltoallv, of partial MPI_Allgatherv, of a permutation MPI_Sendrecv; of
 * the variant counts alone whom it sends to.  seconds: on the slowest rank.  It blocks in MPI, and
 * no timeout ends it.  ARGUMENT, MISMATCH, UNSUPPORTED (operations that MPI has not, virtual cubes,
 * ranks that are no nodes, more than MPI counts), MEMORY, COMMUNICATION, BROKEN. */
HYLA_API hyla_status hyla_collective_run_mpi(hyla_cube *cube, const hyla_collective *collective,
                                             double *seconds);

/* Collective; collective, in it: global.  What hyla_collective_run would do, as a plan, for
 * hyla_plan_variant, _cost, _seconds, _candidate and _explain; hyla_plan_run does not run it.  On a
 * virtual cube that takes times, those given or none, every variant is rehearsed.  The caller owns
 * *plan.  Statuses of hyla_collective_run. */
HYLA_API hyla_status hyla_collective_plan(hyla_cube *cube, const hyla_collective *collective,
                                          hyla_plan **plan);

/* Local; the message is the cube's, whose dimensions count.  Of an exchange by a variant that is
 * named: how many of a node's messages are transmitted over 0, 1, ... HYLA_DIMS_MAX links in turn,
 * from the variant's schedule; all nodes' are alike (Nicol and Bokhari 1994, section 1).  A message
 * that a phase of `multiphase' sends over a circuit is transmitted once there; one that is cut
 * counts as its parts do.  ARGUMENT, UNSUPPORTED (other collectives; within a band; a variant that
 * does not apply), MEMORY. */
HYLA_API hyla_status hyla_collective_transmissions(hyla_cube *cube,
                                                   const hyla_collective *collective,
                                                   int64_t messages[HYLA_DIMS_MAX + 1]);

/* What no variant can do in less, on nodes with these ports and this switching (Stout and Wagar
 * 1990, section 9; Bertsekas et al. 1991, table 1; Varvarigos 1992, chapter 2, theorem 1).
 *   time           with the collective's alpha and beta
 *   transmissions  of whole messages over links, by all nodes; 0: no bound is known
 *   formula        of the time, but for a start for each link to the farthest node, which may be
 *                  more; in the letters of doc/formulas.md
 *   reference      the paper and the place */
typedef struct hyla_bound {
  double time;
  int64_t transmissions;
  char formula[96];
  char reference[96];
} hyla_bound;

/* Local; the message is the cube's, whose dimensions count.  A permutation is that of
 * hyla_collective_run.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_collective_bound(hyla_cube *cube, const hyla_collective *collective,
                                           hyla_ports ports, hyla_switching switching,
                                           hyla_bound *bound);

#ifdef __cplusplus
}
#endif

#endif
