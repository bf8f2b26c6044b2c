/* hyla_lab: experiments with communication, for those who study it.
 *
 * It includes hyla.h, whose conventions hold here too; programs that compute need hyla.h alone.
 *   collective  broadcasts, exchanges and others, as the papers compare them, in
 *               hyla_lab_collective.h
 *   simulate    any program of the library on a virtual cube
 *   arrays      rows x columns of nodes for a number of ranks, by predicted time
 *   traffic     packets that arrive at random, routed in slots
 *   sweeps      blocks of columns that travel in Jacobi's method
 *   embedding   meshes, tori and trees on the cube, with dilation and expansion, in
 *               hyla_embedding.h
 *   reservations  delays of packets that wait for their turn in a period, in
 *               hyla_reservations.h
 *   text        text files, written completely or not at all */
#ifndef HYLA_LAB_H
#define HYLA_LAB_H 1

#include <hyla.h>
#include <hyla_embedding.h>
#include <hyla_lab_collective.h>
#include <hyla_reservations.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------- partitions -- */

/* Phases of the exchange by `multiphase': their dimensions, with the cube's as their sum.
 *   from        the least bytes of a message for which they are the best
 *   empty, byte seconds of an exchange of empty messages, and seconds added by each byte */
typedef struct hyla_phases {
  double from;
  double empty, byte;
  int count;
  int phase[HYLA_DIMS_MAX];
} hyla_phases;

/* Local; needs no MPI.  The best phases on 2^dims nodes with circuits, for all message lengths,
 * with the machine's alpha, beta, rho and, for each dimension of the cube, delta and omega (Nicol
 * and Bokhari 1994, (1), (2) and theorem 1).  best: room for dims entries.  Returns their number;
 * -1 for NULL and for invalid dims. */
HYLA_API int hyla_exchange_envelope(const hyla_machine *machine, int dims, hyla_phases *best);

/* Local; needs no MPI.  All partitions of the cube's dimensions into phases, the larger phases
 * first, from the direct exchange to the standard one, with empty and byte (from is 0).  Writes the
 * first `room' of them.  Returns the number of all, 627 on the largest cube; -1 as above, or if all
 * is NULL and room is not 0. */
HYLA_API int64_t hyla_exchange_partitions(const hyla_machine *machine, int dims, hyla_phases *all,
                                          int64_t room);

/* The search for the best phases for one message length.
 *   best, seconds              the best of all partitions, by trying each one
 *   partitions                 the number of partitions
 *   searched, searched_seconds the phases found by theorem 3
 *   tried                      the number of partitions that theorem 3 compares, at most
 *                              2 (sqrt(dims) + 1)
 *   split                      s*, the least dimensions of a phase whose two halves cost less; -1:
 *                              the direct exchange is the best, -2: the standard one is */
typedef struct hyla_phase_search {
  hyla_phases best;
  double seconds;
  int64_t partitions;
  hyla_phases searched;
  double searched_seconds;
  int tried;
  double split;
} hyla_phase_search;

/* Local; needs no MPI.  bytes: of a message, from 0.  ARGUMENT. */
HYLA_API hyla_status hyla_exchange_search(const hyla_machine *machine, int dims, double bytes,
                                          hyla_phase_search *found);

/* ------------------------------------------------------------- simulate -- */

