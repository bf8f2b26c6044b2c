/* hyla layout --network NAME with --distances, --exchanges or --permutations: what is known of
 * drawn networks on average, counted over seeds (Varvarigos 1992, chapter 7). */
#include "layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest cubes, and the nodes from which ways of larger cubes are searched. */
enum { DISTANCE_DIMS = 14, EXCHANGE_DIMS = 10, PERMUTATION_DIMS = 16, ALL_PAIRS = 256, SOME = 64 };

/* The network of the same kind with another size and seed. */
static bool resize(const hyla_topology *like, int dims, uint64_t seed, hyla_topology *n) {
  char text[160];
  const int kind = (int)strcspn(like->name, ":");
  snprintf(text, sizeof text, like->drawn ? "%.*s:%d/%llu" : "%.*s:%d", kind, like->name, dims,
           (unsigned long long)seed);
  return hyla_topology_read(n, text) == HYLA_OK;
}

static bool is_kind(const hyla_topology *n, const char *kind) {
  return strncmp(n->name, kind, strlen(kind)) == 0 && n->name[strlen(kind)] == ':';
}

static int no_memory(const struct run *run) {
  tell(run, "no memory to play on the networks");
  return EXIT_USE;
}

static int refuse_dims(const struct run *run, const hyla_topology *n, int most) {
  tell(run, "%s has %d dimensions; up to %d are played", n->name, n->axes, most);
  return EXIT_USE;
}

/* ------------------------------------------------------------- distances -- */

/* One size: means over all networks that were drawn. */
struct means {
  int dims;
  double shortest, routed;
  double form; /* what `of' should be; below 0: there is no form */
  double of;
};

static double form_of(const hyla_topology *n, int dims) {
  if (is_kind(n, "enhanced")) return hyla_topology_greedy(dims);
  return is_kind(n, "pseudo") ? dims / 4.0 + 0.9 : -1;
}

static bool measure(const hyla_topology *like, int dims, int seeds, struct means *means) {
  int64_t shortest = 0, routed = 0, pairs = 0;
  for (int i = 0; i < seeds; i++) {
    hyla_topology n;
    hyla_topology_ways ways;
    if (!resize(like, dims, like->seed + (uint64_t)i, &n) ||
        topology_measure(&n, n.nodes <= ALL_PAIRS ? n.nodes : SOME, &ways) != HYLA_OK)
      return false;
    shortest += ways.shortest;
    routed += ways.routed;
    pairs += ways.pairs;
  }
  *means = (struct means){dims, (double)shortest / (double)pairs, (double)routed / (double)pairs,
                          form_of(like, dims), 0};
  means->of = is_kind(like, "pseudo") ? means->shortest : means->routed;
  return true;
}

static void print_means(const hyla_topology *n, const struct means *means) {
  printf("%4d  %8.4g  %8.4f  %6.1f %%  %12.4f", means->dims, means->dims / 2.0, means->shortest,
         100 - 200 * means->shortest / means->dims, means->routed);
  if (form_of(n, 1) >= 0)
    printf("  %8.4f  %+9.2f %%", means->form, 100 * (means->of / means->form - 1));
  printf("\n");
}

static json_t *means_json(const hyla_topology *n, const struct means *means) {
  json_t *json = json_pack("{s:i, s:f, s:f, s:f, s:f}", "dims", means->dims, "cube",
                           means->dims / 2.0, "shortest", means->shortest, "below_cube",
                           1 - 2 * means->shortest / means->dims, "routed", means->routed);
  if (form_of(n, 1) >= 0)
    json_object_update_new(json, json_pack("{s:f, s:f}", "formula_value", means->form, "difference",
                                           means->of / means->form - 1));
  return json;
}

