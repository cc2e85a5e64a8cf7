#include <algorithm>
#include <cstring>

#include <wavegrid/checkpoint/hdf5_image.hpp>
#include <wavegrid/checkpoint/raw_file.hpp>

namespace wavegrid {

namespace {

/// The struct by which HDF5 refers to an open file; it begins with the part that HDF5 uses.
struct OpenImage {
  H5FD_t hdf5{};
  Hdf5Image* image = nullptr;
  haddr_t end_of_addresses = 0;
};

OpenImage& of(H5FD_t* file) { return *reinterpret_cast<OpenImage*>(file); }
const OpenImage& of(const H5FD_t* file) { return *reinterpret_cast<const OpenImage*>(file); }

H5FD_t* open_image(const char*, unsigned, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (!info) return nullptr;
  auto* file = new OpenImage;
  std::memcpy(&file->image, info, sizeof file->image);
  return &file->hdf5;
}

herr_t close_image(H5FD_t* file) {
  delete &of(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_addresses; }

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).end_of_addresses = end;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return static_cast<haddr_t>(of(file).image->length()); }

herr_t read_image(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, size_t size, void* data) {
  of(file).image->read(static_cast<Index>(offset), static_cast<char*>(data), static_cast<Index>(size));
  return 0;
}

herr_t write_image(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, size_t size, const void* data) {
  of(file).image->write(static_cast<Index>(offset), static_cast<const char*>(data), static_cast<Index>(size));
  return 0;
}

herr_t truncate_image(H5FD_t* file, hid_t, hbool_t) {
  of(file).image->set_length(static_cast<Index>(of(file).end_of_addresses));
  return 0;
}

/// The driver, registered with HDF5 at its first use.
hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(600);  // one of the numbers that are free for any use
#endif
    driver.name = "wavegrid_image";
    driver.maxaddr = HADDR_MAX / 2;
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(Hdf5Image*);
    driver.open = open_image;
    driver.close = close_image;
    driver.query = query;
    driver.get_eoa = end_of_addresses;
    driver.set_eoa = set_end_of_addresses;
    driver.get_eof = end_of_file;
    driver.read = read_image;
    driver.write = write_image;
    driver.truncate = truncate_image;
    return H5FDregister(&driver);
  }();
  return id;
}

/// Calls part(page, offset in it, bytes) for the pages that a range covers.
template <class Part>
void for_pages(Index offset, Index bytes, Part part) {
  while (bytes > 0) {
    const Index within = offset % Hdf5Image::page_bytes, count = std::min(bytes, Hdf5Image::page_bytes - within);
    part(offset / Hdf5Image::page_bytes, within, count);
    offset += count, bytes -= count;
  }
}

}  // namespace

hid_t Hdf5Image::access() {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const Hdf5Image* self = this;
  if (access >= 0 && H5Pset_driver(access, driver(), &self) < 0) {
    H5Pclose(access);
    return -1;
  }
  return access;
}

void Hdf5Image::write(Index offset, const char* data, Index bytes) {
  length_ = std::max(length_, offset + bytes);
  for_pages(offset, bytes, [&](Index page, Index within, Index count) {
    std::vector<char>& values = pages_[page];
    values.resize(static_cast<std::size_t>(page_bytes));
    std::copy_n(data, count, values.begin() + within);
    data += count;
  });
}

void Hdf5Image::read(Index offset, char* data, Index bytes) const {
  for_pages(offset, bytes, [&](Index page, Index within, Index count) {
    const auto values = pages_.find(page);
    if (values == pages_.end())
      std::fill_n(data, count, '\0');
    else
      std::copy_n(values->second.begin() + within, count, data);
    data += count;
  });
}

void Hdf5Image::save(const std::filesystem::path& path) const {
  RawFile file = RawFile::create(path);
  try {
    for (const auto& [page, values] : pages_)
      file.write(page * page_bytes, values.data(), std::min(page_bytes, length_ - page * page_bytes));
    file.set_length(length_);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    throw;
  }
}

}  // namespace wavegrid
