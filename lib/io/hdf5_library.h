/* HDF5's shared library, loaded when the first HDF5 file is opened.  Thirty libraries come with it,
 * for the network and for encryption: to load them takes a third of the start of a command. */
#ifndef HY_HDF5_LIBRARY_H
#define HY_HDF5_LIBRARY_H 1

#include <hdf5.h>
#include <stdbool.h>

/* The constants of hdf5.h are expressions that first call HDF5 by its own name.  hy_hdf5_begin has
 * called it by then. */
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

#if H5_VERSION_GE(1, 10, 3)
#define HY_HDF5_CHUNK_CALLS(X) X(H5Dget_chunk_storage_size) X(H5Dread_chunk)
#else
#define HY_HDF5_CHUNK_CALLS(X)
#endif

/* The calls that hyla makes, and the numbers of HDF5's own objects. */
#define HY_HDF5_CALLS(X)                                                                           \
  X(H5Aclose)                                                                                      \
  X(H5Acreate2)                                                                                    \
  X(H5Aexists) X(H5Aexists_by_name) X(H5Aget_space) X(H5Aget_type) X(H5Aopen) X(H5Aread) X(        \
      H5Awrite) X(H5Dclose) X(H5Dcreate2) X(H5Dget_create_plist) X(H5Dget_offset) X(H5Dget_space)  \
      X(H5Dget_storage_size) X(H5Dget_type) X(H5Dopen2) X(H5Dread) X(H5Dwrite) X(H5Eclear2) X(     \
          H5Eget_auto2) X(H5Eset_auto2) X(H5Ewalk2) X(H5FDregister) X(H5FDunregister) X(H5Fclose)  \
          X(H5Fcreate) X(H5Fopen) X(H5Gget_info_by_name) X(H5Idec_ref) X(H5Iget_name) X(           \
              H5Iget_type) X(H5Ldelete) X(H5Lexists) X(H5Lget_info) X(H5Lget_name_by_idx)          \
              X(H5Lget_val) X(H5Oopen) X(H5Pcreate) X(H5Pget_chunk) X(H5Pget_driver_info) X(       \
                  H5Pget_external_count) X(H5Pget_filter2) X(H5Pget_layout) X(H5Pget_nfilters)     \
                  X(H5Pset_alloc_time) X(H5Pset_chunk_cache) X(H5Pset_create_intermediate_group)   \
                      X(H5Pset_driver) X(H5Pset_elink_cb) X(H5Pset_fill_time) X(H5Pset_layout)     \
                          X(H5Pset_obj_track_times) X(H5Pset_userblock) X(H5Screate) X(            \
                              H5Screate_simple) X(H5Sget_simple_extent_dims)                       \
                              X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_npoints) X(     \
                                  H5Sget_simple_extent_type) X(H5Sselect_hyperslab) X(H5Tcopy)     \
                                  X(H5Tcreate) X(H5Tequal) X(H5Tget_class) X(H5Tget_member_name)   \
                                      X(H5Tget_member_offset) X(H5Tget_member_type)                \
                                          X(H5Tget_nmembers) X(H5Tget_offset) X(H5Tget_order)      \
                                              X(H5Tget_precision) X(H5Tget_sign) X(H5Tget_size)    \
                                                  X(H5Tget_super) X(H5Tinsert)                     \
                                                      X(H5Tis_variable_str) X(H5Tset_ebias)        \
                                                          X(H5Tset_fields) X(H5Tset_precision)     \
                                                              X(H5Tset_size) X(H5Zfilter_avail)    \
                                                                  X(H5free_memory) X(H5open)       \
                                                                      HY_HDF5_CHUNK_CALLS(X)
#define HY_HDF5_NUMBERS(X)                                                                         \
  X(H5P_CLS_DATASET_ACCESS_ID_g)                                                                   \
  X(H5P_CLS_DATASET_CREATE_ID_g)                                                                   \
  X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_FILE_CREATE_ID_g) X(H5P_CLS_LINK_ACCESS_ID_g)              \
      X(H5P_CLS_LINK_CREATE_ID_g) X(H5T_C_S1_g) X(H5T_IEEE_F32BE_g) X(H5T_IEEE_F32LE_g)            \
          X(H5T_IEEE_F64BE_g) X(H5T_IEEE_F64LE_g) X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_FLOAT_g)     \
              X(H5T_NATIVE_UINT64_g) X(H5T_NATIVE_UINT8_g)

/* Its members have the names of HDF5's functions and variables. */
struct hy_hdf5_library {
#define HY_HDF5_MEMBER(name) __typeof__(name) *name;
  HY_HDF5_CALLS(HY_HDF5_MEMBER)
  HY_HDF5_NUMBERS(HY_HDF5_MEMBER)
#undef HY_HDF5_MEMBER
};

/* HDF5's number of one of its classes of properties, or of its datatypes. */
#define HY_HDF5_PROPERTIES(lib, class) (*(lib)->H5P_CLS_##class##_ID_g)
#define HY_HDF5_TYPE(lib, type) (*(lib)->H5T_##type##_g)

/* Loads it, and again without cost; it stays until the program ends.  NULL, or why it is not there,
 * until the next call.  For any thread. */
const char *hy_hdf5_load(struct hy_hdf5_library *lib);

#endif