int topology_distances(const struct run *run, const hyla_topology *last) {
  const struct options *options = &run->options;
  json_t *rows = json_array();
  if (!last->drawn) {
    tell(run, "--distances is for networks that are drawn; %s is not, and --network shows its mean",
         last->name);
    return EXIT_USE;
  }
  if (last->axes > DISTANCE_DIMS) return refuse_dims(run, last, DISTANCE_DIMS);
  if (!options->json) {
    printf(
        "%.*s cubes, %d of each size, seeds from %llu: mean distances, a node with itself too\n\n"
        "   d  cube d/2  shortest  less than  self-routing%s\n",
        (int)strcspn(last->name, ":"), last->name, options->distances,
        (unsigned long long)last->seed,
        is_kind(last, "enhanced") ? "  recursion  difference"
        : is_kind(last, "pseudo") ? "  d/4 + .9   difference"
                                  : "");
  }
  for (int dims = 1; dims <= last->axes; dims++) {
    struct means means;
    if (!measure(last, dims, options->distances, &means)) return no_memory(run);
    if (options->json)
      json_array_append_new(rows, means_json(last, &means));
    else
      print_means(last, &means);
  }
  if (options->json)
    json_line(json_pack("{s:s, s:s, s:i, s:o}", "op", "distances", "network", last->name, "seeds",
                        options->distances, "sizes", rows));
  else
    json_decref(rows);
  return EXIT_DONE;
}

/* ------------------------------------------------------------- exchanges -- */

/* Slots of an exchange over some networks. */
struct slots {
  int64_t least, most;
  int longest;
};

/* Puts the targets of a node's packets in an order that is drawn: all in the order of their numbers
 * would fill one half of the network first. */
static void shuffle(int32_t *to, int64_t nodes, uint64_t *state) {
  for (int64_t i = nodes - 1; i > 0; i--) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    const int64_t other = (int64_t)(*state % (uint64_t)(i + 1));
    const int32_t kept = to[i];
    to[i] = to[other];
    to[other] = kept;
  }
}

/* Each node has a packet for each other one.  Returns the slots; -1: no memory. */
static int64_t exchange(const hyla_topology *n, bool last_first) {
  const size_t nodes = (size_t)n->nodes, packets = nodes * nodes;
  int32_t *from = malloc((3 * packets + 4 * nodes * (size_t)n->ports) * sizeof *from);
  if (!from) return -1;
  int32_t *to = from + packets;
  for (size_t i = 0; i < packets; i++) {
    from[i] = (int32_t)(i / nodes);
    to[i] = (int32_t)(i % nodes);
  }
  uint64_t state = 88172645463325252u;
  for (size_t node = 0; node < nodes; node++) shuffle(to + node * nodes, n->nodes, &state);
  const int64_t slots =
      hyla_topology_play(n, HYLA_WAY_SELF, last_first, (int64_t)packets, from, to, to + packets);
  free(from);
  return slots;
}

static bool play(const hyla_topology *like, int dims, int seeds, bool last_first,
                 struct slots *slots) {
  *slots = (struct slots){.least = INT64_MAX};
  for (int i = 0; i < seeds; i++) {
    hyla_topology n = *like;
    hyla_topology_ways ways;
    if (!n.mesh && !resize(like, dims, like->seed + (uint64_t)i, &n)) return false;
    const int64_t taken = exchange(&n, last_first);
    if (taken < 0 || topology_measure(&n, n.nodes <= ALL_PAIRS ? n.nodes : SOME, &ways) != HYLA_OK)
      return false;
    if (taken < slots->least) slots->least = taken;
    if (taken > slots->most) slots->most = taken;
    if (ways.longest > slots->longest) slots->longest = ways.longest;
  }
  return true;
}