/* The machine on which a program is simulated.  Its clocks are virtual.  A message of n bytes takes
 * alpha + beta n over each link that it crosses; a link carries one message at a time in each
 * direction.  A message to a distant node crosses the dimensions in which the two addresses differ,
 * the lowest first.  It waits when a link is taken; with circuits it waits for all of its links.
 * Variants are chosen for alpha, beta and gamma, unless all are 0.
 *   gamma     seconds of one real double operation, scaled for other types; 0: operations take no
 *             time
 *   machine   NULL, or the machine to simulate instead of ports, switching, alpha, beta and gamma,
 *             with delta for the cube's dimensions.  Variants are chosen for it.  Its rho takes no
 *             time in a run, but with it predictions include the busiest node's copies
 *   limit     a message that arrives more than this after its receiver began to wait is TIMEOUT;
 *             0: no limit
 *   dry       counts and times without data, for cubes of many nodes.  Matrices take no memory and
 *             must not be touched (hyla_matrix_local lends addresses that fault), filling them does
 *             nothing, messages carry no bytes.  Calls whose course or answer depends on data are
 *             UNSUPPORTED (factorizations that look for pivots, which can be planned; norms, single
 *             entries, files), except LU, whose pivots are drawn.  All others run as ever, without
 *             checks
 *   options   of the nodes' cubes; NULL: the defaults
 *   rehearsed the most messages of a choice's rehearsals, all candidates together.  A choice that
 *             needs more is made from counts; 0: no limit
 *   observer  is called for each event, in this call's thread; it must not call the library.  NULL:
 *             none
 *   network   NULL or "": that of the machine, if it names one, else the cube.  Or a network of N
 *             nodes, as in "torus:6x6"; dims is then not read.  The program runs on all N nodes, as
 *             on N ranks: 2^d are nodes of the cube, the others guests, and the collectives of an
 *             array, torus or folded cube take all N on this network (hyla_options.network).  A
 *             message takes the links on its way through the network, which goes along the last
 *             axis first.  "switch:N": N nodes without links, whose messages wait for ports alone
 *   array     NULL or "": as the options say, a cube if they say nothing.  Or rows x columns of
 *             nodes, as in "2x3": in place of the option `array', and of dims if no network is
 *             named; the nodes are then those of a cube if their number is a power of two, else on
 *             a switch
 *   fault_at  the message with this number, counted from 1 in the order of sending, meets the
 *             fault; later messages are sound
 *   lost      `lost_count' links on which each message with data is lost, as such a fault */
typedef enum hyla_fault {
  HYLA_FAULT_NONE,
  HYLA_FAULT_LOST,
  HYLA_FAULT_DELAYED, /* by fault_delay */
  HYLA_FAULT_CORRUPTED
} hyla_fault;

/* An event on a node of a virtual cube, with its virtual times.  The spans of a node's COMPUTE,
 * WAIT and AGREE follow each other without gaps until it ends; some take no time.
 *   COMPUTE  the library computed; operations: their number, each of gamma
 *   WAIT     the node waited for `message'
 *   AGREE    the node waited until all nodes had come to agree
 *   MESSAGE  the peer received `message' of `bytes' bytes from the node, and reports it: from the
 *            start of its first byte to the arrival of its last one.  left: when it had left the
 *            node's link.  crossed: when it had crossed all its links, which is before the end if
 *            the receiver's one port was busy
 *   START    the node started `message', which leaves then.  packet: -1, or the number of a packet
 *            that leaves as soon as everything it needs is there, wherever the node is then.  A
 *            packet to the node itself takes no time
 *   FREE     from now on packets may leave so, none before the time on this node's clock
 *   NEED     `packet' leaves only after `message' is received, or has crossed its links */
typedef enum hyla_event_kind {
  HYLA_EVENT_COMPUTE,
  HYLA_EVENT_WAIT,
  HYLA_EVENT_AGREE,
  HYLA_EVENT_MESSAGE,
  HYLA_EVENT_START,
  HYLA_EVENT_FREE,
  HYLA_EVENT_NEED
} hyla_event_kind;

typedef struct hyla_event {
  hyla_event_kind kind;
  int node;
  int peer;      /* of MESSAGE and START; else -1 */
  int64_t bytes; /* of MESSAGE and START; else 0 */
  double begin;
  double left;    /* of MESSAGE; else 0 */
  double crossed; /* of MESSAGE; else 0 */
  double end;
  int64_t message; /* its number, from 1 in the order of the STARTs; else 0 */
  int64_t packet;
  double operations; /* of COMPUTE; else 0 */
  int port; /* of MESSAGE and START, between two nodes: the first link's dimension or port */
} hyla_event;

