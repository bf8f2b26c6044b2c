/* A network between virtual ranks that does to messages what it is told to.
 *
 * The ranks are coroutines in the caller's thread, which take turns in an order that is drawn.
 * Whatever is not touched comes at once and once, and what goes between two ranks comes in its
 * order.  Time is virtual: it stands still while a rank can go on, and moves on where all wait, so
 * that watchdogs wake as they would. */
#ifndef CAMPAIGN_NETWORK_H
#define CAMPAIGN_NETWORK_H 1

#include "cube/link.h"

/* What may befall a transfer, or the rank that sends it.
 *   LOST       it never comes
 *   DOUBLED    it comes twice
 *   DAMAGED    one bit is another one
 *   SHORT      its last byte is missing
 *   OVERTAKEN  it comes after the next one between the two ranks
 *   LATE       it comes after so many seconds, and with it what follows between the two ranks
 *   CUT        from it on nothing comes between the two ranks any more
 *   DEAD       from it on its sender sends and takes nothing any more
 *   STOPPED    its sender stands still for so many seconds */
enum fault_kind { LOST, DOUBLED, DAMAGED, SHORT, OVERTAKEN, LATE, CUT, DEAD, STOPPED, FAULT_KINDS };
const char *fault_name(enum fault_kind kind);

struct fault {
  enum fault_kind kind;
  int64_t at; /* the transfer, counted from 1 in the order they are sent */
  double seconds;
  uint64_t bit; /* of DAMAGED, modulo all bits */
  /* What came of it: was there that transfer, between whom, of which stream? */
  bool met;
  int from, to, tag;
  enum hy_stream stream;
};

enum { RANKS_MOST = 16, FAULTS_MOST = 3 };

/* A run of a program by all ranks.  Given: */
struct run {
  int ranks;
  const hyla_options *options;
  bool one_host; /* they may share memory */
  uint64_t seed; /* of the turns */
  int faults;
  struct fault fault[FAULTS_MOST];
  hyla_status (*body)(hyla_cube *cube, void *arg);
  void *arg;
  /* What came of it.  sent: transfers that faults may meet: where messages are to be checked,
   * those of ranks that check.  hung: ranks wait long after the time limit. */
  int64_t sent;
  bool hung;
  double seconds;
  hyla_status status[RANKS_MOST];
  bool broken[RANKS_MOST];  /* said its cube at the end */
  int64_t left[RANKS_MOST]; /* bytes that were not given back */
  char message[RANKS_MOST][HY_MESSAGE_MAX];
};

/* False where there is no memory for it. */
bool network_run(struct run *run);

#endif
