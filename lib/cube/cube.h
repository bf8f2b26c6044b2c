/* Door of the room cube: the cube object, messages between its ranks, agreement, windows.
 *
 * Inside the library a node is named by its cube address, 0 ... 2^d-1.  On an array whose sides are
 * no powers of two some addresses belong to no node (struct hy_sides); elsewhere addresses are
 * ranks.  Guests (ranks beyond the nodes) have address -1.  They take part only in hy_enter,
 * hy_agree and hy_tell_guests, and return at once from everything else here; but messages over the
 * ports of a network of all ranks are theirs too (hy_message, port).
 *
 * All calls on this page are collective over the subcube they name, except those marked local.
 * None takes messages from "any source", so the order of arrival never changes a result. */
#ifndef HY_CUBE_H
#define HY_CUBE_H 1

#include "address/address.h"
#include "base/base.h"
#include "hyla.h"
#include "local/local.h"
#include "machine/machine.h"

struct hy_link;  /* one rank's end of the network: MPI or the simulator */
struct hy_trace; /* what this rank did and when, for trace viewers */

/* The state that lasts from call to call: the user's options, and the data that this rank keeps.
 * It knows neither other ranks nor a network. */
struct hy_cube_session {
  /* The options. */
  bool private_memory, check_results;
  bool reproducible; /* plans choose among fixed variants only */
  bool measure;      /* plans without wisdom are measured */
  char *forced;      /* the option `variant', owned; NULL: not given */
  char *collective;  /* the option `collective', likewise */
  char *checkpoint;  /* the folder of checkpoints, owned; NULL: no checkpoints */
  double checkpoint_every;
  char delimiter; /* between the numbers of tables; 0: not given */
  int input;      /* descriptor of the copy of standard input; 0: not read yet, -1: a guest */
  /* The machine of plans. */
  hyla_machine machine;     /* the machine as this cube sees it */
  bool wise;                /* plans ask wisdom */
  struct hy_wisdom *wisdom; /* rank 0's; NULL elsewhere */
  bool rehearsal;           /* this is the cube of a rehearsal */
  bool unpriced; /* rehearsal: plans made here are being rehearsed, so nobody asks for their cost */
  hyla_cube
      *together; /* of a counting cube: on which all ranks agree meanwhile; NULL: it is alone */
  /* The running public call, and the number of its starts of messages; for messages to people. */
  const char *call;
  int64_t step;
  /* How much of a file the running call has read or written, in a unit of its own; other threads
   * may read it.  file_whole 0: no file is read or written. */
  _Atomic int64_t file_done, file_whole;
  /* Reports for the user. */
  hyla_faults faults; /* faults that checks of results have found */
  hyla_checkpoints checkpoints;
  /* Kernels and memory. */
  int threads;            /* of BLAS; on a counting cube those of the node's team */
  struct hy_team *team;   /* `threads' threads; NULL: the caller alone, as on virtual nodes */
  struct hy_window *kept; /* windows kept for later, in no order */
  int64_t kept_bytes;     /* bytes of this rank's parts of kept windows; not in the books */
  int64_t keep_limit;     /* most kept_bytes */
  char why_private[HY_MESSAGE_MAX]; /* why the last window was not shared; "" when it was */
};

/* The networks of all ranks on which collectives run (hyla_options.network); none if `given' is not
 * set: then collectives are those of the nodes.  cube: they may run on the cube too, which then has
 * no guests. */
struct hy_cube_shapes {
  bool given, cube;
  int count;
  struct hy_network *network; /* owned */
};

/* Who takes part: this rank among all, where they run, and how often they have agreed.  It does not
 * know what joins them, nor that their number is a power of two. */
