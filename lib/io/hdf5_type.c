/* HDF5's datatypes and the elements of matrices. */
#include "io/hdf5_file.h"

#include <string.h>

static const char *const pairs[][2] = {{"r", "i"}, {"real", "imag"}, {"re", "im"}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static bool integer(const struct hy_hdf5_library *lib, hid_t type, struct hy_npy_element *element) {
  size_t size = lib->H5Tget_size(type);
  H5T_order_t order = lib->H5Tget_order(type);
  if (size != 1 && size != 2 && size != 4 && size != 8) return false;
  if (lib->H5Tget_precision(type) != 8 * size || lib->H5Tget_offset(type) != 0) return false;
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return false;
  *element = (struct hy_npy_element){.kind = lib->H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i',
                                     .size = (int)size,
                                     .big = order == H5T_ORDER_BE};
  return true;
}

/* Makes IEEE's half precision, for which HDF5 has no name before 1.14.4; < 0 on failure. */
static hid_t make_half(const struct hy_hdf5_library *lib, hid_t single) {
  enum { BITS = 16, FRACTION = 10, EXPONENT = 5, BIAS = 15 };
  hid_t type = lib->H5Tcopy(single);
  if (type >= 0 && lib->H5Tset_fields(type, BITS - 1, FRACTION, EXPONENT, 0, FRACTION) >= 0 &&
      lib->H5Tset_precision(type, BITS) >= 0 && lib->H5Tset_ebias(type, BIAS) >= 0 &&
      lib->H5Tset_size(type, BITS / 8) >= 0)
    return type;
  hy_hdf5_close(lib, type);
  return -1;
}

static bool is_half(const struct hy_hdf5_library *lib, hid_t type, hid_t single) {
  hid_t half = make_half(lib, single);
  bool same = half >= 0 && lib->H5Tequal(type, half) > 0;
  hy_hdf5_close(lib, half);
  return same;
}

static bool floating(const struct hy_hdf5_library *lib, hid_t type,
                     struct hy_npy_element *element) {
  const struct {
    hid_t type;
    int size;
    bool big;
  } known[] = {{HY_HDF5_TYPE(lib, IEEE_F32LE), 4, false},
               {HY_HDF5_TYPE(lib, IEEE_F32BE), 4, true},
               {HY_HDF5_TYPE(lib, IEEE_F64LE), 8, false},
               {HY_HDF5_TYPE(lib, IEEE_F64BE), 8, true}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const bool same = lib->H5Tequal(type, known[i].type) > 0;
    const bool half = !same && known[i].size == 4 && is_half(lib, type, known[i].type);
    if (!same && !half) continue;
    *element =
        (struct hy_npy_element){.kind = 'f', .size = half ? 2 : known[i].size, .big = known[i].big};
    return true;
  }
  return false;
}

static bool member_is_named(const struct hy_hdf5_library *lib, hid_t type, unsigned i,
                            const char *name) {
  char *own = lib->H5Tget_member_name(type, i);
  bool same = own != NULL && strcmp(own, name) == 0;
  if (own != NULL) (void)lib->H5free_memory(own);
  return same;
}

/* Is it a complex number: two equal parts, one directly behind the other? */
static bool pair(const struct hy_hdf5_library *lib, hid_t type, struct hy_npy_element *element) {
  bool named = false;
  if (lib->H5Tget_nmembers(type) != 2) return false;
  for (int i = 0; i < PAIRS; i++)
    named = named || (member_is_named(lib, type, 0, pairs[i][0]) &&
                      member_is_named(lib, type, 1, pairs[i][1]));
  hid_t real = lib->H5Tget_member_type(type, 0), imaginary = lib->H5Tget_member_type(type, 1);
  bool good = named && real >= 0 && imaginary >= 0 && lib->H5Tequal(real, imaginary) > 0 &&
              lib->H5Tget_class(real) == H5T_FLOAT && floating(lib, real, element) &&
              element->size > 2 && lib->H5Tget_member_offset(type, 0) == 0 &&
              lib->H5Tget_member_offset(type, 1) == (size_t)element->size &&
              lib->H5Tget_size(type) == 2 * (size_t)element->size;
  hy_hdf5_close(lib, real);
  hy_hdf5_close(lib, imaginary);
  element->kind = 'c';
  element->size *= 2;
  return good;
}

/* Is it h5py's boolean, an enumeration of FALSE and TRUE? */
static bool boolean(const struct hy_hdf5_library *lib, hid_t type, struct hy_npy_element *element) {
  if (lib->H5Tget_nmembers(type) != 2 || !member_is_named(lib, type, 0, "FALSE") ||
      !member_is_named(lib, type, 1, "TRUE"))
    return false;
  hid_t number = lib->H5Tget_super(type);
  bool good = number >= 0 && integer(lib, number, element) && element->size == 1;
  hy_hdf5_close(lib, number);
  element->kind = 'b';
  return good;
}

bool hy_hdf5_element(const struct hy_hdf5_library *lib, hid_t type,
                     struct hy_npy_element *element) {
  switch (lib->H5Tget_class(type)) {
  case H5T_INTEGER: return integer(lib, type, element);
  case H5T_FLOAT: return floating(lib, type, element);
  case H5T_COMPOUND: return pair(lib, type, element);
  case H5T_ENUM: return boolean(lib, type, element);
  default: return false;
  }
}

const char *hy_hdf5_class_name(const struct hy_hdf5_library *lib, hid_t type) {
  switch (lib->H5Tget_class(type)) {
  case H5T_INTEGER: return "integers of another size than 1, 2, 4 or 8 bytes";
  case H5T_FLOAT: return "real numbers of another precision";
  case H5T_COMPOUND: return "structures that are no complex numbers";
  case H5T_ENUM: return "names of values";
  case H5T_STRING: return "text";
  case H5T_REFERENCE: return "references";
  case H5T_ARRAY: return "arrays";
  case H5T_VLEN: return "lists of any length";
  default: return "bytes that are no numbers";
  }
}

hid_t hy_hdf5_type(const struct hy_hdf5_library *lib, const struct hy_kernels *k, bool matlab) {
  bool single = k->epsilon > 1e-10;
  hid_t part = single ? HY_HDF5_TYPE(lib, NATIVE_FLOAT) : HY_HDF5_TYPE(lib, NATIVE_DOUBLE);
  if (!k->complex_type) return lib->H5Tcopy(part);
  hid_t type = lib->H5Tcreate(H5T_COMPOUND, k->size);
  const char *const *names = pairs[matlab];
  if (type >= 0 && lib->H5Tinsert(type, names[0], 0, part) >= 0 &&
      lib->H5Tinsert(type, names[1], k->size / 2, part) >= 0)
    return type;
  hy_hdf5_close(lib, type);
  return -1;
}
