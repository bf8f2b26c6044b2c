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

static hyla_status refuse_all(const struct hy_choice *choice) {
  char reasons[HY_MESSAGE_MAX] = "";
  struct hy_text text = {.text = reasons, .capacity = sizeof reasons};
  for (int i = 0; i < choice->count; i++) {
    hy_text_add(&text, "%s%s: ", i > 0 ? "; " : "", choice->candidates[i].name);
    add_reason(&text, &choice->candidates[i]);
  }
  return hy_fail(choice->base, HYLA_UNSUPPORTED, "no variant of %s applies: %s",
                 choice->family->name, reasons);
}

/* ARGUMENT: no variant has the wanted name.  The message gives the nearest name, and all names. */
static hyla_status refuse_name(const struct hy_choice *choice) {
  enum { NAMES_MAX = 64 };
  const char *names[NAMES_MAX + 1] = {NULL};
  char words[HY_MESSAGE_MAX] = "", meant[2 * HY_NAME_MAX] = "";
  struct hy_text text = {.text = words, .capacity = sizeof words};
  for (int i = 0; i < choice->count; i++) {
    hy_text_add(&text, " %s", choice->candidates[i].name);
    if (i < NAMES_MAX) names[i] = choice->candidates[i].name;
  }
  const char *nearest = hyla_name_nearest(choice->wanted, names);
  if (nearest) snprintf(meant, sizeof meant, " (did you mean '%s'?)", nearest);
  return hy_fail(choice->base, HYLA_ARGUMENT, "%s has no variant '%s'%s; there are:%s",
                 choice->family->name, choice->wanted, meant, words);
}

static hyla_status choose_wanted(struct hy_choice *choice) {
  char words[HY_MESSAGE_MAX] = "";
  struct hy_text text = {.text = words, .capacity = sizeof words};
  int i = 0;
  while (i < choice->count && strcmp(choice->candidates[i].name, choice->wanted) != 0) i++;
  if (i == choice->count) return refuse_name(choice);
  CHECK(choice->base, !hy_refused(&choice->candidates[i]), UNSUPPORTED,
        "variant %s of %s does not apply: %s; take another one or leave the choice to the planner",
        choice->wanted, choice->family->name, add_reason(&text, &choice->candidates[i]));
  choice->chosen = i;
  return HYLA_OK;
}

bool hy_within_memory(const struct hy_base *base, const struct hy_candidate *candidate) {
  return base->memory_limit == 0 || candidate->cost.memory <= base->memory_limit;
}