struct hy_cube_ranks {
  int all;            /* nodes and guests */
  double share;       /* ranks on the most crowded core, at least 1 */
  bool one_host;      /* each node can map the memory of all others; the same on all ranks */
  int members;        /* nodes whose memory this rank can map, with itself; 0: not known, a guest */
  int *member;        /* their addresses, ascending */
  int64_t agreements; /* completed agreements, the same on all ranks */
  int64_t windows;    /* made so far: the next window's number; the same on all ranks */
  struct hy_cube_shapes shapes;
  char idle[96]; /* on rank 0: why an array was chosen that leaves ranks idle; "" */
};

/* How messages travel, with their counts and records.  It does not know their meaning. */
struct hy_cube_network {
  struct hy_link *link; /* NULL on a counting cube */
  double timeout;       /* seconds to wait without progress; 0: for ever */
  bool broken;          /* communication failed; nothing more is sent */
  hyla_ledger ledger;
  hyla_cost counted; /* counting cube: counts beside messages and memory; lent is in bytes */
  _Atomic int64_t operations; /* operations done; other threads may read it */
  struct hy_trace *trace;     /* NULL: no trace is wanted, or this is a guest */
  bool traced;                /* a trace was asked for; the same on all ranks */
  int64_t traces;             /* agreements when the trace's file was written; likewise */
};

struct hyla_cube {
  struct hy_base base;
  int dims;    /* bits of an address */
  int nodes;   /* 2^dims on a cube; on an array its nodes */
  int address; /* -1 on a guest */
  struct hy_sides sides;
  struct hy_cube_session session;
  struct hy_cube_ranks ranks;
  struct hy_cube_network network;
};

/* Local.  The mask of all address bits, and the number of addresses; has an address a node?  A
 * subcube or subarray `dims' (see hy_sides_members): the number of its nodes, a node's number among
 * them, the address bits of a number.  A node's rank is its number among all. */
static inline uint32_t hy_all_dims(const hyla_cube *cube) {
  return (uint32_t)((UINT64_C(1) << cube->dims) - 1);
}
static inline int hy_addresses(const hyla_cube *cube) { return 1 << cube->dims; }
static inline bool hy_has_node(const hyla_cube *cube, int address) {
  return address >= 0 && address < hy_addresses(cube) &&
         hy_sides_has(&cube->sides, (uint32_t)address);
}
static inline uint32_t hy_members_in(const hyla_cube *cube, uint32_t dims) {
  return hy_sides_members(&cube->sides, dims);
}
static inline uint32_t hy_member(const hyla_cube *cube, uint32_t dims, int address) {
  return hy_sides_number(&cube->sides, dims, (uint32_t)address);
}
static inline uint32_t hy_member_address(const hyla_cube *cube, uint32_t dims, uint32_t number) {
  return hy_sides_address(&cube->sides, dims, number);
}
static inline int hy_rank_at(const hyla_cube *cube, int address) {
  return cube->sides.count == 0 ? address : (int)hy_member(cube, hy_all_dims(cube), address);
}
static inline int hy_address_of(const hyla_cube *cube, int rank) {
  return cube->sides.count == 0 ? rank
                                : (int)hy_member_address(cube, hy_all_dims(cube), (uint32_t)rank);
}
/* Local.  The rows of the array on which matrices lie by default; the columns are nodes / rows. */
static inline int hy_array_rows(const hyla_cube *cube) {
  return cube->sides.rows > 0 ? (int)cube->sides.rows : 1 << cube->dims / 2;
}
/* Local.  A dry simulation has counts and times but no data.  Matrices lie at addresses without
 * memory (hy_alloc_data), kernels and copies do nothing, and messages of hy_link_start carry no
 * bytes.  Calls that decide by data refuse with hy_need_data: UNSUPPORTED. */
