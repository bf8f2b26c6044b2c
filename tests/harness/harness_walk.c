/* Walks through many cases, whole or in samples; see harness.h. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static int64_t common_factor(int64_t a, int64_t b) { return b == 0 ? a : common_factor(b, a % b); }

bool harness_part(int64_t *part, int64_t *parts) {
  const char *text = getenv("HYLA_TEST_FULL");
  if (text == NULL || *text == '\0' || strcmp(text, "0") == 0) return false;
  char *end = NULL;
  *part = strtoll(text, &end, 10);
  *parts = *end == '/' ? strtoll(end + 1, &end, 10) : 1;
  if (*end != '\0' || *part < 1 || *part > *parts)
    fail_msg("HYLA_TEST_FULL is `%s', and neither 1 nor I/N", text);
  return true;
}

/* Ones are counted, since the parity of a case's number often stands for a parameter. */
static int half_of(int64_t index) {
  int ones = 0;
  for (; index > 0; index >>= 1) ones += (int)(index & 1);
  return ones % 2;
}

static int half_asked_for(void) {
  const char *text = getenv("HYLA_TEST_HALF");
  return text == NULL || *text == '\0' ? -1 : *text == '1';
}

bool harness_slowed(void) {
  const char *wrapper = getenv("HYLA_TEST_WRAPPER");
  return wrapper != NULL && *wrapper != '\0';
}

int harness_few(int count) { return harness_slowed() ? count / 3 + 1 : count; }

struct harness_walk harness_walk(int64_t count, int64_t few) {
  int64_t begin = harness_draw(0, count - 1), part, parts;
  if (harness_part(&part, &parts))
    return (struct harness_walk){.count = count,
                                 .at = part - 1,
                                 .step = parts,
                                 .left = (count - part + parts) / parts,
                                 .half = half_asked_for()};
  if (harness_slowed()) few = few / 3 + 1;
  int64_t step = few < count ? count / few : 1;
  while (common_factor(step, count) != 1) step++;
  return (struct harness_walk){
      .count = count, .at = begin, .step = step, .left = few < count ? few : count, .half = -1};
}

bool harness_next(struct harness_walk *walk, int64_t *index) {
  while (walk->left > 0) {
    walk->left--;
    *index = walk->at;
    walk->at = (walk->at + walk->step) % walk->count;
    if (walk->half < 0 || half_of(*index) == walk->half) return true;
  }
  return false;
}
