/* The times at which a link or a port is taken.
 *
 * Messages arrive in the order of the nodes' turns, not of their times.  So the calendar keeps
 * periods, in order, and a message takes the first gap that is long enough.  Periods that touch
 * become one.  Nothing is taken before `past' any more, so periods that ended before it are dropped
 * when room is needed. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* The first period that ends after `time'. */
static int64_t place_after(const struct hy_calendar *calendar, double time) {
  int64_t low = 0, high = calendar->count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (calendar->period[middle].end > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

double hy_calendar_free(const struct hy_calendar *calendar, double start, double length) {
  int64_t place = place_after(calendar, start);
  for (; place < calendar->count && calendar->period[place].start < start + length; place++)
    start = hy_later(start, calendar->period[place].end);
  return start;
}

static hyla_status make_room(struct hy_base *base, struct hy_calendar *calendar, double past) {
  if (calendar->count < calendar->capacity) return HYLA_OK;
  int64_t gone = place_after(calendar, past);
  calendar->count -= gone;
  if (gone > 0)
    memmove(calendar->period, calendar->period + gone,
            (size_t)calendar->count * sizeof *calendar->period);
  if (2 * calendar->count < calendar->capacity) return HYLA_OK;
  int64_t capacity = hy_max(4, 2 * calendar->capacity);
  struct hy_period *period = realloc(calendar->period, (size_t)capacity * sizeof *calendar->period);
  CHECK(base, period != NULL, MEMORY, "out of memory in the simulator");
  calendar->period = period;
  calendar->capacity = capacity;
  return HYLA_OK;
}

hyla_status hy_calendar_take(struct hy_base *base, struct hy_calendar *calendar, double start,
                             double length, double past) {
  TRY(make_room(base, calendar, past));
  int64_t place = place_after(calendar, start);
  struct hy_period *at = &calendar->period[place];
  if (place > 0 && at[-1].end == start) {
    at[-1].end = start + length;
    return HYLA_OK;
  }
  memmove(at + 1, at, (size_t)(calendar->count - place) * sizeof *at);
  *at = (struct hy_period){start, start + length};
  calendar->count++;
  return HYLA_OK;
}

void hy_calendar_clear(struct hy_calendar *calendar) {
  free(calendar->period);
  *calendar = (struct hy_calendar){0};
}