static inline bool hy_cube_dry(const hyla_cube *cube) { return cube->base.no_data != NULL; }
/* Local.  Is this a counting cube (see below)?  Messages on it end where they start. */
static inline bool hy_cube_counts(const hyla_cube *cube) {
  return cube->network.link == NULL && !cube->network.broken;
}
/* Local.  Can every node be expected to read the other nodes' parts of future windows in place? */
static inline bool hy_in_place_expected(const hyla_cube *cube) {
  return !cube->session.private_memory && cube->ranks.one_host;
}
/* Local.  The ports that the ledger tells apart where all collectives run on one network; otherwise
 * 0.  An empty ledger. */
static inline int hy_cube_ports(const hyla_cube *cube) {
  const struct hy_cube_shapes *shapes = &cube->ranks.shapes;
  return shapes->count == 1 && !shapes->cube ? (int)hy_min(shapes->network[0].ports, HYLA_DIMS_MAX)
                                             : 0;
}
static inline hyla_ledger hy_ledger_empty(const hyla_cube *cube) {
  return (hyla_ledger){.dims = (int)hy_max(cube->dims, hy_cube_ports(cube))};
}
/* Local.  The shapes for a value of the option `network'; in the cube's books.  ARGUMENT; MEMORY.
 */
hyla_status hy_shapes_make(hyla_cube *cube, const char *option);
/* Local.  make: puts the nodes on the array that the option `array' names.  ARGUMENT.  read: the
 * sides from a text as "2x3"; false: it names no array.  is_open: is the array to be chosen?  put:
 * puts the nodes on an array that these ranks can be. */
hyla_status hy_array_make(hyla_cube *cube, const char *option);
bool hy_array_is_open(const hyla_cube *cube, const hyla_options *options);
void hy_array_put(hyla_cube *cube, uint32_t rows, uint32_t cols);
bool hy_array_read(const char *text, uint32_t *rows, uint32_t *cols);
/* Local.  The progress of a file, for hyla_cube_file_share.  begin: a file has `whole' steps; 0: it
 * has ended.  step: some of them are done, by any thread. */
static inline void hy_file_begin(hyla_cube *cube, int64_t whole) {
  atomic_store_explicit(&cube->session.file_done, 0, memory_order_relaxed);
  atomic_store_explicit(&cube->session.file_whole, whole, memory_order_relaxed);
}
static inline void hy_file_step(hyla_cube *cube, int64_t steps) {
  atomic_fetch_add_explicit(&cube->session.file_done, steps, memory_order_relaxed);
}
const struct hy_kernels *hy_cube_kernels(const hyla_cube *cube, hyla_type type);
hyla_status hy_need_data(hyla_cube *cube, const char *call);
/* Collective, agreed upon; called before anything is allocated.  Do the machines have the memory
 * that their nodes want?  bytes: this node's need.  Always OK in dry simulations.  MEMORY. */
hyla_status hy_cube_afford(hyla_cube *cube, int64_t bytes);

/* Chooses the array of the nodes, on one rank; the room that knows all operations has one. */
typedef hyla_status hy_array_chooser(hyla_cube *cube, uint32_t *rows, uint32_t *cols);

/* hyla_cube_create without the checks of options that higher rooms make.  choose: for the option
 * `array', "auto"; NULL: the cube.  For tests: allocation number fail_at of this rank fails (0:
 * none). */
hyla_status hy_cube_make(MPI_Comm comm, const hyla_options *options, int64_t fail_at,
                         hy_array_chooser *choose, hyla_cube **cube);

/* Collective.  After a failure it frees all but the cube's message. */
void hy_cube_give_up(hyla_cube *cube);

/* Local.  The cube over a link, as far as agreement needs it; takes no memory.  It is the first
 * stage of hy_cube_over. */
hyla_cube hy_cube_seed(struct hy_link *link, const struct hy_base *books,
                       const hyla_options *options);

/* Collective.  The cube over any network; hy_cube_make makes it over MPI.  The link is destroyed
 * with the cube, or here on failure.  A link that has a size is copied into the cube's memory.
 * books: the books in which the link's memory was counted; copied. */