/* Receives events in the order in which the nodes have their turns; for one node, in the order of
 * time.  A message is reported when its receiver takes it. */
typedef void hyla_observer(void *arg, const hyla_event *event);

typedef struct hyla_simulation {
  int dims;
  hyla_ports ports;
  hyla_switching switching;
  double alpha;
  double beta;
  double gamma;
  const hyla_machine *machine;
  double limit;
  bool dry;
  const hyla_options *options;
  int64_t rehearsed;
  hyla_fault fault;
  int64_t fault_at;
  double fault_delay;
  hyla_observer *observer;
  void *observer_arg;
  const char *network;
  int lost_count;
  const hyla_lost_link *lost;
  const char *array;
} hyla_simulation;

/* A part of an operation that papers count separately.  name: a static string.  end: when the last
 * node had finished it, for the last time if it was done several times. */
#define HYLA_PARTS_MAX 8
typedef struct hyla_part {
  const char *name;
  double end;
} hyla_part;

/* The outcome of a simulation.
 *   nodes          of the network; dims: those of the largest cube within, or on an array the bits
 *                  of its nodes' addresses
 *   time           when the last node ended
 *   steps          the most of any node
 *   messages, bytes  of all nodes, by dimension or port, as in hyla_ledger; most_...: of the
 *                  busiest node
 *   message        of the failure; "" if there was none
 *   parts, part    of operations that report parts (trsm by sweep, identity and product; the
 *                  eliminations element by element), in the order of their first ends */
typedef struct hyla_report {
  hyla_status status;
  int nodes;
  int dims;
  double time;
  int64_t steps;
  int64_t messages[HYLA_DIMS_MAX];
  int64_t bytes[HYLA_DIMS_MAX];
  int64_t most_messages[HYLA_DIMS_MAX];
  int64_t most_bytes[HYLA_DIMS_MAX];
  int64_t far_messages;
  int64_t far_bytes;
  char message[512];
  int parts;
  hyla_part part[HYLA_PARTS_MAX];
} hyla_report;

/* A program, run by every node of the cube.  The nodes take turns in the caller's thread.  Data
 * that they share through arg need no lock, but between two collective calls a node must not rely
 * on the other nodes having seen a change. */
typedef hyla_status hyla_body(hyla_cube *cube, void *arg);

/* Local; needs no MPI.  Runs body on a virtual cube of 2^dims nodes, or on the nodes of a network,
 * the same way every time.
 * Returns the first failing node's status.  If all nodes wait for each other it returns
 * COMMUNICATION at once, and the message says who waits for whom.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_simulate(const hyla_simulation *simulation, hyla_body *body, void *arg,
                                   hyla_report *report);

/* --------------------------------------------------------------- arrays -- */

/* An array of rows x cols nodes, with the predicted time of what was asked for on it, and the
 * memory of a rank's workspaces.  rehearsed: the time is that of a rehearsal on a virtual switch,
 * which knows how long ranks wait for each other, and not that of counts. */
typedef struct hyla_array {
  int rows, cols;
  double seconds;
  int64_t memory;
  bool rehearsed;
} hyla_array;

/* Plans on a cube, and sets the array's seconds, memory and rehearsed.  Everything can be planned
 * on the cube, nothing runs.  It is a cube on paper, which stands for the busiest node, or a
 * virtual one, whose nodes all call this.  UNSUPPORTED: the array is left out. */
typedef hyla_status hyla_array_price(hyla_cube *cube, void *arg, hyla_array *array);

