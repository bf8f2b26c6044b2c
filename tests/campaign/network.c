/* The network: transfers and their faults, turns and time. */
#include "network.h"

#include "random.h"
#include "sim/coroutine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds by which time advances when all ranks wait, and after which waiting ranks hang: each call
 * of a body and each rank may reach its limit of 10 s one after the other. */
static const double tick = 1.5, hangs = 1000;

struct parcel {
  struct parcel *next;
  int from, to, tag;
  int64_t bytes;
  double due;
  bool overtaken; /* waits for the next message between the two ranks */
  char data[];
};

/* A transfer as its rank sees it; a receive is in its node's list until it is done. */
struct transfer {
  struct transfer *next;
  int from; /* -1: a send */
  int tag;
  void *data;
  int64_t room;
  int64_t got;
  bool done;
};

struct network;

struct node {
  struct hy_link link; /* first: a link is cast to its node */
  struct network *network;
  struct parcel *came; /* not yet asked for, in their order */
  struct transfer *asked;
  bool waits, done, dead;
  double asleep; /* until this time */
  struct hy_base books;
  struct hy_coroutine coroutine;
};

struct network {
  struct run *run;
  uint64_t turns;
  double now;
  struct parcel *held; /* under way, in the order in which they were sent */
  bool cut[RANKS_MOST][RANKS_MOST];
  struct node node[RANKS_MOST];
  struct hy_coroutines coroutines;
};

const char *fault_name(enum fault_kind kind) {
  static const char *const names[] = {"lost", "doubled", "damaged", "short",  "overtaken",
                                      "late", "cut",     "dead",    "stopped"};
  return names[kind];
}

static struct node *own(struct hy_link *link) { return (struct node *)link; }

/* --------------------------------------------------------------- parcels -- */

static struct parcel *copy_of(int from, int to, int tag, const void *data, int64_t bytes) {
  struct parcel *p = malloc(sizeof *p + (size_t)bytes);
  if (p == NULL) abort();
  *p = (struct parcel){.from = from, .to = to, .tag = tag, .bytes = bytes};
  if (bytes > 0) memcpy(p->data, data, (size_t)bytes);
  return p;
}

static void append(struct parcel **list, struct parcel *p) {
  while (*list != NULL) list = &(*list)->next;
  p->next = NULL;
  *list = p;
}

static void drop_all(struct parcel **list) {
  while (*list != NULL) {
    struct parcel *p = *list;
    *list = p->next;
    free(p);
  }
}

static void take(struct transfer *t, const struct parcel *p) {
  t->got = p->bytes;
  t->done = true;
  int64_t bytes = hy_min(p->bytes, t->room);
  if (bytes > 0) memcpy(t->data, p->data, (size_t)bytes);
}

/* Gives the parcel to the first receive that asks for it; otherwise it waits. */
static void deliver(struct network *net, struct parcel *p) {
  struct node *to = &net->node[p->to];
  to->waits = false;
  for (struct transfer **at = &to->asked; *at != NULL; at = &(*at)->next)
    if ((*at)->from == p->from && (*at)->tag == p->tag) {
      struct transfer *t = *at;
      *at = t->next;
      take(t, p);
      free(p);
      return;
    }
  append(&to->came, p);
}

static bool is_cut(const struct network *net, const struct parcel *p) {
  return net->cut[p->from][p->to] || net->node[p->from].dead || net->node[p->to].dead;
}

/* Delivers the parcels that are due and no longer held up by others. */
static void release(struct network *net) {
  bool blocked[RANKS_MOST][RANKS_MOST] = {{false}};
  for (struct parcel **at = &net->held; *at != NULL;) {
    struct parcel *p = *at;
    bool *block = &blocked[p->from][p->to];
    if (p->due > net->now || *block) {
      *block |= !p->overtaken;
      at = &p->next;
      continue;
    }
    *at = p->next;
    if (is_cut(net, p))
      free(p);
    else
      deliver(net, p);
  }
}

/* A parcel that was to be overtaken follows this one. */
static void follow(struct network *net, int from, int to) {
  for (struct parcel *p = net->held; p != NULL; p = p->next)
    if (p->overtaken && p->from == from && p->to == to) p->due = net->now;
}

/* ---------------------------------------------------------------- faults -- */