hyla_status hy_cube_over(struct hy_link *link, const struct hy_base *books,
                         const hyla_options *options, hy_array_chooser *choose, hyla_cube **cube);

/* Collective; agreed upon.  The machine of a preset's name or of a file ("" or NULL: the default),
 * the same on all ranks; rank 0 reads the file. */
hyla_status hy_machine_get(hyla_cube *cube, const char *text, hyla_machine *machine);

/* Collective; the status is this rank's.  For cubes that are wise.
 * recall    name becomes the variant that wisdom has for the key; "" if it has none
 * remember  adds a measured variant
 * key, variant, name and seconds are the same on all ranks. */
enum { HY_NAME_MAX = 64 };
hyla_status hy_recall(hyla_cube *cube, const char *key, char name[HY_NAME_MAX], double *seconds);
hyla_status hy_remember(hyla_cube *cube, const char *key, const char *variant, double seconds);

/* Local.  check: the environment variables and the ranges of the options.  fingerprint: of those
 * that are the same on all ranks. */
hyla_status hy_options_check(struct hy_base *base, const hyla_options *options);
/* Local.  The character that the option `delimiter' gives; 0: none, or a wrong one. */
char hy_delimiter(const char *text);
uint64_t hy_options_fingerprint(const hyla_options *options);

/* ---------------------------------------------------------- agreement -- */

/* The first and the last statement of every public collective call.
 *
 * hy_enter: `mine' is this rank's verdict on its arguments.  If all verdicts are OK and all
 * fingerprints and calls are equal, the call goes on.  Otherwise every rank returns the same status
 * and message: those of the lowest failing rank, or MISMATCH if only fingerprints differ.  The
 * message names the rank unless all nodes fail.  `call' is a static string.
 *
 * hy_agree: the same for a verdict alone.
 *
 * With a broken cube both return at once: `mine' if it is a failure, which then is the one that
 * broke the cube, otherwise BROKEN.  On a counting cube both return `mine'. */
hyla_status hy_enter(hyla_cube *cube, hyla_status mine, uint64_t fingerprint, const char *call);
hyla_status hy_agree(hyla_cube *cube, hyla_status mine);

/* Gives every guest the bytes that its partner node holds.  Nodes and guests give the same data and
 * bytes arguments. */
hyla_status hy_tell_guests(hyla_cube *cube, void *data, int64_t bytes);

/* The other way: `theirs' becomes the bytes that this node's guest holds in `mine'; it stays as it
 * is on nodes without a guest. */
hyla_status hy_ask_guests(hyla_cube *cube, const void *mine, void *theirs, int64_t bytes);

/* hyla_cube_max for use between hy_enter and hy_agree: over nodes and guests; the status is this
 * rank's. */
hyla_status hy_cube_max(hyla_cube *cube, int64_t *values, int count);
/* The same; sums[i] becomes the sum of values[i] over the nodes. */
hyla_status hy_cube_max_sum(hyla_cube *cube, int64_t *values, double *sums, int count);

/* ------------------------------------------------------------- faults -- */

/* The result of checking a result. */
enum hy_check_result { HY_UNDAMAGED, HY_CORRECTED, HY_DAMAGED };

/* Collective over nodes and guests; the status is this rank's.  *worst: the worst finding of all
 * nodes; guests find nothing.  All ranks keep the text of the first node that has it. */
enum { HY_FAULT_MAX = sizeof((hyla_faults *)NULL)->text };
hyla_status hy_check_result_merge(hyla_cube *cube, enum hy_check_result mine,
                                  const char text[HY_FAULT_MAX], enum hy_check_result *worst);
/* Local.  Ends a check that has the same finding on all ranks, and counts it.  damaged: something
 * was wrong.  DAMAGED, with the kept text as its message, if it could not be put right. */
hyla_status hy_check_result_end(hyla_cube *cube, bool damaged, enum hy_check_result worst);

/* ------------------------------------------------------------ windows -- */

