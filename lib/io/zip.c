/* Members of ZIP archives, as numpy.savez and numpy.savez_compressed write them: stored, or
 * deflated.
 *
 * Method: the directory of the archive stands at its end.  It is read whole and walked through; the
 * member's local head tells where its bytes begin.  Archives and members above 4 GiB have larger
 * numbers in additional fields (ZIP64).  Format: PKWARE's APPNOTE 6.3. */
#include "io/io.h"
#include "io/names.h"

#include <inttypes.h>
#include <string.h>

/* The lengths of fixed records, and how far from its end an archive's last record is looked for:
 * only a comment of at most 65535 bytes may stand behind it. */
enum { END = 22, END_64 = 56, LOCATOR = 20, ENTRY = 46, LOCAL = 30, COMMENT_MOST = 65535 };
/* The longest directory, which one rank reads whole. */
enum { DIRECTORY_MOST = 1 << 26 };

static const struct hy_io_holder holder = {"a ZIP archive", "member"};

/* A directory in memory. */
struct directory {
  const struct hy_io_file *file;
  const unsigned char *at, *end;
};

/* A member as its entry describes it. */
struct member {
  const char *name;
  int64_t length; /* of the name, without .npy */
  bool numpy;     /* the name ends in .npy */
  int method, flags;
  uint32_t sum;
  uint64_t packed, size, head; /* head: where its local head begins */
};

#define ZIP_CHECK(file, condition, format, ...)                                                    \
  CHECK((file)->base, condition, FORMAT, "%s: a damaged ZIP archive: " format,                     \
        hy_path_shown((file)->path), __VA_ARGS__)

static uint64_t number(const unsigned char *at, int bytes) {
  uint64_t value = 0;
  for (int b = bytes - 1; b >= 0; b--) value = value << 8 | at[b];
  return value;
}

static bool has_mark(const unsigned char *at, char third, char fourth) {
  return at[0] == 'P' && at[1] == 'K' && at[2] == (unsigned char)third &&
         at[3] == (unsigned char)fourth;
}

/* ----------------------------------------------------------------- the directory -- */

struct place {
  uint64_t first, bytes;
};

/* Where the directory lies, by the last record of a large archive. */
static hyla_status find_large(const struct hy_io_file *file, int64_t end, struct place *place) {
  unsigned char locator[LOCATOR], record[END_64];
  if (end < LOCATOR) return HYLA_OK;
  TRY(hy_io_get(file, locator, LOCATOR, end - LOCATOR));
  if (!has_mark(locator, 6, 7)) return HYLA_OK;
  const uint64_t at = number(locator + 8, 8);
  ZIP_CHECK(file, at <= (uint64_t)file->size && file->size - (int64_t)at >= END_64,
            "its directory would begin behind its end%s", "");
  TRY(hy_io_get(file, record, END_64, (int64_t)at));
  ZIP_CHECK(file, has_mark(record, 6, 6), "its last record is not where it should be%s", "");
  *place = (struct place){number(record + 48, 8), number(record + 40, 8)};
  return HYLA_OK;
}

/* Looks for the last record in the archive's last bytes; -1: it is not there. */
static int64_t last_record(const unsigned char *tail, int64_t bytes) {
  for (int64_t at = bytes - END; at >= 0; at--)
    if (has_mark(tail + at, 5, 6) && at + END + (int64_t)number(tail + at + 20, 2) <= bytes)
      return at;
  return -1;
}

static hyla_status find_directory(const struct hy_io_file *file, struct place *place) {
  unsigned char *tail;
  const int64_t bytes = hy_min(file->size, END + COMMENT_MOST);
  TRY(hy_alloc(file->base, bytes, 1, &tail));
  hyla_status status = hy_io_get(file, tail, bytes, file->size - bytes);
  const int64_t at = status == HYLA_OK ? last_record(tail, bytes) : -1;
  if (at >= 0) *place = (struct place){number(tail + at + 16, 4), number(tail + at + 12, 4)};
  hy_free(file->base, &tail);
  TRY(status);
  CHECK(file->base, at >= 0, FORMAT,
        "%s: a ZIP archive without its directory, which stands at the end: the file was cut off",
        hy_path_shown(file->path));
  TRY(find_large(file, file->size - bytes + at, place));
  const uint64_t size = (uint64_t)file->size;
  ZIP_CHECK(file, place->first <= size && place->bytes <= size - place->first,
            "its directory would end behind its end%s", "");
  ZIP_CHECK(file, place->bytes <= DIRECTORY_MOST, "its directory has %" PRIu64 " bytes",
            place->bytes);
  return HYLA_OK;
}

/* --------------------------------------------------------------------- its entries -- */

/* Takes the numbers that did not fit into 4 bytes from the entry's additional fields. */
static void read_large(struct member *member, const unsigned char *at, int64_t bytes) {
  uint64_t *const wanted[] = {&member->size, &member->packed, &member->head};
  while (bytes >= 4) {
    const int64_t length = hy_min((int64_t)number(at + 2, 2), bytes - 4);
    const unsigned char *field = at + 4, *end = field + length;
    for (int i = 0; i < 3 && number(at, 2) == 1; i++) {
      if (*wanted[i] != UINT32_MAX || end - field < 8) continue;
      *wanted[i] = number(field, 8);
      field += 8;
    }
    at += 4 + length;
    bytes -= 4 + length;
  }
}

