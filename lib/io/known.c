/* Formats known by a file's first bytes: HDF5, and some that hyla cannot read. */
#include "io/io.h"

#include <ctype.h>
#include <string.h>

static uint32_t number_at(const char *start, bool big) {
  uint32_t number = 0;
  for (int b = 0; b < 4; b++) number = number << 8 | (unsigned char)start[big ? b : 3 - b];
  return number;
}

/* MATLAB's version 4: five numbers of 4 bytes, then the variable's name with a 0 behind it.  The
 * digits of the first number, MOPT, tell machine and type. */
static bool is_matlab_4(const char *start, int64_t length, bool big) {
  enum { NUMBERS = 20, NAME_MOST = HY_IO_START - NUMBERS };
  if (length < NUMBERS + 2) return false;
  const uint32_t mopt = number_at(start, big), imaginary = number_at(start + 12, big),
                 name = number_at(start + 16, big);
  if (mopt > 4052 || mopt / 100 % 10 != 0 || mopt / 10 % 10 > 5 || mopt % 10 > 2) return false;
  if (imaginary > 1 || name < 2 || name > NAME_MOST || NUMBERS + (int64_t)name > length)
    return false;
  for (uint32_t i = 0; i + 1 < name; i++)
    if (isalnum((unsigned char)start[NUMBERS + i]) == 0 && start[NUMBERS + i] != '_') return false;
  return start[NUMBERS + name - 1] == '\0';
}

const char *hy_io_known_start(const char *start, int64_t length) {
  static const struct {
    const char *bytes, *what;
  } starts[] = {
      {"\xef\xbb\xbf", "a byte order mark; save the file without it, as plain ASCII"},
      {"\xff\xfe", "UTF-16 text; save the file as plain ASCII"},
      {"\xfe\xff", "UTF-16 text; save the file as plain ASCII"},
      {"MATLAB 5.0", "a MAT file of version 5, as MATLAB's save -v6 and -v7 and SciPy's savemat "
                     "make them; save it "
                     "with -v7.3, or as .npy"},
      {"MATLAB", "a file of a MATLAB before 7.3; save it with -v7.3"},
      {"\x89HDF", "an HDF5 file compressed by gzip; unpack it, as by gunzip"},
      {"PK\x03\x04", "a ZIP archive, as .npz files are; unpack it, as by unzip"},
  };
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    size_t bytes = strlen(starts[i].bytes);
    if ((int64_t)bytes <= length && memcmp(start, starts[i].bytes, bytes) == 0)
      return starts[i].what;
  }
  if (is_matlab_4(start, length, false) || is_matlab_4(start, length, true))
    return "a MAT file of version 4, as MATLAB's save -v4 makes them; save it with -v7.3, or as "
           ".npy";
  return NULL;
}

/* HDF5 files begin with a signature at byte 0, 512, 1024, 2048, ..., behind a block that is the
 * writer's own.  HDF5 File Format Specification, II.A. */
hyla_status hy_hdf5_known(const struct hy_io_file *file, bool *known) {
  static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  char start[sizeof signature];
  *known = false;
  /* A gzipped file is not an HDF5 file, and would be slow to search. */
  if (file->gzip != NULL) return HYLA_OK;
  for (int64_t at = 0; !*known && at <= file->size - (int64_t)sizeof start;
       at = at == 0 ? 512 : 2 * at) {
    TRY(hy_io_get(file, start, sizeof start, at));
    *known = memcmp(start, signature, sizeof signature) == 0;
  }
  return HYLA_OK;
}
