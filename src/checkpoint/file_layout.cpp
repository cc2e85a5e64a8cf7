#include <algorithm>

#include <wavegrid/checkpoint/file_layout.hpp>

namespace wavegrid {

namespace {

const std::string gvecs_name = "/wfns/gvecs", coeffs_name = "/wfns/coeffs";
const std::string sums = "/wavegrid/checksums/";

constexpr Index gvec_bytes = 3 * sizeof(int), coefficient_bytes = 2 * sizeof(double), point_bytes = sizeof(double);
constexpr Index sum_bytes = 8;

std::string field_name(GridField field) { return std::string("/wavegrid/") + to_string(field); }

}  // namespace

const char* to_string(GridField field) {
  switch (field) {
    case GridField::density:
      return "density";
    case GridField::potential:
      return "potential";
    case GridField::kinetic_density:
      return "kinetic_density";
  }
  return "";
}

FileLayout::FileLayout(const CheckpointHeader& header, std::vector<Index> waves)
    : spins_(header.spins),
      components_(header.components),
      num_fields_(header.num_fields()),
      bands_(header.bands * header.components),
      block_(header.block),
      grid_(header.grid),
      waves_(std::move(waves)),
      wave_starts_{0},
      block_starts_{0} {
  if (header.kinetic_density) fields_.push_back(GridField::kinetic_density);
  for (const Index n : waves_) {
    wave_starts_.push_back(wave_starts_.back() + n);
    block_starts_.push_back(block_starts_.back() + num_blocks(n));
  }
}

std::vector<ArrayShape> FileLayout::bulk() const {
  const Index waves = wave_starts_.back(), wave_blocks = block_starts_.back(), point_blocks = num_blocks(points());
  std::vector<ArrayShape> all{
      {components_name, ElementType::int32, {points(), 3}},
      {gvecs_name, ElementType::int32, {waves, 3}},
      {coeffs_name, ElementType::float64, {bands_ / components_, spins_ * components_, waves, 2}},
      {sums + "gvecs", ElementType::uint64, {wave_blocks}},
      {sums + "coeffs", ElementType::uint64, {bands_ / components_, spins_ * components_, wave_blocks}},
  };
  for (const GridField field : fields_) {
    all.push_back({field_name(field), ElementType::float64, {num_fields_, grid_[0], grid_[1], grid_[2]}});
    all.push_back({sums + to_string(field), ElementType::uint64, {num_fields_, point_blocks}});
  }
  return all;
}

Index FileLayout::bytes() const {
  Index sum = 0;
  for (const ArrayShape& array : bulk()) sum += array.bytes();
  return sum;
}

FileLayout::BlockOffsets FileLayout::gvecs(int k, Index block) const {
  const auto i = static_cast<std::size_t>(k);
  return {at(gvecs_name) + (wave_starts_[i] + block * block_) * gvec_bytes,
          at(sums + "gvecs") + (block_starts_[i] + block) * sum_bytes};
}

FileLayout::BlockOffsets FileLayout::coefficients(Index band, int spin, int k, Index block) const {
  const auto i = static_cast<std::size_t>(k);
  const Index row = band * spins_ + spin;
  return {at(coeffs_name) + (row * wave_starts_.back() + wave_starts_[i] + block * block_) * coefficient_bytes,
          at(sums + "coeffs") + (row * block_starts_.back() + block_starts_[i] + block) * sum_bytes};
}

FileLayout::BlockOffsets FileLayout::field(GridField field, int component, Index block) const {
  return {at(field_name(field)) + (component * points() + block * block_) * point_bytes,
          at(sums + to_string(field)) + (component * num_blocks(points()) + block) * sum_bytes};
}

Index FileLayout::components(Index first) const { return at(components_name) + first * gvec_bytes; }

}  // namespace wavegrid