/* Memory with one part on every node.  Ranks of one machine can read each other's parts in place.
 * A window is zeroed unless it is private or unset.  A part is aligned to 2 MiB if it is that
 * large, otherwise to a page. */
struct hy_window;

/* Collective over cube and guests.  bytes: local, the size of this rank's part (0 on guests).  If
 * one rank cannot have shared memory, all ranks take private memory; MEMORY if that fails too. */
hyla_status hy_window_create(hyla_cube *cube, int64_t bytes, struct hy_window **window);
/* The same with entries that are not set, where kept memory serves again. */
hyla_status hy_window_create_unset(hyla_cube *cube, int64_t bytes, struct hy_window **window);
/* The same in memory that no other rank can read.  It takes less time where the machine has huge
 * pages for private memory only.  Its entries are not set. */
hyla_status hy_window_create_private(hyla_cube *cube, int64_t bytes, struct hy_window **window);
/* Local.  No caller of hyla learns where the window is.  So it stays within reach while it is kept,
 * which saves changes of its pages' protection and what these cost at the next use. */
void hy_window_hidden(struct hy_window *window);
/* Local.  Keeps the memory for the next window of the same size, within the cube's limit, or unmaps
 * it.  Unmapped memory is free when the last rank has unmapped it. */
void hy_window_destroy(hyla_cube *cube, struct hy_window **window);
/* Local.  This rank's part; the part of a peer, or NULL if it cannot be read in place. */
void *hy_window_data(const struct hy_window *window);
const void *hy_window_peer(const struct hy_window *window, int peer);
/* Local, the same on all ranks.  May other ranks read the window at all?  False for NULL. */
bool hy_window_shared(const struct hy_window *window);

/* ----------------------------------------------------------- messages -- */

enum hy_verb {
  HY_SEND,   /* data goes out; its memory may be reused after hy_link_wait */
  HY_RECV,   /* data comes in */
  HY_LEND,   /* a peer may read data until it returns them; hy_link_wait waits for that */
  HY_BORROW, /* after hy_link_wait `seen' points at the lent bytes: in the lender's memory if the
              * window allows, else at a copy in data */
};

/* The virtual time at which a message ended, and its number among all messages of an observed
 * simulation; 0: it has none. */
struct hy_moment {
  double when;
  int64_t message;
};

/* The state of the check of one piece in flight; see check.c. */
struct hy_check {
  void *request;
  bool out;
  const void *piece;
  int64_t bytes;    /* bytes that sum and CRC cover; 0 for a message without data */
  int64_t number;   /* of the piece */
  uint64_t told[3]; /* number, sum and CRC, as they travel */
};

/* The state of a message in flight.  A message travels as a row of pieces; two are under way at a
 * time.  The last fields are set where they are used, and stand behind the others so that most
 * messages do not touch their memory. */
struct hy_flight {
  struct hy_message *next; /* the next message in flight, in the order of their starts */
  char *data; /* the bytes that travel: the message's or, for a loan in place, the notice */
  int64_t bytes, pieces;
  int64_t posted; /* pieces given to the network */
  int64_t ended;  /* completed transfers */
  int64_t wanted; /* transfers that complete the message */
  void *request[2];
  int64_t length[2];
  struct hy_moment end; /* simulator: when it ended */
  int tag;
  bool busy[2];
  bool checking[2]; /* the check of the piece in this slot is under way */
  bool bare;        /* carries no data, as all messages of a dry cube */
  bool reached;     /* simulator, trace: this rank has waited for it */
  struct hy_check check[2];
  int64_t notice[4];
  double began; /* trace: when it started; its number among those to or from its peer */
  int32_t number;
};

/* One message.  Messages between two ranks match in the order they are started.  LEND pairs with
 * BORROW and SEND with RECV, with equal bytes and the same window.  A message keeps its place in
 * memory from start to the end of wait, a borrow to the end of return.  Callers set, or zero, the
 * fields before `rank'; the link sets the others. */