/* Local; needs no MPI.  Compares the arrays of all these ranks, and of fewer, more than half, for
 * this machine with a core for each rank.  Sides are tried from the square outwards, while they are
 * not slower; fewer nodes, while they bring something faster now and then.
 *   options   memory and reproducible are read; NULL: neither
 *   messages  the most messages of the rehearsals on an array, all variants together.  If one of
 *             the arrays needs more, or a plan's variant cannot be rehearsed, all are compared by
 *             counts on paper; so they are for 0
 *   arrays    the fastest first, at most `room'; of equal ones that of more nodes, the squarer one
 * ARGUMENT, MEMORY, UNSUPPORTED (none is possible), statuses of price. */
HYLA_API hyla_status hyla_arrays_compare(const hyla_machine *machine, int ranks,
                                         const hyla_options *options, int64_t messages,
                                         hyla_array_price *price, void *arg, hyla_array *arrays,
                                         int room, int *count);

/* -------------------------------------------------------------- traffic -- */

/* Packets that arrive at random at all nodes, in synchronous slots: a link carries one packet in a
 * slot in each direction (Varvarigos 1992, chapters 4 to 6).
 *   scheme   how packets are routed: a name of hyla_traffic_scheme
 *   dims     dimensions of the cube
 *   buffers  packets that wait at a link beside the one that it sends; HYLA_TRAFFIC_ENDLESS: any
 *            number
 *   access   probability, in a slot, that a new packet is there for a link that is free; 1 for
 *            schemes with a load
 *   load     the part of the time for which links are busy, of broadcasts: packets that come to all
 *            nodes in the time of one; 0 for schemes with an access
 *   pattern  where packets go; UNIFORM: to all other nodes alike.  OPPOSITE: to the opposite
 *            corner, and nodes with an odd number of ones in their numbers begin a slot later
 *   slots    counted slots; a sixteenth of them and 8 d go before them, uncounted.  From
 *            HYLA_TRAFFIC_BATCHES on; 0: formulas alone
 *   seed     the same seed gives the same bits
 *   network  of shortest, shortest-lowest and csr-paths any network, of broadcasts a cube, or an
 *            array or a torus of equal sides, as "torus:8x8"; NULL: the cube
 *   beta     of csr and csr-paths: the control interval before the packets of a slot move, in times
 *            of a packet over a link
 *   retry    of csr: the probability that a packet whose flit was blocked tries again in a slot;
 *            access is then that of a new packet at an entry buffer that is empty.  0: access is
 *            the attempt rate of all entry buffers, and blocked packets are forgotten
 * Of `broadcasts', in place of buffers and access:
 *   prefix   slots of a hop in which nodes learn their ranks, from 0
 *   whole    packets are not split */
typedef enum hyla_traffic_pattern {
  HYLA_TRAFFIC_UNIFORM,
  HYLA_TRAFFIC_OPPOSITE
} hyla_traffic_pattern;

typedef struct hyla_traffic {
  const char *scheme;
  int dims;
  int buffers;
  double access;
  double load;
  hyla_traffic_pattern pattern;
  int64_t slots;
  uint64_t seed;
  const char *network;
  double beta, retry;
  double prefix;
  bool whole;
} hyla_traffic;

enum { HYLA_TRAFFIC_ENDLESS = -1, HYLA_TRAFFIC_BATCHES = 32, HYLA_TRAFFIC_BINS = 64 };