/* Reads the next entry; *more: there was one. */
static hyla_status next_member(struct directory *d, struct member *member, bool *more) {
  *more = d->at < d->end;
  if (!*more) return HYLA_OK;
  const unsigned char *entry = d->at;
  ZIP_CHECK(d->file, d->end - entry >= ENTRY && has_mark(entry, 1, 2),
            "its directory has an entry of another kind%s", "");
  const int64_t name = (int64_t)number(entry + 28, 2), extra = (int64_t)number(entry + 30, 2),
                comment = (int64_t)number(entry + 32, 2);
  ZIP_CHECK(d->file, d->end - entry >= ENTRY + name + extra + comment,
            "its directory ends inside an entry%s", "");
  *member = (struct member){.name = (const char *)entry + ENTRY,
                            .flags = (int)number(entry + 8, 2),
                            .method = (int)number(entry + 10, 2),
                            .sum = (uint32_t)number(entry + 16, 4),
                            .packed = number(entry + 20, 4),
                            .size = number(entry + 24, 4),
                            .head = number(entry + 42, 4)};
  read_large(member, entry + ENTRY + name, extra);
  member->numpy = name > 4 && memcmp(member->name + name - 4, ".npy", 4) == 0;
  member->length = member->numpy ? name - 4 : name;
  d->at += ENTRY + name + extra + comment;
  return HYLA_OK;
}

/* Has a member this name, with or without .npy? */
static bool is_named(const struct member *member, const char *name) {
  const int64_t length = (int64_t)strlen(name);
  const bool whole = length == member->length + 4 && strcmp(name + member->length, ".npy") == 0;
  return member->numpy && (length == member->length || whole) &&
         memcmp(name, member->name, (size_t)member->length) == 0;
}

static hyla_status list(struct directory d, struct hy_io_names *names) {
  struct member member;
  bool more;
  for (;;) {
    TRY(next_member(&d, &member, &more));
    if (!more) return HYLA_OK;
    if (member.numpy) hy_io_names_add(names, member.name, member.length);
  }
}

static hyla_status find_member(struct directory d, const char *name, struct member *member,
                               bool *found) {
  *found = false;
  for (bool more = true; more && !*found;) {
    TRY(next_member(&d, member, &more));
    *found = more && is_named(member, name);
  }
  return HYLA_OK;
}

static hyla_status choose(const struct directory *d, struct hy_io_names *names,
                          struct member *member) {
  char only[HY_IO_NAME];
  bool found;
  const char *name = d->file->name.member;
  TRY(list(*d, names));
  if (name == NULL) {
    TRY(hy_io_names_only(d->file, names, &holder, only));
    name = only;
  }
  TRY(find_member(*d, name, member, &found));
  return found ? HYLA_OK : hy_io_names_missing(d->file, names, &holder, name);
}

/* The place of a member's bytes, which its local head tells. */
static hyla_status locate(const struct hy_io_file *file, const struct member *member,
                          struct hy_io_part *part) {
  enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };
  char name[HY_IO_QUOTE];
  unsigned char head[LOCAL];
  const uint64_t size = (uint64_t)file->size;
  hy_io_quote(member->name, member->length, name);
  CHECK(file->base, (member->flags & ENCRYPTED) == 0, FORMAT, "%s: member %s is encrypted",
        hy_path_shown(file->path), name);
  CHECK(file->base, member->method == STORED || member->method == DEFLATED, FORMAT,
        "%s: member %s is compressed by ZIP's method %d; only stored and deflated ones are read",
        hy_path_shown(file->path), name, member->method);
  ZIP_CHECK(file, member->head <= size && size - member->head >= LOCAL,
            "member %s would begin behind its end", name);
  TRY(hy_io_get(file, head, LOCAL, (int64_t)member->head));
  ZIP_CHECK(file, has_mark(head, 3, 4), "member %s is not where its directory says", name);
  const uint64_t first = member->head + LOCAL + number(head + 26, 2) + number(head + 28, 2);
  ZIP_CHECK(file, first <= size && member->packed <= size - first,
            "member %s would end behind its end", name);
  ZIP_CHECK(file,
            member->size <= INT64_MAX &&
                (member->method == DEFLATED || member->size == member->packed),
            "member %s has two different lengths", name);
  *part =
      (struct hy_io_part){member->method == STORED ? HY_IO_STORED : HY_IO_DEFLATED, (int64_t)first,
                          (int64_t)member->packed, (int64_t)member->size, member->sum};
  return HYLA_OK;
}

static hyla_status find_in(const struct directory *d, struct hy_io_part *part) {
  struct hy_io_names *names;
  struct member member;
  TRY(hy_alloc(d->file->base, 1, sizeof *names, &names));
  hyla_status status = choose(d, names, &member);
  hy_free(d->file->base, &names);
  return status == HYLA_OK ? locate(d->file, &member, part) : status;
}

hyla_status hy_zip_find(const struct hy_io_file *file, struct hy_io_part *part) {
  struct place place = {0, 0};
  unsigned char *bytes;
  TRY(find_directory(file, &place));
  TRY(hy_alloc(file->base, (int64_t)place.bytes, 1, &bytes));
  hyla_status status = hy_io_get(file, bytes, (int64_t)place.bytes, (int64_t)place.first);
  const struct directory directory = {file, bytes, bytes + place.bytes};
  if (status == HYLA_OK) status = find_in(&directory, part);
  hy_free(file->base, &bytes);
  return status;
}