struct hy_message {
  enum hy_verb verb;
  int peer;
  int port; /* 0: the peer is a node.  1 + i: it is a rank, a guest or not, to which port i of this
             * rank leads in a network of all ranks */
  bool timed;     /* simulated cube: it leaves at time `leaves', or when its link is free */
  double leaves;  /* if that is later; otherwise it leaves now */
  int64_t packet; /* timed: its number among the packets of a run that leave when ready */
  int64_t bytes;
  void *data;                     /* BORROW: scratch of `bytes', used if there is no window */
  const struct hy_window *window; /* LEND, BORROW: holds the lender's data; NULL: data travel */
  int rank;                       /* the peer's */
  const void *seen;               /* BORROW: set by hy_link_wait */
  struct hy_flight flight;
};

/* start: starts messages.  wait: waits until all given messages are done; it yields the core if
 * ranks outnumber cores, and gives TIMEOUT after the cube's limit without progress.  return: gives
 * borrowed blocks back; `seen' must not be read afterwards.
 *
 * 0 messages are allowed.  Each start counts as one step of the ledger, each SEND and LEND as one
 * message.  A message without bytes, or to this rank itself, does not count.  A message without
 * bytes does not travel.
 *
 * A wait may name some messages of a start, and messages of several starts may be in flight; each
 * started message is waited for once.  A rank that lends and borrows at once (a shift along a ring)
 * starts both, waits for the borrows, works, returns them, and only then waits for the loans.
 * While a rank waits for some messages, all messages in flight move on.
 *
 * A failure breaks the cube: messages in flight are given up, and later calls return BROKEN. */
hyla_status hy_link_start(hyla_cube *cube, struct hy_message *messages, int count);
hyla_status hy_link_wait(hyla_cube *cube, struct hy_message *messages, int count);
hyla_status hy_link_return(hyla_cube *cube, struct hy_message *messages, int count);
/* For messages that belong to no step.  start_one: like start, but counts no step.  wait_any: waits
 * until one more of the messages has ended; some may not have been started.  It returns at once if
 * all have ended. */
hyla_status hy_link_start_one(hyla_cube *cube, struct hy_message *message);
hyla_status hy_link_wait_any(hyla_cube *cube, struct hy_message *messages, int count);
static inline bool hy_message_ended(const struct hy_message *message) {
  return message->flight.ended == message->flight.wanted;
}
/* Local.  Tells an observer of a simulation why packets that leave when ready wait; ignored on
 * other cubes.
 * begin  packets may leave from this node's present time on
 * need   the packet waits for a message
 * pass   the packet goes to this node itself, without time; returns its number as a message */
void hy_observe_begin(hyla_cube *cube);
void hy_observe_need(hyla_cube *cube, int64_t packet, int64_t message);
int64_t hy_observe_pass(hyla_cube *cube, int64_t packet, int64_t bytes);
/* Local.  This node has completed a part of an operation.  The report of a simulation shows the
 * time; other cubes ignore it.  name: a static string. */
void hy_part(hyla_cube *cube, const char *name);

/* Moves on all messages in flight once, without waiting.  Messages move on only while their ranks
 * are in these calls, so long computations call this now and then. */
hyla_status hy_link_poll(hyla_cube *cube);

/* start and wait together, for SEND and RECV. */
hyla_status hy_link_step(hyla_cube *cube, struct hy_message *messages, int count);

/* A message of a simulated cube that is sent or received in one piece and leaves now.  A simulation
 * of thousands of nodes goes to memory for each field that a node touches, and these have a quarter
 * of those of a struct hy_message.  Callers set data, bytes (above 0), peer, port and out. */
