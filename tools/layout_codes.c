/* hyla layout --codes N: brings a loop of 2^N elements from the binary-reflected Gray code to the
 * binary code, one cube dimension after the other from the second highest down; and says how far
 * apart elements lie in both codes.  Johnsson 1987, 3.1.1, lemma 3.3, lemma 3.4 and Table I. */
#include "layout.h"

/* The node of element i once dimensions `done` and above hold binary bits. */
static int place(const hyla_layout *gray, int64_t nodes, int64_t i, int done) {
  int code = hyla_layout_owner(gray, nodes, 1, i, 0), low = (1 << done) - 1;
  return ((int)i & ~low) | (code & low);
}

static int64_t element_at(const hyla_layout *gray, int64_t nodes, int node, int done) {
  int64_t i = 0;
  while (place(gray, nodes, i, done) != node) i++;
  return i;
}

/* The most links from element i to element i + 2^k of the loop, and their sum over all i. */
struct apart {
  int most;
  int64_t sum;
};

static struct apart apart_in(hyla_code code, int dims, int k) {
  const int64_t nodes = INT64_C(1) << dims;
  hyla_layout layout = {.row = {.dims = dims, .code = code, .storage = HYLA_CYCLIC}};
  struct apart apart = {0, 0};
  for (int dim = 0; dim < dims; dim++) layout.row.dim[dim] = (uint8_t)dim;
  for (int64_t i = 0; i < nodes; i++) {
    const int64_t next = (i + (INT64_C(1) << k)) % nodes;
    const int from = hyla_layout_owner(&layout, nodes, 1, i, 0);
    const int links =
        __builtin_popcount((unsigned)(from ^ hyla_layout_owner(&layout, nodes, 1, next, 0)));
    apart.sum += links;
    if (links > apart.most) apart.most = links;
  }
  return apart;
}

/* In the binary code a sum changes the bits of its carry, in the Gray code at most two. */
static void print_strides(int dims) {
  printf("\nlinks from element i to element i + 2^k of the loop, at most and on average:\n\n"
         "      k      binary code        Gray code\n");
  for (int k = 0; k < dims; k++) {
    const struct apart binary = apart_in(HYLA_BINARY, dims, k), gray = apart_in(HYLA_GRAY, dims, k);
    const double nodes = (double)(INT64_C(1) << dims);
    printf("%7d  %7d %8.5g  %7d %7.5g\n", k, binary.most, (double)binary.sum / nodes, gray.most,
           (double)gray.sum / nodes);
  }
}

void layout_print_codes(int dims) {
  int64_t nodes = INT64_C(1) << dims;
  hyla_layout gray = {.row = {.dims = dims, .code = HYLA_GRAY, .storage = HYLA_CYCLIC}};
  for (int dim = 0; dim < dims; dim++) gray.row.dim[dim] = (uint8_t)dim;
  printf("element of each node, the nodes in the order of the Gray code; then after a\n"
         "reflection on each bit, which is an exchange over that dimension:\n\n"
         "%*s  %9s",
         dims < 7 ? 7 : dims, "address", "Gray code");
  for (int bit = dims - 1; bit-- > 0;) printf("  %4s %d", "bit", bit);
  printf("\n");
  for (int64_t i = 0; i < nodes; i++) {
    int node = place(&gray, nodes, i, dims);
    printf("%*s", dims < 7 ? 7 - dims : 0, "");
    for (int bit = dims; bit-- > 0;) printf("%d", node >> bit & 1);
    printf("  %9lld", (long long)i);
    for (int bit = dims - 1; bit-- > 0;)
      printf("  %6lld", (long long)element_at(&gray, nodes, node, bit));
    printf("\n");
  }
  print_strides(dims);
}
