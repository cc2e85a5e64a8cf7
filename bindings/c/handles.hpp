// What the opaque handles of sphere and partition contain; the other handles are defined in their own source files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/costmodel/choose_partition.hpp>

#include "wavegrid.h"

struct wavegrid_sphere {
  std::shared_ptr<const wavegrid::GSphere> sphere;
};

struct wavegrid_partition {
  std::shared_ptr<const wavegrid::GSphere> sphere;
  wavegrid::PartitionChoice choice;
  std::vector<wavegrid::Index> loads;  ///< plane waves of each part

  [[nodiscard]] const wavegrid::Partition& partition() const { return choice.partition; }
};
