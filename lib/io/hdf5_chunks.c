/* Chunks of an HDF5 dataset, unpacked without HDF5, so that several threads can do it at once.
 *
 * HDF5 gives a chunk as it is in the file.  Chunks that are plain, deflated, or shuffled and
 * deflated (h5py's compression="gzip", with shuffle=True) are unpacked here.  All others are left
 * to HDF5, and so is a chunk that does not unpack: HDF5 says what is wrong with it.
 *
 * Shuffling puts the first bytes of all elements first, then all second ones, and so on.
 * Reference: H5Zshuffle.c of HDF5. */
#include "io/hdf5_file.h"

#include <string.h>
#include <zlib.h>

/* Is filter number `at' applied to a chunk with this mask of those that are not? */
static bool is_applied(int at, uint32_t mask) { return at >= 0 && (mask >> at & 1) == 0; }

/* Adds the filter at a place of the pipeline; false if it is none of ours there. */
static bool add_filter(const struct hy_hdf5_library *lib, hid_t made, int at,
                       struct hy_hdf5_packing *packing) {
  unsigned values[1] = {0};
  size_t count = 1;
  switch (lib->H5Pget_filter2(made, (unsigned)at, NULL, &count, values, 0, NULL, NULL)) {
  case H5Z_FILTER_SHUFFLE:
    packing->shuffle = at;
    packing->width = values[0];
    return at == 0 && count == 1 && values[0] > 0;
  case H5Z_FILTER_DEFLATE: packing->deflate = at; return true;
  default: return false;
  }
}

bool hy_hdf5_packing_of(const struct hy_hdf5_library *lib, hid_t set,
                        struct hy_hdf5_packing *packing) {
  *packing = (struct hy_hdf5_packing){.shuffle = -1, .deflate = -1};
#if H5_VERSION_GE(1, 10, 3)
  hsize_t own[2] = {1, 1};
  hid_t made = lib->H5Dget_create_plist(set);
  const int dims =
      made < 0 || lib->H5Pget_layout(made) != H5D_CHUNKED ? 0 : lib->H5Pget_chunk(made, 2, own);
  const int filters = dims < 1 ? -1 : lib->H5Pget_nfilters(made);
  bool known = filters >= 0 && filters <= 2;
  for (int at = 0; known && at < filters; at++) known = add_filter(lib, made, at, packing);
  known = known && (filters < 2 || packing->shuffle == 0);
  hy_hdf5_close(lib, made);
  if (dims > 0) packing->side[1] = (int64_t)own[dims - 1];
  packing->side[0] = dims == 2 ? (int64_t)own[0] : 1;
  packing->dims = dims;
  return known;
#else
  (void)set, (void)add_filter;
  return false;
#endif
}

/* HDF5's failures are no failures here: they leave the chunk to it. */
bool hy_hdf5_take_chunk(const struct hy_hdf5_library *lib, hid_t set,
                        const struct hy_hdf5_packing *packing, const int64_t at[2], char *room,
                        int64_t most, struct hy_hdf5_packed *chunk) {
#if H5_VERSION_GE(1, 10, 3)
  const hsize_t two[2] = {(hsize_t)at[0], (hsize_t)at[1]}, *from = two + 2 - packing->dims;
  hsize_t bytes = 0;
  *chunk = (struct hy_hdf5_packed){.at = room};
  bool taken = lib->H5Dget_chunk_storage_size(set, from, &bytes) >= 0 && bytes > 0 &&
               bytes <= (hsize_t)hy_max(0, most) &&
               lib->H5Dread_chunk(set, H5P_DEFAULT, from, &chunk->mask, room) >= 0;
  chunk->bytes = (int64_t)bytes;
  if (!taken) (void)lib->H5Eclear2(H5E_DEFAULT);
  return taken;
#else
  (void)set, (void)packing, (void)at, (void)room, (void)most, (void)chunk;
  return false;
#endif
}

static void unshuffle(const char *from, int64_t bytes, int64_t width, char *to) {
  const int64_t count = bytes / width;
  for (int64_t i = 0; i < count; i++)
    for (int64_t b = 0; b < width; b++) to[i * width + b] = from[b * count + i];
  memcpy(to + count * width, from + count * width, (size_t)(bytes - count * width));
}

const char *hy_hdf5_unpack(const struct hy_hdf5_packing *packing,
                           const struct hy_hdf5_packed *chunk, int64_t bytes, char *room) {
  const char *plain = chunk->at;
  if (is_applied(packing->deflate, chunk->mask)) {
    uLongf got = (uLongf)bytes;
    const int code = uncompress((Bytef *)room, &got, (const Bytef *)chunk->at, (uLong)chunk->bytes);
    if (code != Z_OK || (int64_t)got != bytes) return NULL;
    plain = room;
    room += bytes;
  } else if (chunk->bytes != bytes) {
    return NULL;
  }
  if (!is_applied(packing->shuffle, chunk->mask)) return plain;
  unshuffle(plain, bytes, packing->width, room);
  return room;
}
