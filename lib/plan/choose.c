/* The choice between variants: by name if one is wanted, otherwise by predicted seconds; always
 * with reasons. */
#include "plan/plan.h"

#include <string.h>

void hy_forced_variant(const char *forced, const char *operation, char *name, size_t capacity) {
  name[0] = '\0';
  if (forced == NULL) return;
  size_t length = strlen(operation);
  for (const char *item = forced; *item != '\0';) {
    size_t end = strcspn(item, ",");
    if (end > length && strncmp(item, operation, length) == 0 &&
        (item[length] == ':' || item[length] == '=')) {
      size_t want = end - length - 1;
      size_t fits = want < capacity ? want : capacity - 1;
      memcpy(name, item + length + 1, fits);
      name[fits] = '\0';
    }
    item += end + (item[end] == ',');
  }
}

/* Adds the reason why a candidate is refused; nothing if it is not. */
static const char *add_reason(struct hy_text *text, const struct hy_candidate *candidate) {
  if (candidate->reason != NULL)
    hy_text_add(text, "%s", candidate->reason);
  else if (candidate->limit > 0)
    hy_text_add(text, "it takes %lld bytes of memory, the limit is %lld",
                (long long)candidate->cost.memory, (long long)candidate->limit);
  return text->text;
}

bool hy_refused(const struct hy_candidate *candidate) {
  return candidate->reason != NULL || candidate->limit > 0;
}

static hyla_status refuse_all(struct hy_base *base, const char *operation,
                              const struct hy_candidate *candidates, int count) {
  char reasons[HY_MESSAGE_MAX] = "";
  struct hy_text text = {.text = reasons, .capacity = sizeof reasons};
  for (int i = 0; i < count; i++) {
    hy_text_add(&text, "%s%s: ", i > 0 ? "; " : "", candidates[i].name);
    add_reason(&text, &candidates[i]);
  }
  return hy_fail(base, HYLA_UNSUPPORTED, "no variant of %s applies: %s", operation, reasons);
}

/* ARGUMENT: no variant has that name.  The message gives the nearest name, and all names. */
static hyla_status refuse_name(struct hy_base *base, const char *operation,
                               const struct hy_candidate *candidates, int count,
                               const char *wanted) {
  enum { NAMES_MAX = 64 };
  const char *names[NAMES_MAX + 1] = {NULL};
  char words[HY_MESSAGE_MAX] = "", meant[2 * HY_NAME_MAX] = "";
  struct hy_text text = {.text = words, .capacity = sizeof words};
  for (int i = 0; i < count; i++) hy_text_add(&text, " %s", candidates[i].name);
  for (int i = 0; i < count && i < NAMES_MAX; i++) names[i] = candidates[i].name;
  const char *nearest = hyla_name_nearest(wanted, names);
  if (nearest) snprintf(meant, sizeof meant, " (did you mean '%s'?)", nearest);
  return hy_fail(base, HYLA_ARGUMENT, "%s has no variant '%s'%s; there are:%s", operation, wanted,
                 meant, words);
}

static hyla_status choose_wanted(struct hy_base *base, const char *operation,
                                 const struct hy_candidate *candidates, int count,
                                 const char *wanted, int *choice) {
  char words[HY_MESSAGE_MAX] = "";
  struct hy_text text = {.text = words, .capacity = sizeof words};
  for (int i = 0; i < count; i++) {
    if (strcmp(candidates[i].name, wanted) != 0) continue;
    CHECK(
        base, !hy_refused(&candidates[i]), UNSUPPORTED,
        "variant %s of %s does not apply: %s; take another one or leave the choice to the planner",
        wanted, operation, add_reason(&text, &candidates[i]));
    *choice = i;
    return HYLA_OK;
  }
  return refuse_name(base, operation, candidates, count, wanted);
}

bool hy_within_memory(const struct hy_base *base, const struct hy_candidate *candidate) {
  return base->memory_limit == 0 || candidate->cost.memory <= base->memory_limit;
}

