/* Second door of the room cube, for networks: what a network must be able to do, and
 * the machinery that moves messages over it.
 *
 * A network is a table of functions, one table a kind (MPI, the simulator).  It
 * moves single transfers between ranks of the communicator, guests included;
 * everything else (pieces, loans, waiting, the watchdog, agreement) stands above
 * it and is the same for all kinds.  No function of the table may block.
 */
#ifndef HY_LINK_H
#define HY_LINK_H 1

#include "cube/cube.h"

/* into := into merged with from, the same whichever is which and in any order. */
typedef void hy_merge(void *into, const void *from, int64_t bytes);

/* A rank's place in a new numbering, -1: none; and its neighbours there: along axes, closed or not,
 * or, where axes is 0, by their numbers. */
struct hy_topology {
  int place;
  int axes;
  bool closed;
  int side[HYLA_DIMS_MAX];
  int neighbours;
  int neighbour[3];
};

struct hy_link_kind {
  /* Starts one transfer of at most link->piece bytes.  Transfers between two
   * ranks with one tag match in the order they are started. */
  hyla_status (*send)(struct hy_link *link, int rank, int tag, const void *data, int64_t bytes,
                      void **request);
  hyla_status (*recv)(struct hy_link *link, int rank, int tag, void *data, int64_t bytes,
                      void **request);
  /* Has it ended?  A receive that got another number of bytes than `bytes` (-1
   * for a send) is COMMUNICATION.
   * end: raised to the virtual time of the end where clocks are virtual. */
  hyla_status (*test)(struct hy_link *link, void **request, int64_t bytes, bool *done,
                      struct hy_moment *end);
  /* This rank has waited for something that ended then.  NULL where clocks are real. */
  void (*reach)(struct hy_link *link, const struct hy_moment *end);
  /* This rank has computed so many real double operations.  NULL where clocks are real. */
  void (*compute)(struct hy_link *link, double operations);
  /* What hy_note_begin and the like say, packet -1: begin, message 0: pass; returns the number of
   * a message to itself.  NULL where nobody observes. */
  int64_t (*note)(struct hy_link *link, int64_t packet, int64_t message, int64_t bytes);
  /* What hy_part says.  NULL where nobody reports it. */
  void (*part)(struct hy_link *link, const char *name);
  /* Gives a transfer up; it must not write to its buffer afterwards if the network
   * can prevent it. */
  void (*cancel)(struct hy_link *link, void **request);
  /* Nothing moved in this many polls: leaves the core to others, longer as polls go by.
   * from: the rank whose message alone helps; -1: any news may help. */
  hyla_status (*idle)(struct hy_link *link, int64_t polls, int from);
  /* The size of the first message from a rank with this tag (-1: any tag) for which no
   * receive was started; -1 when there is none. */
  int64_t (*probe)(struct hy_link *link, int rank, int tag);
  /* Seconds, real or virtual. */
  double (*clock)(struct hy_link *link);
  /* Where all ranks are in one process they meet at once; NULL where messages over one
   * dimension after the other do it. join gives what this rank brings to the meeting.
   * joined: have all come? Then `merged` becomes what all gave. */
  hyla_status (*join)(struct hy_link *link, const void *mine, int64_t bytes, hy_merge *merge,
                      int64_t *meeting);
  bool (*joined)(struct hy_link *link, int64_t meeting, void *merged, int64_t bytes);
  /* Rehearsals, see cube.h; NULL where clocks are real.  rehearses: may there be some that send so
   * many messages together?  begin: this rank's clock and links stand at 0, what they were is in
   * *kept, and messages carry no data; false: no memory.  end: as it was before. */
  bool (*rehearses)(const struct hy_link *link, int64_t messages);
  bool (*rehearsal_begin)(struct hy_link *link, void **kept);
  void (*rehearsal_end)(struct hy_link *link, void *kept);
  /* The seconds of what was rehearsed under a number other than 0, one place for all nodes; NULL:
   * nothing was.  Keeps them, where there is room. */
  const double *(*rehearsed)(const struct hy_link *link, uint64_t number);
  void (*rehearsal_keep)(struct hy_link *link, uint64_t number, double seconds);
  /* One place for what all nodes make alike, as hy_common has it; NULL where ranks have memories of
   * their own. */
  void *(*common)(struct hy_link *link, uint64_t number);
  bool (*common_keep)(struct hy_link *link, uint64_t number, void *thing, hy_end *end);
  /* Communicators for the user; NULL where there are none.  renumber: collective; of the ranks that
   * have a place, not -1, numbered by it.  connect: collective over that one; another with the
   * topology.  Both give MPI_COMM_NULL on the other ranks and after a failure.  release: on one
   * rank, of what they have made; broken: as of destroy. */
  hyla_status (*renumber)(struct hy_link *link, int place, MPI_Comm *comm);
  hyla_status (*connect)(struct hy_link *link, const struct hy_topology *topology,
                         MPI_Comm numbered, MPI_Comm *comm);
  void (*release)(MPI_Comm *comm, bool broken);
  /* "key: value" lines for hyla_cube_describe. */
  void (*describe)(struct hy_link *link, struct hy_text *text);
  /* Has the network been ended, so that no other function but clock, describe and destroy may
   * be called?  NULL where that cannot be. */
  bool (*over)(void);
  /* Ends the link; collective.  broken: something may still be under way. */
  void (*destroy)(struct hy_link **link, bool broken);
};

