/* The letters of a closed form with their values for one collective, so that a reader can work the
 * form out by hand.  doc/formulas.md explains the letters. */
#include "collective/papers.h"

#include <ctype.h>
#include <string.h>

/* The text of the variant's own time, and that of a paper's claim; NULL: there is no such text. */
struct texts {
  const char *form, *claim;
};

/* Does a name occur in a text, not as a part of another name? */
static bool stands_in(const char *text, const char *name) {
  size_t length = strlen(name);
  if (text == NULL) return false;
  for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
    bool begins = at == text || !isalpha((unsigned char)at[-1]);
    if (begins && !isalpha((unsigned char)at[length])) return true;
  }
  return false;
}

/* Finds the number of groups that the row chose.  More groups take more steps, so the steps tell
 * it. */
static int64_t groups_of(const struct hy_collective_variant *row, const struct hy_collective *c) {
  struct hy_collective asked = *c;
  const int64_t steps = hy_variant_form(row, c).steps;
  int low = 1, high = HY_GROUPS_MAX;
  while (low < high) {
    int middle = (low + high) / 2;
    asked.groups = middle;
    if (hy_variant_form(row, &asked).steps < steps)
      low = middle + 1;
    else
      high = middle;
  }
  asked.groups = low;
  return hy_variant_form(row, &asked).steps == steps ? low : 0;
}

int64_t hy_active_count(const struct hy_collective *c) {
  int64_t count = 0;
  for (uint32_t node = 0; node < hy_members(c); node++) count += c->active[node] != 0;
  return count;
}

int hy_farthest(const struct hy_collective *c) {
  int most = 0;
  for (uint32_t node = 0; node >> c->dims == 0; node++)
    if (c->to[node] >= 0) most = (int)hy_max(most, hy_popcount(node ^ (uint32_t)c->to[node]));
  return most;
}

/* The letter k: dimensions of a window, log2 of the number of active nodes, or pairs of dimensions
 * that change places in a transposition or a turn. */
static int64_t dims_of(const struct hy_collective_variant *row, const struct hy_collective *c) {
  if (c->task == HY_TASK_WINDOW) return c->window;
  if (c->active != NULL) return hy_log2_floor((uint32_t)hy_active_count(c));
  bool turns = row == &hy_permute_turn_rings || row == &hy_permute_turn_pairs;
  return turns ? c->dims / 2 : hy_pairs_of(c).count;
}

static void add(struct hy_text *text, const struct texts *texts, const char *name, int64_t value) {
  if (stands_in(texts->form, name) || stands_in(texts->claim, name))
    hy_text_add(text, ", %s = %lld", name, (long long)value);
}

void hy_variant_letters(const struct hy_collective_variant *row, const struct hy_collective *c,
                        const char *claim, double tau, double beta, struct hy_text *text) {
  const struct texts texts = {hy_variant_closed_form(row, c), claim};
  bool permutes = c->task == HY_TASK_PERMUTE, grouped = stands_in(texts.form, "g");
  bool shares = c->task == HY_TASK_PARTIAL_EXCHANGE || c->task == HY_TASK_PARTIAL_GATHER;
  if (texts.form == NULL && claim == NULL) return;
  hy_text_add(text, "d = %d, m = %lld, tau = %.15g, beta = %.15g", c->dims,
              (long long)c->blocks.words, tau, beta);
  if (grouped && c->dims > 0 && row->letters == NULL) add(text, &texts, "g", groups_of(row, c));
  if (c->active != NULL) add(text, &texts, "M", hy_active_count(c));
  if (row->banded) add(text, &texts, "b", c->band - 1);
  if (c->task == HY_TASK_WINDOW || permutes || shares) add(text, &texts, "k", dims_of(row, c));
  if (permutes) add(text, &texts, "n", hy_farthest(c));
  if (permutes) add(text, &texts, "h", hy_farthest(c));
  if (permutes && c->to[0] >= 0) add(text, &texts, "i", hy_gray_inverse((uint32_t)c->to[0]));
  if (c->farthest > 0) add(text, &texts, "K", c->nearest);
  if (c->farthest > 0) add(text, &texts, "L", c->farthest);
  if (c->tags != NULL) add(text, &texts, "h", hy_variant_form(row, c).steps);
  if (row->letters != NULL) row->letters(c, text);
}
