/* Passes over local entries: conjugates, sums, and the number of threads that a pass is worth. */
#include "solve/contract/contract.h"

#include <complex.h>

void hy_conjugate_entries(hyla_matrix *m) {
  const struct hy_kernels *k = m->k;
  for (int64_t j = 0; j < m->local_cols; j++)
    for (int64_t i = 0; i < m->local_rows; i++) {
      char *entry = hy_at(m, i, j);
      k->set(entry, 0, conj(k->get(entry, 0)));
    }
}

void hy_solve_sum(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_kernels *k = arg;
  enum { AT_ONCE = 1 << 30 };
  for (int64_t i = 0; i < count; i += AT_ONCE) {
    int n = (int)hy_min(AT_ONCE, count - i);
    size_t at = (size_t)i * k->size;
    k->add(n, 1, (const char *)from + at, n, (char *)into + at, n);
  }
}

static int threads_for(const hyla_matrix *m) {
  const int64_t worth = 1 << 20; /* bytes that are moved in the time of waking a thread */
  int64_t bytes = m->local_rows * m->local_cols * (int64_t)m->k->size;
  return bytes < worth ? 1 : hy_team_threads(m->cube->session.team);
}

void hy_solve_share(const hyla_matrix *m, void (*piece)(void *arg, int64_t index, int thread),
                    void *arg, int64_t count) {
  struct hy_work work = {.piece = piece, .arg = arg, .count = count, .threads = threads_for(m)};
  hy_team_do(m->cube->session.team, &work);
}
