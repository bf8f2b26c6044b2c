/* hyla_lab, collectives: broadcasts, exchanges and others, as the papers compare them.  hyla_lab.h
 * includes this header. */
#ifndef HYLA_LAB_COLLECTIVE_H
#define HYLA_LAB_COLLECTIVE_H 1

#include <hyla.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------- collective -- */

/* The link between two neighbours of the cube, in both directions. */
typedef struct hyla_lost_link {
  int node;
  int peer;
} hyla_lost_link;

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
 *            For variants of permute with one sender: 2 if its receiver sends back as much at
 *            the same time.  0 for others
 *   which    for partial*: the active nodes, `active' numbers; NULL: the first ones
 *   nearest, farthest  for exchange: each node has messages only for nodes at these distances, from
 *            1; farthest 0: for all nodes
 *   tags     for exchange: the length of `tag'.  Each node x has messages only for the nodes x XOR
 *            t, t one of these numbers; 0: for all nodes
 *   phases   for the exchange by `multiphase': the number of phases; phase: the dimensions of each,
 *            from 1, with the cube's as their sum; 0: the best ones
 *   lost     `lost_count' links that must not be crossed; variants that cannot go round them do
 *            not apply
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
  int lost_count;
  const hyla_lost_link *lost;
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
 *   reference      the paper and the place
 *   starts         scatter and gather with all ports: the k of (2^d-1) tau m / d + k beta, where
 *                  that is the bound; else 0
 *   sized_time     broadcast, reduce and permutations with one sender, with all ports: the bound
 *                  for packets that all have one size, of any size; else 0
 *   sized_words    the best such size; 0: no whole number of words */
typedef struct hyla_bound {
  double time;
  int64_t transmissions;
  char formula[96];
  char reference[96];
  int starts;
  double sized_time;
  int64_t sized_words;
} hyla_bound;

/* Local; a failure's message is the cube's, and only its dimensions matter.  A permutation is the
 * one of hyla_collective_run.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_collective_bound(hyla_cube *cube, const hyla_collective *collective,
                                           hyla_ports ports, hyla_switching switching,
                                           hyla_bound *bound);

/* ---------------------------------------------------- other networks -- */

/* A variant of a collective on an array, a torus or a folded cube, on paper: all ports, a packet of
 * n words takes alpha + beta n over a link, a step as long as its longest packet.
 *   variant        its name; "" beyond the last variant
 *   reason         why it does not serve; "" if it does.  After ARGUMENT: what is wrong
 *   reference      as hyla_variant_reference
 *   nodes          of the network
 *   steps, words   counted from the schedules of all nodes: steps that carry a packet, and the
 *                  words of the longest packet of each step, added
 *   seconds        steps alpha + words beta
 *   reserved_steps, reserved_seconds  the same for all steps of the schedule.  Some have a step for
 *                  each place that a message may come from (partial): where these nodes send
 *                  nothing in it, it lasts as long as the one before
 *   transmissions  packets times links, of all nodes
 *   busiest        the largest of each of a node's counts
 *   formula, closed_form, formula_value, letters, published, published_value  as those of
 *                  hyla_collective_result.  The value is for all steps of the schedule */
typedef struct hyla_network_variant {
  char variant[32];
  char reason[256];
  char reference[96];
  int nodes;
  int64_t steps;
  int64_t words;
  double seconds;
  int64_t reserved_steps;
  double reserved_seconds;
  int64_t transmissions;
  hyla_cost busiest;
  char formula[96];
  char closed_form[256];
  double formula_value;
  char letters[256];
  char published[256];
  double published_value;
} hyla_network_variant;

/* Local.  The i-th variant, from 0, on a network: "line:7", "ring:7", "array:7x7", "torus:4x6x6",
 * "folded:6".  If the collective names a variant, any other one is named, or refused, without
 * counts, which on large networks take long.  Distance, nearest, farthest, tags and phases must be
 * 0; root is a node of the network.  A permutation packs the active nodes' messages on the
 * first nodes, or if none are given turns the order of all nodes round.  counts: as in
 * hyla_message, for the nodes of the network; NULL: all blocks have `words' words.  ARGUMENT,
 * MEMORY.  bound: with the ports of the network. */
HYLA_API hyla_status hyla_network_variant_at(const char *network, const hyla_collective *collective,
                                             const int64_t *counts, int i,
                                             hyla_network_variant *variant);
HYLA_API hyla_status hyla_network_bound(const char *network, const hyla_collective *collective,
                                        const int64_t *counts, hyla_bound *bound);

/* A packet of a schedule on a network.
 *   peer   a neighbour; on a cube it may be any node
 *   port   the node's own: on arrays and tori 2a goes up along axis a, 2a + 1 down; on cubes and
 *          folded cubes port i < d flips bit i, on these port d all bits.  The last axis is the
 *          fastest.  To a node that is no neighbour: the lowest bit that differs
 *   block  the node whose block is the first in it; -1: words that pass through */
typedef struct hyla_network_packet {
  int step;
  int node;
  int peer;
  int port;
  int64_t words;
  int block;
} hyla_network_packet;
typedef void hyla_network_visit(const hyla_network_packet *packet, void *arg);

/* Local.  Shows all packets of the collective's variant, step by step; on a cube, "cube:6", too.
 * time: with nodes that take their next step when their own packets of the last one have ended; a
 * packet to a node that is no neighbour counts as one over a link.  reason: why it failed.
 * ARGUMENT, UNSUPPORTED, MEMORY. */
HYLA_API hyla_status hyla_network_play(const char *network, const hyla_collective *collective,
                                       const int64_t *counts, hyla_network_visit *visit, void *arg,
                                       double *time, char *reason, size_t size);

#ifdef __cplusplus
}
#endif

#endif