hyla_status hy_choose(struct hy_base *base, const char *operation, struct hy_candidate *candidates,
                      int count, const char *wanted, int *choice) {
  *choice = -1;
  for (int i = 0; i < count; i++) {
    candidates[i].limit = hy_within_memory(base, &candidates[i]) ? 0 : base->memory_limit;
  }
  if (wanted != NULL && wanted[0] != '\0')
    return choose_wanted(base, operation, candidates, count, wanted, choice);
  for (int i = 0; i < count; i++) {
    if (hy_refused(&candidates[i])) continue;
    if (*choice < 0 || candidates[i].seconds < candidates[*choice].seconds) *choice = i;
  }
  return *choice >= 0 ? HYLA_OK : refuse_all(base, operation, candidates, count);
}

static void explain_cost(struct hy_text *text, const struct hy_candidate *candidate) {
  const hyla_cost *cost = &candidate->cost;
  hy_text_add(text,
              "%lld steps, %lld messages, %lld words (%lld read in place), %lld copied, %lld flops",
              (long long)cost->steps, (long long)cost->messages, (long long)cost->words,
              (long long)cost->lent, (long long)cost->copied, (long long)cost->flops);
  if (cost->touched > 0) hy_text_add(text, " on %lld entries", (long long)cost->touched);
  if (cost->streamed > 0)
    hy_text_add(text, ", %lld copied past the caches", (long long)cost->streamed);
  if (cost->scattered > 0)
    hy_text_add(text, ", %lld copied one by one", (long long)cost->scattered);
  if (cost->read > 0) hy_text_add(text, ", %lld read once", (long long)cost->read);
  hy_text_add(text, ", %lld bytes of memory on the busiest rank, %.3g s predicted",
              (long long)cost->memory, candidate->seconds);
  if (candidate->measured > 0) hy_text_add(text, ", %.3g s measured", candidate->measured);
}

/* How a candidate compares with the chosen one. */
static const char *comparison(const struct hy_candidate *chosen, const struct hy_candidate *other,
                              enum hy_why why) {
  if (why == HY_REMEMBERED) return "not the fastest when it was measured";
  if (why == HY_MEASURED) return other->measured > 0 ? "slower" : "not among those measured";
  return other > chosen && other->seconds <= chosen->seconds ? "as fast, later in the list"
                                                             : "slower";
}

/* Are all counts of the two candidates equal? */
static bool same_cost(const struct hy_candidate *chosen, const struct hy_candidate *other) {
  return memcmp(&chosen->cost, &other->cost, sizeof chosen->cost) == 0;
}

/* How a candidate is mentioned.  Candidates with equal counts share a line, and so do unpriced
 * ones. */
enum mention { CHOSEN, UNPRICED, ALIKE, ALONE };
static enum mention mention(const struct hy_candidate *chosen, const struct hy_candidate *other,
                            enum hy_why why) {
  if (other == chosen) return CHOSEN;
  if (hy_refused(other)) return ALONE;
  if (other->unpriced) return UNPRICED;
  return why == HY_PREDICTED && other > chosen && same_cost(chosen, other) ? ALIKE : ALONE;
}

/* One line for all candidates of a kind. */
static void explain_alike(struct hy_text *text, const struct hy_candidate *candidates, int count,
                          const struct hy_candidate *chosen, enum hy_why why, enum mention kind,
                          const char *reason) {
  int listed = 0;
  for (int i = 0; i < count; i++)
    if (mention(chosen, &candidates[i], why) == kind)
      hy_text_add(text, "%s%s", listed++ == 0 ? "  not " : ", ", candidates[i].name);
  if (listed > 0) hy_text_add(text, ": %s\n", reason);
}

static bool same_reason(const struct hy_candidate *a, const struct hy_candidate *b) {
  return a->reason != NULL && b->reason != NULL && strcmp(a->reason, b->reason) == 0;
}