hyla_status hy_choose(struct hy_choice *choice) {
  struct hy_candidate *candidates = choice->candidates;
  int *best = &choice->chosen;
  *best = -1;
  for (int i = 0; i < choice->count; i++)
    candidates[i].limit =
        hy_within_memory(choice->base, &candidates[i]) ? 0 : choice->base->memory_limit;
  if (choice->wanted[0] != '\0') return choose_wanted(choice);
  for (int i = 0; i < choice->count; i++)
    if (!hy_refused(&candidates[i]) &&
        (*best < 0 || candidates[i].seconds < candidates[*best].seconds))
      *best = i;
  return *best >= 0 ? HYLA_OK : refuse_all(choice);
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

static const struct hy_candidate *chosen_of(const struct hy_choice *choice) {
  return &choice->candidates[choice->chosen];
}

/* How a candidate compares with the chosen one. */
static const char *comparison(const struct hy_choice *choice, const struct hy_candidate *other) {
  const struct hy_candidate *chosen = chosen_of(choice);
  if (choice->why == HY_REMEMBERED) return "not the fastest when it was measured";
  if (choice->why == HY_MEASURED)
    return other->measured > 0 ? "slower" : "not among those measured";
  return other > chosen && other->seconds <= chosen->seconds ? "as fast, later in the list"
                                                             : "slower";
}

/* How a candidate is mentioned.  Candidates whose counts are all equal share a line, and so do
 * unpriced ones. */
enum mention { CHOSEN, UNPRICED, ALIKE, ALONE };
static enum mention mention(const struct hy_choice *choice, const struct hy_candidate *other) {
  const struct hy_candidate *chosen = chosen_of(choice);
  if (other == chosen) return CHOSEN;
  if (hy_refused(other)) return ALONE;
  if (other->unpriced) return UNPRICED;
  return choice->why == HY_PREDICTED && other > chosen &&
                 memcmp(&chosen->cost, &other->cost, sizeof chosen->cost) == 0
             ? ALIKE
             : ALONE;
}

/* One line for all candidates of a kind. */
static void explain_alike(struct hy_text *text, const struct hy_choice *choice, enum mention kind,
                          const char *reason) {
  int listed = 0;
  for (int i = 0; i < choice->count; i++)
    if (mention(choice, &choice->candidates[i]) == kind)
      hy_text_add(text, "%s%s", listed++ == 0 ? "  not " : ", ", choice->candidates[i].name);
  if (listed > 0) hy_text_add(text, ": %s\n", reason);
}

static bool same_reason(const struct hy_candidate *a, const struct hy_candidate *b) {
  return a->reason != NULL && b->reason != NULL && strcmp(a->reason, b->reason) == 0;
}

/* One line for all candidates that are refused for the same reason; the first of them writes it. */
static void explain_refused(struct hy_text *text, const struct hy_choice *choice, int first) {
  const struct hy_candidate *candidates = choice->candidates;
  bool more = false;
  for (int i = 0; i < first; i++)
    if (same_reason(&candidates[i], &candidates[first])) return;
  hy_text_add(text, "  not %s", candidates[first].name);
  for (int i = first + 1; i < choice->count; i++)
    if (same_reason(&candidates[i], &candidates[first])) {
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

hyla_candidate hy_candidate_shown(const struct hy_choice *choice, int i) {
  const struct hy_candidate *it = &choice->candidates[i];
  hyla_candidate shown = {.name = it->name,
                          .applies = !hy_refused(it),
                          .priced = it->reason == NULL && !it->unpriced,
                          .chosen = i == choice->chosen,
                          .rehearsed = it->rehearsed,
                          .measured = it->measured};
  struct hy_text text = {.text = shown.reason, .capacity = sizeof shown.reason};
  if (shown.priced) shown.cost = it->cost;
  if (shown.priced) shown.seconds = it->seconds;
  if (!shown.applies)
    add_reason(&text, it);
  else
    hy_text_add(&text, "%s",
                shown.chosen                   ? because(choice->why)
                : it->unpriced                 ? NOT_PRICED
                : mention(choice, it) == ALIKE ? SAME_COST
                                               : comparison(choice, it));
  return shown;
}

void hy_choice_explain(struct hy_text *text, const struct hy_choice *choice,
                       const hyla_machine *machine) {
  const struct hy_candidate *chosen = chosen_of(choice), *others = choice->candidates;
  hy_text_add(text, "%s: variant %s, %s\n", choice->family->name, chosen->name,
              because(choice->why));
  if (text->indent == 0) /* a child plan has its parent's machine */
    hy_text_add(text, "  machine %s: alpha %.3g s, beta %.3g s, gamma %.3g s, rho %.3g s\n",
                machine->name, machine->alpha, machine->beta, machine->gamma, machine->rho);
  hy_text_add(text, "  %s: ", chosen->name);
  explain_cost(text, chosen);
  hy_text_add(text, "\n");
  for (int i = 0; i < choice->count; i++) {
    if (mention(choice, &others[i]) != ALONE || hy_refused(&others[i])) continue;
    hy_text_add(text, "  not %s: ", others[i].name);
    explain_cost(text, &others[i]);
    hy_text_add(text, ": %s\n", comparison(choice, &others[i]));
  }
  for (int i = 0; i < choice->count; i++)
    if (i != choice->chosen && hy_refused(&others[i])) explain_refused(text, choice, i);
  explain_alike(text, choice, ALIKE, SAME_COST);
  explain_alike(text, choice, UNPRICED, NOT_PRICED);
}