struct hy_light {
  void *data, *request;
  int64_t bytes;
  struct hy_moment end;
  int32_t peer;
  uint8_t port; /* as in struct hy_message */
  bool out, busy;
};
/* is_light: may the next step's messages be light ones?  Otherwise the cube needs more than these
 * have, or other messages are in flight.  start, wait: as hy_link_start and hy_link_wait, of all
 * messages of a step, with nothing else in flight meanwhile. */
bool hy_link_is_light(const hyla_cube *cube);
hyla_status hy_light_start(hyla_cube *cube, struct hy_light *lights, int count);
hyla_status hy_light_wait(hyla_cube *cube, struct hy_light *lights, int count);

/* A member's messages in a collective in which each member needs the words of all others, without
 * the words, by steps; those of a step start together.  On a counting cube they are only counted.
 * On a simulated one the last member to come moves them for all members, with the clocks, links and
 * ports that they would have alone: nodes need no turn for each step.
 *   rank           the peer's, for the link
 *   first, within  the first member, whose address is the others' but for the bits `within'
 *   add            after a step, for each line of it that adds words, with their bytes; NULL: no
 *                  operations are counted
 * run: *played: it was done.  Otherwise nothing was, and the member sends its messages itself. */
struct hy_script_line {
  int64_t bytes; /* above 0 */
  int32_t peer, rank, step;
  bool out, adds;
};
struct hy_script {
  struct hy_script_line *lines;
  int count, first, members;
  uint32_t within;
  bool able; /* false: the member cannot take part, and so nobody can */
  void (*add)(void *arg, int64_t bytes);
  void *arg;
};
hyla_status hy_script_run(hyla_cube *cube, const struct hy_script *script, bool *played);

/* Swaps buffers with one peer.  The peer may be this rank itself: that is a copy. */
hyla_status hy_exchange(hyla_cube *cube, int peer, const void *out, int64_t out_bytes, void *in,
                        int64_t in_bytes);

/* Local.  Counts operations on entries of `size' bytes as done here.  On a simulated cube this
 * node's clock advances by their time.  Called beside every computation that counts in a cost's
 * flops. */
void hy_compute(hyla_cube *cube, int64_t flops, size_t size, bool complex_type);

/* ----------------------------------------------------- MPI's own calls -- */

/* One of MPI's own collectives over all ranks, for comparison: blocks of `words' words of 8 bytes;
 * sums are of unsigned integers.  from, into: MPI's send and receive buffers; from may be NULL on a
 * rank that gives nothing; in a broadcast the root gives from `into'. */
enum hy_peer_operation {
  HY_PEER_BROADCAST,
  HY_PEER_REDUCE,
  HY_PEER_ALLREDUCE,
  HY_PEER_SCATTER,
  HY_PEER_GATHER,
  HY_PEER_ALLGATHER,
  HY_PEER_REDUCE_SCATTER,
  HY_PEER_EXCHANGE,
  HY_PEER_EXCHANGE_SOME,
  HY_PEER_ALLGATHER_SOME,
  HY_PEER_PERMUTE
};
struct hy_peer_call {
  enum hy_peer_operation operation;
  int root;
  int64_t words;
  const uint64_t *from;
  uint64_t *into;
  const int *to, *of, *at; /* *_SOME: words to and from each rank, and their places */
  int target, source;      /* PERMUTE: the partners; -1: none */
};
/* check  local, the same on all ranks.  UNSUPPORTED on virtual cubes, with guests, and for more
 *        words than MPI counts
 * run    collective over the cube, after check.  It blocks in MPI, and nothing ends it if a rank
 *        does not come.  COMMUNICATION */
hyla_status hy_peer_check(hyla_cube *cube, int64_t words);
hyla_status hy_peer_run(hyla_cube *cube, const struct hy_peer_call *call);

/* ----------------------------------------------------------- counting -- */