/* One line for all candidates that are refused for the same reason; the first of them writes it. */
static void explain_refused(struct hy_text *text, const struct hy_candidate *candidates, int count,
                            int first) {
  for (int i = 0; i < first; i++)
    if (same_reason(&candidates[i], &candidates[first])) return;
  hy_text_add(text, "  not %s", candidates[first].name);
  bool more = false;
  for (int i = first + 1; i < count; i++) {
    if (!same_reason(&candidates[i], &candidates[first])) continue;
    hy_text_add(text, ", %s", candidates[i].name);
    more = true;
  }
  hy_text_add(text, ": %s not apply: ", more ? "do" : "does");
  add_reason(text, &candidates[first]);
  hy_text_add(text, "\n");
}

static const char *because(enum hy_why why) {
  static const char *const reasons[] = {[HY_PREDICTED] = "predicted to be the fastest",
                                        [HY_ASKED] = "because it was asked for",
                                        [HY_MEASURED] = "measured to be the fastest",
                                        [HY_REMEMBERED] =
                                            "the fastest when it was measured, as wisdom has it"};
  return reasons[why];
}
static const char NOT_PRICED[] = "not asked for, and not priced";
static const char SAME_COST[] = "the same cost, later in the list";

hyla_candidate hy_candidate_shown(const struct hy_candidate *candidates, int i, int choice,
                                  enum hy_why why) {
  const struct hy_candidate *it = &candidates[i], *chosen = &candidates[choice];
  bool applies = !hy_refused(it);
  hyla_candidate shown = {.name = it->name,
                          .applies = applies,
                          .priced = it->reason == NULL && !it->unpriced,
                          .chosen = it == chosen,
                          .rehearsed = it->rehearsed,
                          .measured = it->measured};
  struct hy_text text = {.text = shown.reason, .capacity = sizeof shown.reason};
  if (shown.priced) shown.cost = it->cost;
  if (shown.priced) shown.seconds = it->seconds;
  if (!applies)
    add_reason(&text, it);
  else if (shown.chosen)
    hy_text_add(&text, "%s", because(why));
  else if (it->unpriced)
    hy_text_add(&text, "%s", NOT_PRICED);
  else if (mention(chosen, it, why) == ALIKE)
    hy_text_add(&text, "%s", SAME_COST);
  else
    hy_text_add(&text, "%s", comparison(chosen, it, why));
  return shown;
}

static void explain_other(struct hy_text *text, const struct hy_candidate *chosen,
                          const struct hy_candidate *other, enum hy_why why) {
  hy_text_add(text, "  not %s: ", other->name);
  explain_cost(text, other);
  hy_text_add(text, ": %s\n", comparison(chosen, other, why));
}

void hy_choice_explain(struct hy_text *text, const char *operation, const hyla_machine *machine,
                       const struct hy_candidate *candidates, int count, int choice,
                       enum hy_why why) {
  const struct hy_candidate *chosen = &candidates[choice];
  hy_text_add(text, "%s: variant %s, %s\n", operation, chosen->name, because(why));
  if (text->indent == 0) /* a child plan has its parent's machine */
    hy_text_add(text, "  machine %s: alpha %.3g s, beta %.3g s, gamma %.3g s, rho %.3g s\n",
                machine->name, machine->alpha, machine->beta, machine->gamma, machine->rho);
  hy_text_add(text, "  %s: ", chosen->name);
  explain_cost(text, chosen);
  hy_text_add(text, "\n");
  for (int i = 0; i < count; i++)
    if (mention(chosen, &candidates[i], why) == ALONE && !hy_refused(&candidates[i]))
      explain_other(text, chosen, &candidates[i], why);
  for (int i = 0; i < count; i++)
    if (mention(chosen, &candidates[i], why) == ALONE && hy_refused(&candidates[i]))
      explain_refused(text, candidates, count, i);
  explain_alike(text, candidates, count, chosen, why, ALIKE, SAME_COST);
  explain_alike(text, candidates, count, chosen, why, UNPRICED, NOT_PRICED);
}