int topology_exchanges(const struct run *run, const hyla_topology *last) {
  const struct options *options = &run->options;
  const bool bounded = is_kind(last, "permutation") || is_kind(last, "symmetric");
  const int seeds = last->drawn ? options->exchanges : 1;
  json_t *rows = json_array();
  if (last->nodes > 1 << EXCHANGE_DIMS) {
    tell(run, "%s has %lld nodes; exchanges are played on up to %d", last->name,
         (long long)last->nodes, 1 << EXCHANGE_DIMS);
    return EXIT_USE;
  }
  if (!options->json)
    printf(
        "total exchange by self-routing, in slots, the packet that came first (last) goes first; "
        "networks of each size: %d\n\n%8s  %12s  %12s  %12s%s\n",
        seeds, "nodes", "first", "last", "longest way", bounded ? "  bound N - 1" : "");
  for (int dims = last->mesh ? last->axes : 1; dims <= last->axes; dims++) {
    const int64_t nodes = last->mesh ? last->nodes : INT64_C(1) << dims;
    struct slots fifo, lifo;
    if (!play(last, dims, seeds, false, &fifo) || !play(last, dims, seeds, true, &lifo))
      return no_memory(run);
    json_array_append_new(rows, json_pack("{s:I, s:[I, I], s:[I, I], s:i}", "nodes",
                                          (json_int_t)nodes, "first", (json_int_t)fifo.least,
                                          (json_int_t)fifo.most, "last", (json_int_t)lifo.least,
                                          (json_int_t)lifo.most, "longest", fifo.longest));
    if (options->json) continue;
    char text[2][40];
    snprintf(text[0], 40, "%lld-%lld", (long long)fifo.least, (long long)fifo.most);
    snprintf(text[1], 40, "%lld-%lld", (long long)lifo.least, (long long)lifo.most);
    printf("%8lld  %12s  %12s  %12d", (long long)nodes, text[0], text[1], fifo.longest);
    if (bounded) printf("  %11lld", (long long)nodes - 1);
    printf("\n");
  }
  if (options->json)
    json_line(json_pack("{s:s, s:s, s:i, s:O}", "op", "exchanges", "network", last->name, "seeds",
                        seeds, "sizes", rows));
  json_decref(rows);
  return EXIT_DONE;
}

/* ---------------------------------------------------------- permutations -- */

enum { NAMES_MOST = 16, DRAWS_MOST = 10000 };

/* The target of a node by a permutation; -1: it has no such name. */
static int target(const char *name, int dims, int node) {
  const int nodes = 1 << dims, half = dims / 2;
  int reversed = 0;
  for (int i = 0; i < dims; i++) reversed |= (node >> i & 1) << (dims - 1 - i);
  if (strcmp(name, "reversal") == 0) return reversed;
  if (strcmp(name, "complement") == 0) return nodes - 1 - node;
  if (strcmp(name, "transpose") == 0) return (node << half | node >> (dims - half)) & (nodes - 1);
  if (strcmp(name, "shuffle") == 0) return (node << 1 | node >> (dims - 1)) & (nodes - 1);
  if (strncmp(name, "rotate:", 7) != 0 || name[7] == 0 || strlen(name) > 14 ||
      strspn(name + 7, "0123456789") != strlen(name + 7))
    return -1;
  return (int)((node + atol(name + 7)) % nodes);
}

/* The permutations that are to be served, and memory to play one. */
struct wanted {
  int count, dims;
  const char *name[NAMES_MOST];
  char text[512];
  int32_t *from, *to, *work;
};

static bool take_names(const char *list, struct wanted *wanted) {
  char *at = wanted->text;
  if (strlen(list) >= sizeof wanted->text) return false;
  strcpy(wanted->text, list);
  for (char *end = at; at; at = end ? end + 1 : NULL) {
    end = strchr(at, ',');
    if (end) *end = 0;
    if (wanted->count == NAMES_MOST || target(at, wanted->dims, 0) < 0) return false;
    wanted->name[wanted->count++] = at;
  }
  return true;
}

static int64_t serve(const struct wanted *wanted, const hyla_topology *n, hyla_topology_way way,
                     int i) {
  for (int node = 0; node < n->nodes; node++) {
    wanted->from[node] = node;
    wanted->to[node] = target(wanted->name[i], wanted->dims, node);
  }
  return hyla_topology_play(n, way, false, n->nodes, wanted->from, wanted->to, wanted->work);
}