/* A counting cube stands in for a cube, as one node of it.  Programs that run on it are counted and
 * do nothing: it is dry, and its messages end where they start.  No other rank needs to take part.
 * So a program's cost is found by running its own steps.  All calls are local.
 * begin  *counting becomes the counting cube.  Its books continue the cube's, so memory other than
 *        that of data (hy_alloc) is taken, and counted as the cube's
 * end    returns the books, with a failure's message, and the counts in words of `size' bytes */
void hy_count_begin(const hyla_cube *cube, int node, hyla_cube *counting);
hyla_cost hy_count_end(hyla_cube *cube, const hyla_cube *counting, size_t size);
/* The same for all ranks together, each in its own place, guests too: they agree, find maxima and
 * rehearse as on the cube, so that plans which the program makes are those that it makes there. */
void hy_count_together(hyla_cube *cube, hyla_cube *counting);
/* Data that a program takes and gives back count as long as it has them.  held: the bytes of data
 * that it has now.  drop: on a counting cube, it has given back all since it had that many.  On
 * other cubes the books know. */
int64_t hy_count_held(const hyla_cube *cube);
void hy_count_drop(hyla_cube *cube, int64_t held);
/* Count entries that are copied or added here; entries that products pass over here; entries that
 * are read from memory here, once; operations that are done elsewhere for this node.  Called where
 * a cost counts them. */
void hy_count_copied(hyla_cube *cube, int64_t entries);
void hy_count_touched(hyla_cube *cube, int64_t entries);
void hy_count_read(hyla_cube *cube, int64_t entries);
void hy_count_flops(hyla_cube *cube, int64_t flops);
/* Counts entries that are copied one by one. */
void hy_count_scattered(hyla_cube *cube, int64_t entries);
/* Counts messages that this node would send, where a counting cube has not the data that decide. */
void hy_count_messages(hyla_cube *cube, int64_t steps, int64_t messages, int64_t bytes);
/* Counts the messages since `before', a copy of the ledger, `times' times.  So a program that would
 * send the same messages again and again sends them once. */
void hy_count_again(hyla_cube *cube, const hyla_ledger *before, int64_t times);
/* A rehearsal.  On a simulated cube that has times, all nodes run a program before it is planned,
 * without data and on clocks of their own; the time is what the run will take.
 * can    local, the same on all ranks: is this such a cube, and may rehearsals send this number
 *        of messages?
 * begin  *rehearsal stands in for the cube as a counting cube does, but its messages travel
 * end    status: this rank's status of the rehearsal.  seconds: the time of the slowest node.
 *        The books return as in hy_count_end.  Call it also after a failure
 * known, keep  local: the seconds of an earlier rehearsal under this number.  The number stands
 *        for everything that its time depends on, except the cube's own options; 0: no number
 * begin and end are collective; end is agreed upon. */
bool hy_can_rehearse(const hyla_cube *cube, int64_t messages);
hyla_status hy_rehearsal_begin(hyla_cube *cube, hyla_cube *rehearsal, void **kept);
hyla_status hy_rehearsal_end(hyla_cube *cube, hyla_cube *rehearsal, void *kept, hyla_status status,
                             double *seconds);
bool hy_rehearsal_known(const hyla_cube *cube, uint64_t number, double *seconds);
void hy_rehearsal_keep(hyla_cube *cube, uint64_t number, double seconds);
/* Local.  Objects that all nodes make alike and then only read.  On a simulated cube the first node
 * that asks makes the object, and the others find it by a number that stands for everything it
 * depends on.
 * shares  does the cube have such objects, or does each rank have its memory to itself?
 * common  NULL: no node has made it
 * keep    keeps it until the simulation ends, then calls `end'.  False: it stays the caller's */
typedef void hy_end(void *thing);
bool hy_shares_tables(const hyla_cube *cube);
void *hy_shared_table(const hyla_cube *cube, uint64_t number);
bool hy_shared_table_keep(hyla_cube *cube, uint64_t number, void *thing, hy_end *end);
/* A window for counting cubes, in which every node can read every part. */
struct hy_window *hy_window_counted(void);

#endif