/* The fault that hits this transfer; NULL: none. */
static struct fault *fault_of(struct node *node, int to, int tag) {
  struct run *run = node->network->run;
  if (run->options->check_messages && !node->link.checked) return NULL;
  run->sent++;
  for (int i = 0; i < run->faults; i++)
    if (run->fault[i].at == run->sent) {
      run->fault[i].met = true;
      run->fault[i].from = node->link.rank;
      run->fault[i].to = to;
      run->fault[i].tag = tag;
      run->fault[i].stream = (enum hy_stream)(tag % HY_STREAMS);
      return &run->fault[i];
    }
  return NULL;
}

/* Applies the fault to a parcel, and to the ranks; false: the parcel does not arrive. */
static bool suffer(struct network *net, struct fault *fault, struct parcel *p) {
  uint64_t bits = 8 * (uint64_t)p->bytes;
  switch (fault->kind) {
  case DAMAGED:
    if (bits > 0) p->data[fault->bit % bits / 8] ^= (char)(1 << fault->bit % 8);
    break;
  case SHORT: p->bytes -= p->bytes > 0; break;
  case DOUBLED: append(&net->held, copy_of(p->from, p->to, p->tag, p->data, p->bytes)); break;
  case OVERTAKEN:
    p->overtaken = true;
    p->due = net->now + fault->seconds;
    break;
  case LATE: p->due = net->now + fault->seconds; break;
  case CUT: net->cut[p->from][p->to] = net->cut[p->to][p->from] = true; break;
  case DEAD: net->node[p->from].dead = true; break;
  case STOPPED: net->node[p->from].asleep = net->now + fault->seconds; break;
  case LOST:
  case FAULT_KINDS: return false;
  }
  return true;
}

/* -------------------------------------------------------------- the table -- */

static struct transfer *make_transfer(int from, int tag, void *data, int64_t room) {
  struct transfer *t = malloc(sizeof *t);
  if (t == NULL) abort();
  *t = (struct transfer){.from = from, .tag = tag, .data = data, .room = room, .done = from < 0};
  return t;
}

static hyla_status send(struct hy_link *link, int rank, int tag, const void *data, int64_t bytes,
                        void **request) {
  struct node *node = own(link);
  struct network *net = node->network;
  struct parcel *p = copy_of(link->rank, rank, tag, data, bytes);
  *request = make_transfer(-1, tag, NULL, 0);
  struct fault *fault = fault_of(node, rank, tag);
  bool comes = fault == NULL || suffer(net, fault, p);
  if (!comes)
    free(p);
  else
    append(&net->held, p);
  if (fault == NULL) follow(net, link->rank, rank);
  release(net);
  return HYLA_OK;
}

static hyla_status recv(struct hy_link *link, int rank, int tag, void *data, int64_t bytes,
                        void **request) {
  struct node *node = own(link);
  struct transfer *t = make_transfer(rank, tag, data, bytes);
  *request = t;
  for (struct parcel **at = &node->came; *at != NULL; at = &(*at)->next) {
    struct parcel *p = *at;
    if (p->from != rank || p->tag != tag) continue;
    *at = p->next;
    take(t, p);
    free(p);
    return HYLA_OK;
  }
  struct transfer **end = &node->asked;
  while (*end != NULL) end = &(*end)->next;
  *end = t;
  return HYLA_OK;
}

static hyla_status test(struct hy_link *link, void **request, int64_t bytes, bool *done,
                        struct hy_moment *end) {
  (void)end;
  struct transfer *t = *request;
  *done = false;
  if (!t->done) return HYLA_OK;
  CHECK(link->base, bytes < 0 || t->got == bytes, COMMUNICATION,
        "rank %d sent %lld bytes where %lld were expected", t->from, (long long)t->got,
        (long long)bytes);
  *done = true;
  free(t);
  *request = NULL;
  return HYLA_OK;
}

static void cancel(struct hy_link *link, void **request) {
  for (struct transfer **at = &own(link)->asked; *at != NULL; at = &(*at)->next)
    if (*at == *request) {
      *at = (*at)->next;
      break;
    }
  free(*request);
  *request = NULL;
}

static hyla_status idle(struct hy_link *link, int64_t polls, int from) {
  (void)polls, (void)from;
  struct node *node = own(link);
  node->waits = true;
  hy_coroutine_yield(&node->network->coroutines, &node->coroutine);
  return HYLA_OK;
}