/* What a rank that gives up tells its neighbours. */
struct hy_alarm {
  int64_t status;     /* HYLA_OK: none came */
  int64_t rank;       /* the neighbour that told */
  int64_t agreements; /* that the rank had completed */
  char message[HY_MESSAGE_MAX];
  uint64_t sum; /* over all before it, as it was sent */
};

/* Where a rank runs.  host: equal for ranks that may share memory; 0: no rank can.  start: of the
 * host's kernel, which tells a clone; 0: it could not be read.
 * cores: those that it may run on, a bit each; core i is bit i mod 256. */
enum { HY_CORE_WORDS = 4 };
struct hy_place {
  uint64_t host, start;
  uint64_t cores[HY_CORE_WORDS];
};

/* What all kinds have; a kind's own struct begins with it. */
struct hy_link {
  const struct hy_link_kind *kind;
  size_t size;          /* of the kind's struct, which moves into the cube; 0: it stays */
  struct hy_base *base; /* for messages: the cube's */
  int ranks;
  int rank;
  int64_t piece; /* the largest transfer */
  int tags;      /* tags run from 0 to tags - 1; at least 32767 */
  struct hy_place place;
  int patience;             /* polls without news between looks at the clock and for alarms */
  int crowd;                /* ranks on this host, this one included */
  int cores;                /* that they may run on together; 0: one each */
  struct hy_message *first; /* in flight, in the order they were started */
  int64_t loans;            /* made so far */
  bool checked;             /* pieces are followed by checks */
  int64_t *numbers;      /* of pieces so far, by peer and stream, in and out; owned by the cube */
  int alarms;            /* here that nobody has looked at yet; -1: not known */
  double leaves;         /* virtual time at which what is sent now leaves; negative: at once */
  int64_t packet;        /* of what leaves when it is ready; see hy_message */
  struct hy_alarm alarm; /* the earliest that came */
};

/* How this rank waits where ranks have a core each; zeros at first.  All times in nanoseconds.
 * step     before poll number `polls', from 0, of a wait: keeps the core or leaves it for a while
 * crowded  the same where ranks share cores
 * decide, left  what a step is made of, without a clock: what to do now, how long it took */
enum hy_leave { HY_KEEP, HY_YIELD, HY_NAP, HY_SLEEP };
struct hy_wait {
  int64_t began, last; /* of the wait at hand: its first step, the latest with the core kept */
  int64_t keeps;       /* for how long it keeps the core */
  int64_t left;        /* steps that left it */
  int64_t cost;        /* what such a step took lately */
  int64_t worth; /* for how long it is worth to keep it, by the waits before; 0: there were none */
  int naps;      /* steps that still sleep instead of yielding: the core was lost */
};
void hy_wait_step(struct hy_wait *wait, int64_t polls);
void hy_wait_crowded(int64_t polls);
enum hy_leave hy_wait_decide(struct hy_wait *wait, int64_t polls, int64_t now);
void hy_wait_left(struct hy_wait *wait, enum hy_leave how, int64_t took);

/* The link over MPI. */
struct hy_link_mpi {
  struct hy_link link; /* first */
  MPI_Comm comm;       /* our own duplicate */
  struct hy_wait wait;
};

/* Collective over comm, which is duplicated.  Books take the rank; a message goes
 * there.  limit: seconds to wait for the other ranks; 0: for ever.  What takes
 * memory is agreed upon only later, over the link. */
hyla_status hy_link_mpi_init(MPI_Comm comm, double limit, struct hy_base *books,
                             struct hy_link_mpi *link);