/* The figures of a run, and the thesis' formulas.  A figure that does not exist is NAN.  Intervals
 * are half widths, at 95 %, from the means of HYLA_TRAFFIC_BATCHES successive parts of the run.
 *   throughput  packets that arrived, a node and slot
 *   entered     packets that entered, a node and slot; least, most: at the node with the fewest and
 *               with the most
 *   delay       slots from a packet's entry to its arrival
 *   deflections links on which a packet was sent away from its destination, a packet
 *   histogram   of the packets on links, the share that is at this distance from its end, this link
 *               included, from 1 to `farthest'
 *   formula_... the same by formula
 *   law_...     of `simple' with k buffers: as d grows, the best throughput over all accesses
 *               goes to law_factor / d^law_power, law_power = 1 / (2k+1)
 *   difference  throughput / formula_throughput - 1
 *   nodes       of the network
 * Of schemes with a control interval:
 *   time_...    throughput and delay in times of a packet over a link, 1 + beta of them a slot
 *   attempts    of csr: flits of an entry buffer in a slot
 *   backlogged  of csr with retries: the part of the entry buffers whose packets were blocked
 *   alone       of csr-paths: the mean delay, in times of a packet over a link, of a packet that is
 *               alone in the network, by packets, by circuits and by reservations
 * Of shortest and shortest-lowest:
 *   busiest     the part of the time for which the busiest link is busy
 * Of `broadcasts', whose delay ends with a packet's period:
 *   bounds         the formulas' delays for the least and the greatest second moment of a period's
 *                  packets; formula_delay: for the moment that was counted; difference: delay's
 *   light_delay    the formula for a load near 0
 *   packets        of a period
 *   exact_...      the limit of the load, and the delay of the same packets, in periods that are as
 *                  long as the library's schedules
 *   message     of a failure; "" if there was none */
typedef struct hyla_traffic_result {
  double throughput, throughput_interval;
  double entered, entered_least, entered_most;
  double delay, delay_interval;
  double deflections;
  int farthest;
  double histogram[HYLA_TRAFFIC_BINS + 1];
  double formula_throughput;
  double formula_entered;
  double formula_delay;
  double formula_histogram[HYLA_TRAFFIC_BINS + 1];
  double law_factor, law_power;
  double difference;
  int64_t nodes;
  double time_throughput, time_delay;
  double attempts, formula_attempts;
  double backlogged, formula_backlogged;
  double alone[3], formula_alone[3];
  double busiest, formula_busiest;
  hyla_reservation_delays bounds;
  double light_delay;
  double packets, packets_interval;
  double exact_limit, exact_delay, exact_interval;
  char message[512];
} hyla_traffic_result;

/* Local; needs no MPI.  The name of a scheme, from 0; NULL beyond the last.  reference: NULL, or
 * where it is written, as "varvarigos-1992, 5.3". */
HYLA_API const char *hyla_traffic_scheme(int i, const char **reference);

/* Local; needs no MPI.  Plays the traffic.  ARGUMENT with a message, MEMORY. */
HYLA_API hyla_status hyla_simulate_traffic(const hyla_traffic *traffic,
                                           hyla_traffic_result *result);

/* ---------------------------------------------------- Jacobi's method -- */

/* A sweep of Jacobi's method for singular values, its messages alone.
 *   ordering  how blocks of columns travel, as hyla_jacobi_ordering names them
 *   words     of 8 bytes, of a block
 *   packets   of a block, which go on by themselves while a phase lasts; 1: blocks travel whole */
typedef struct hyla_sweep {
  const char *ordering;
  int64_t words;
  int64_t packets;
} hyla_sweep;

/* Local; needs no MPI.  The name of an ordering, from 0; NULL beyond the last. */
HYLA_API const char *hyla_jacobi_ordering(int i);

/* Collective.  Sends what a sweep sends.  ARGUMENT, MISMATCH, UNSUPPORTED (a cube's ordering, and
 * the nodes are none), MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_jacobi_sweep(hyla_cube *cube, const hyla_sweep *sweep);

/* What a node of a cube sends in a sweep, the busiest one on a ring, and how long it takes.
 *   steps     pairs of blocks that meet on a node, one after the other
 *   messages, words  sent
 *   seconds   with the machine's alpha, beta and ports; NaN on a ring
 *   busiest, least  in blocks, with all ports and endlessly many packets: the time, by the moves of
 *             each phase's busiest dimension, and the least of any ordering; 0 on a ring */
typedef struct hyla_sweep_formula {
  int64_t steps, messages, words;
  double seconds;
  int64_t busiest, least;
} hyla_sweep_formula;