static int64_t probe(struct hy_link *link, int rank, int tag) {
  for (const struct parcel *p = own(link)->came; p != NULL; p = p->next)
    if (p->from == rank && (tag < 0 || p->tag == tag)) return p->bytes;
  return -1;
}

static double clock_now(struct hy_link *link) { return own(link)->network->now; }

static void reach(struct hy_link *link, const struct hy_moment *end) { (void)link, (void)end; }

static void describe(struct hy_link *link, struct hy_text *text) {
  hy_text_add(text, "a campaign's: %d ranks\n", link->ranks);
}

static void destroy(struct hy_link **link, bool broken) {
  (void)broken;
  *link = NULL;
}

static const struct hy_link_kind kind = {
    .send = send,
    .recv = recv,
    .test = test,
    .reach = reach,
    .cancel = cancel,
    .idle = idle,
    .probe = probe,
    .clock = clock_now,
    .describe = describe,
    .destroy = destroy,
};

/* ------------------------------------------------------------------ runs -- */

static void live(void *arg) {
  struct node *node = arg;
  struct run *run = node->network->run;
  int rank = node->link.rank;
  hyla_cube *cube = NULL;
  hyla_status status = hy_cube_over(&node->link, &node->books, run->options, NULL, &cube);
  if (status == HYLA_OK) {
    int64_t before = cube->base.bytes_now;
    status = run->body(cube, run->arg);
    run->left[rank] = cube->base.bytes_now - before;
  }
  run->status[rank] = status;
  run->broken[rank] = cube->network.broken;
  snprintf(run->message[rank], HY_MESSAGE_MAX, "%s", hyla_cube_message(cube));
  (void)hyla_cube_destroy(&cube);
  node->done = true;
}

static void begin(struct network *net, int rank) {
  struct node *node = &net->node[rank];
  *node = (struct node){.network = net, .books = {.rank = rank}};
  node->link = (struct hy_link){.kind = &kind,
                                .base = &node->books,
                                .ranks = net->run->ranks,
                                .rank = rank,
                                .piece = 1 << 10,
                                .tags = INT32_MAX,
                                .watchdog = 1,
                                .alarms = -1,
                                .crowd = net->run->ranks};
  /* One rank cannot read when its kernel was started, but is on the others' host nevertheless. */
  if (net->run->one_host)
    node->link.place = (struct hy_place){.host = 1, .start = rank == 1 ? 0 : 7};
  hy_coroutine_init(&net->coroutines, rank, live, node, &node->coroutine);
}

/* One of the ranks that can continue; -1: none can. */
static int choose(struct network *net) {
  int ready[RANKS_MOST], count = 0;
  for (int i = 0; i < net->run->ranks; i++) {
    const struct node *node = &net->node[i];
    if (!node->waits && !node->done && node->asleep <= net->now) ready[count++] = i;
  }
  return count == 0 ? -1 : ready[random_below(&net->turns, (size_t)count)];
}

static bool all_done(const struct network *net) {
  for (int i = 0; i < net->run->ranks; i++)
    if (!net->node[i].done) return false;
  return true;
}

/* The messages that ranks wait for are not there yet: the ranks look at the clock. */
static void pass_time(struct network *net) {
  net->now += tick;
  release(net);
  for (int i = 0; i < net->run->ranks; i++) net->node[i].waits = false;
}

static void clear(struct network *net) {
  drop_all(&net->held);
  for (int i = 0; i < net->run->ranks; i++) drop_all(&net->node[i].came);
}

bool network_run(struct run *run) {
  struct network *net = calloc(1, sizeof *net);
  if (net == NULL || !hy_coroutines_create(run->ranks, &net->coroutines)) {
    free(net);
    return false;
  }
  net->run = run;
  net->turns = run->seed;
  run->sent = 0;
  run->hung = false;
  for (int i = 0; i < run->faults; i++) run->fault[i].met = false;
  for (int i = 0; i < run->ranks; i++) begin(net, i);
  while (!all_done(net) && !run->hung) {
    int next = choose(net);
    if (next < 0) pass_time(net);
    if (next >= 0) hy_coroutine_resume(&net->coroutines, &net->node[next].coroutine);
    run->hung = net->now > hangs;
  }
  run->seconds = net->now;
  clear(net);
  hy_coroutines_destroy(&net->coroutines);
  free(net);
  return true;
}