/* Local.  The communicator of a Fortran handle; of NULL MPI_COMM_WORLD. */
MPI_Comm hy_link_comm(const MPI_Fint *handle);

/* Local.  The Fortran handle of a communicator. */
MPI_Fint hy_link_handle(MPI_Comm comm);

/* Local.  Has another MPI's launcher started this process, so that it is the only rank of its
 * world while others run beside it?  ranks: of MPI_COMM_WORLD; library: what MPI calls itself;
 * launcher: the right one's name.  ARGUMENT with both. */
hyla_status hy_launcher_check(struct hy_base *base, int ranks, const char *library,
                              const char *launcher);

/* Has the network below ended? */
static inline bool hy_link_over(const struct hy_link *link) {
  return link->kind->over != NULL && link->kind->over();
}

/* Streams of messages between two ranks that cannot be taken for one another.
 * A tag is a number times HY_STREAMS plus the stream. */
enum hy_stream { HY_DATA, HY_CONTROL, HY_GIVE_BACK, HY_ALARM };
/* The checks of the first three have streams of their own, so much higher. */
enum { HY_CHECKS = HY_ALARM + 1, HY_STREAMS = HY_CHECKS + HY_ALARM };

/* Is it a loan that is read in place? */
bool hy_flight_in_place(const struct hy_message *message);

/* Starts one message on a stream; `peer` is a rank, so that guests can be
 * reached; nothing is booked. */
hyla_status hy_flight_start(hyla_cube *cube, struct hy_message *message, enum hy_stream stream);

/* Starts the return of a loan read in place; nothing to do for others. */
hyla_status hy_flight_give_back(hyla_cube *cube, struct hy_message *message);

/* Waits for messages, for one more of them to end; breaks the cube on failure. */
hyla_status hy_flight_wait(hyla_cube *cube, struct hy_message *messages, int count);
hyla_status hy_flight_wait_any(hyla_cube *cube, struct hy_message *messages, int count);
hyla_status hy_flight_poll(hyla_cube *cube);

/* The checks of pieces; local.  create: room for the numbers, in the cube's books.  post: piece,
 * bytes, out and of what is given back number are set; the tag is the piece's.  test: has the check
 * come or gone? It then is no longer busy.  compare: when both the piece and its check are there.
 */
hyla_status hy_checks_create(hyla_cube *cube);
hyla_status hy_check_post(struct hy_link *link, int peer, int tag, struct hy_check *check);
hyla_status hy_check_test(struct hy_link *link, struct hy_check *check);
hyla_status hy_check_compare(const struct hy_link *link, int peer, const struct hy_check *check);

/* Gives up everything in flight because of the failure that the cube's message
 * tells; tells this rank's neighbours, except one rank (-1: all), that it gives up, and
 * why.  Nothing more is sent. */
void hy_cube_break(hyla_cube *cube, int except);
/* Has a neighbour given up?  Then this rank does: the cube is broken, and the
 * neighbour's status is returned. */
hyla_status hy_alarm_listen(hyla_cube *cube);

/* Sends and receives `bytes` on the control stream, with one rank; in or out may be NULL. */
hyla_status hy_control(hyla_cube *cube, int rank, const void *out, void *in, int64_t bytes);
/* Collective over the nodes: mine, at most HY_MERGE_BYTES, becomes what all have, merged.
 * theirs: room for another's. */
enum { HY_MERGE_BYTES = 2048 };
hyla_status hy_control_merge(hyla_cube *cube, void *mine, void *theirs, int64_t bytes,
                             hy_merge *merge);
/* Collective.  A rank's data, which may be a guest's, go to all ranks. */
hyla_status hy_control_spread(hyla_cube *cube, int origin, void *data, int64_t bytes);

/* Collective, agreed upon: reads the wisdom that the options name. */
hyla_status hy_wisdom_open(hyla_cube *cube, const hyla_options *options);

/* Which ranks share this one's host: sets link->crowd, link->cores, cube->members and
 * cube->member. */
hyla_status hy_hosts_find(hyla_cube *cube);

/* Local.  How ranks keep the most of so many cores busy: a power of two of ranks, `threads' BLAS
 * threads each; of equally good ways the one with most ranks.  cores > 0. */
struct hy_start {
  int ranks, threads;
};
struct hy_start hy_best_start(int cores);

/* Local.  A line "better: ...": how to start on this host where ranks are left over or cores idle;
 * else nothing. */
void hy_hosts_advise(const hyla_cube *cube, struct hy_text *text);

#endif