/* The least K above 2.5, to a thousandth, whose networks serve this many permutations: M < 2^-d
 * (2K/e)^(Kd). */
static double least_k(int dims, int count) {
  double k = 2.501;
  while (log(count) >= dims * (k * (log(2 * k) - 1) - log(2))) k += 0.001;
  return k;
}

/* Draws from the first seed on; the first network that serves all in fewer slots than the bound. */
static int draw(const struct wanted *wanted, const hyla_topology *first, double bound,
                hyla_topology *n) {
  for (int draws = 1; draws <= DRAWS_MOST; draws++) {
    int64_t most = 0;
    if (!resize(first, wanted->dims, first->seed + (uint64_t)draws - 1, n)) return 0;
    for (int i = 0; i < wanted->count && (double)most < bound; i++) {
      const int64_t slots = serve(wanted, n, HYLA_WAY_FAR, i);
      if (slots > most) most = slots;
    }
    if ((double)most < bound) return draws;
  }
  return 0;
}

static void print_served(const struct run *run, const struct wanted *wanted, const hyla_topology *n,
                         int draws, double k) {
  json_t *rows = json_array();
  const double bound = (k + 1) * wanted->dims / 2 + 1;
  if (!run->options.json)
    printf("%s serves each of %d permutation%s in fewer than (K+1)d/2 + 1 = %.4g slots, K = %.4g; "
           "networks drawn: %d\n\n%-12s  %12s  %12s\n",
           n->name, wanted->count, wanted->count == 1 ? "" : "s", bound, k, draws, "permutation",
           "on the cube", "drawn first");
  for (int i = 0; i < wanted->count; i++) {
    const int64_t cube = serve(wanted, n, HYLA_WAY_CUBE, i),
                  far = serve(wanted, n, HYLA_WAY_FAR, i);
    if (!run->options.json)
      printf("%-12s  %12lld  %12lld\n", wanted->name[i], (long long)cube, (long long)far);
    json_array_append_new(rows, json_pack("{s:s, s:I, s:I}", "permutation", wanted->name[i], "cube",
                                          (json_int_t)cube, "slots", (json_int_t)far));
  }
  if (run->options.json)
    json_line(json_pack("{s:s, s:s, s:i, s:f, s:f, s:O}", "op", "permutations", "network", n->name,
                        "draws", draws, "k", k, "bound", bound, "served", rows));
  json_decref(rows);
}

int topology_permutations(const struct run *run, const hyla_topology *first) {
  struct wanted wanted = {.dims = first->axes};
  if (!is_kind(first, "enhanced")) {
    tell(run, "--permutations is for enhanced cubes, as in --network enhanced:8; this is %s",
         first->name);
    return EXIT_USE;
  }
  if (first->axes > PERMUTATION_DIMS) return refuse_dims(run, first, PERMUTATION_DIMS);
  if (!take_names(run->options.permutations, &wanted)) {
    tell(run,
         "--permutations is `%s'; give up to %d of reversal, complement, transpose, shuffle and "
         "rotate:I, with commas between",
         run->options.permutations, NAMES_MOST);
    return EXIT_USE;
  }
  const size_t nodes = (size_t)first->nodes;
  wanted.from = malloc((3 * nodes + 4 * nodes * (size_t)first->ports) * sizeof *wanted.from);
  if (!wanted.from) return no_memory(run);
  wanted.to = wanted.from + nodes;
  wanted.work = wanted.to + nodes;
  hyla_topology n;
  const double k = least_k(wanted.dims, wanted.count);
  const int draws = draw(&wanted, first, (k + 1) * wanted.dims / 2 + 1, &n);
  if (draws > 0) print_served(run, &wanted, &n, draws, k);
  if (draws == 0) tell(run, "none of %d networks serves all; give fewer permutations", DRAWS_MOST);
  free(wanted.from);
  return draws > 0 ? EXIT_DONE : EXIT_USE;
}