/* Local; needs no MPI.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_jacobi_sweep_formula(const hyla_machine *machine, int dims,
                                               const hyla_sweep *sweep,
                                               hyla_sweep_formula *formula);

/* Messages of a schedule among packets at random (ours).  Packets come to all nodes of a network
 * and take shortest ways, as by the scheme `shortest'.  Messages are sent in packets that wait in
 * the same queues, each when the one before has left; to a node that is no neighbour they go by
 * self-routing, as a whole over each link.  A node starts the messages of a step when all of its
 * own of steps before have ended, those that it sends and those that it gets.
 *   network     any of hyla_traffic's, as "cube:6" or "torus:4x6"
 *   load        the part of the time for which packets keep links busy, from 0
 *   packet      the messages, by ascending steps, as hyla_network_play shows them
 *   slot_words  words that a link carries in a slot, and of a packet
 *   alpha, beta start of a message, in which its link carries others; time of a word, above 0
 *   seed        the same seed gives the same bits */
typedef struct hyla_load {
  const char *network;
  double load;
  const hyla_network_packet *packet;
  int64_t packets;
  int64_t slot_words;
  double alpha, beta;
  uint64_t seed;
} hyla_load;

/*   seconds   mean of HYLA_TRAFFIC_BATCHES runs of the whole schedule, with pauses between;
 * interval: its half width at 95 % alone     in the empty network message   of a failure; "" if
 * there was none */
typedef struct hyla_load_result {
  double seconds, interval;
  double alone;
  char message[512];
} hyla_load_result;

/* Local; needs no MPI.  Plays the schedule.  ARGUMENT with a message, MEMORY. */
HYLA_API hyla_status hyla_simulate_load(const hyla_load *load, hyla_load_result *result);

/* ------------------------------------------------------------ embedding -- */

/* Collective; the given members of embedding: global.  Renumbers the ranks of the cube, so that
 * neighbours on the mesh, torus or tree are near each other on the cube.
 * *comm: a communicator of the ranks with a point, numbered on meshes with the last axis fastest,
 * on trees in the order of the nodes' numbers.  It has a topology of MPI's, along which MPI's
 * neighbourhood collectives work.  A mesh or torus has a Cartesian one (MPI_Cart_coords gives a
 * rank's coordinates, MPI_Cart_shift its neighbours), a tree a distributed graph
 * (MPI_Dist_graph_neighbors: the parent first, then the children).  If the embedding needs fewer
 * dimensions than the cube has, it lies on the nodes with the lowest addresses.  On all other ranks
 * *comm is MPI_COMM_NULL.  The caller owns *comm and frees it by MPI_Comm_free; it may outlive the
 * cube.  Only MPI's own calls use it, with MPI's default error handler.
 * ARGUMENT (with the reason why the kind does not serve the sides; the cube is too small),
 * MISMATCH, UNSUPPORTED on a virtual cube, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_embed_comm(hyla_cube *cube, const hyla_embedding *embedding,
                                     MPI_Comm *comm);

/* The same for other languages.  *comm: the communicator's handle in Fortran (an `integer` of
 * module mpi, MPI_VAL of one of mpi_f08, the argument of mpi4py's f2py()). */
HYLA_API hyla_status hyla_embed_comm_f(hyla_cube *cube, const hyla_embedding *embedding,
                                       MPI_Fint *comm);

/* ----------------------------------------------------------------- text -- */

/* Writes a text to a stream, from arg; false if it had no memory.  The stream's own errors need not
 * be reported. */
typedef bool hyla_text_writer(const void *arg, FILE *stream);

/* Local; a failure's message is the cube's.  Writes a file with the text of `write', completely or
 * not at all.  It gets its name, or replaces a file of that name and keeps its mode, when it is
 * complete and on the disk.  A symbolic link is followed.  ARGUMENT, FILE, MEMORY. */
HYLA_API hyla_status hyla_text_write(hyla_cube *cube, const char *path, hyla_text_writer *write,
                                     const void *arg);

#ifdef __cplusplus
}
#endif

#endif
