#include <wavegrid/boxes/box_exchange.hpp>
#include <wavegrid/boxes/union_boxes.hpp>

namespace wavegrid {

class BoxExchange::Implementation {
 public:
  explicit Implementation(BoxSetup&& arguments) : setup(std::move(arguments)), values(agreed(setup)) {}

  template <class T>
  void deposit(const BoxSource<T>& source, T* grid, Index fields) {
    NanSearch nans;
    values.deposit(source, grid, fields, nans);
    nans.agree(setup);
  }

  BoxSetup setup;
  UnionBoxes values;

 private:
  static const BoxSetup& agreed(const BoxSetup& setup) {
    setup.require_valid();
    return setup;
  }
};

BoxExchange::BoxExchange(const Comm& comm, const Int3& grid, const IndexList& my_points, std::vector<Box> my_boxes,
                         const BoxOptions& options)
    : implementation_(std::make_unique<Implementation>(
          BoxSetup(Comm::private_copy(comm.handle()), grid, my_points, std::move(my_boxes), options))) {}
BoxExchange::BoxExchange(BoxExchange&&) noexcept = default;
BoxExchange::~BoxExchange() = default;

template <class T>
void BoxExchange::extract(const T* grid, T* boxes, Index fields) {
  implementation_->values.extract<T>(grid, {boxes, nullptr}, fields);
}

template <class T>
void BoxExchange::extract(const T* grid, const ReadBox<T>& read, Index fields) {
  implementation_->values.extract<T>(grid, {nullptr, &read}, fields);
}

template <class T>
void BoxExchange::deposit(const T* boxes, T* grid, Index fields) {
  implementation_->deposit<T>({boxes, nullptr}, grid, fields);
}

template <class T>
void BoxExchange::deposit(const FillBox<T>& fill, T* grid, Index fields) {
  implementation_->deposit<T>({nullptr, &fill}, grid, fields);
}

template <class T>
void BoxExchange::integrate(const T* grid, const T* boxes, T* integrals) {
  const BoxSetup& setup = implementation_->setup;
  NanSearch nans;
  const ReadBox<T> read = [&](Index box, std::span<const T> values) {
    const std::span<const T> function = setup.part(boxes, box, 1);
    T sum(0);
    for (std::size_t i = 0; i < values.size(); ++i) sum += conjugate(function[i]) * values[i];
    integrals[box] = sum;
    nans.look_at<T>(box, {&sum, 1});
  };
  extract(grid, read);
  nans.agree(setup);
}

const std::vector<Box>& BoxExchange::boxes() const { return implementation_->setup.boxes; }
Index BoxExchange::offset(std::size_t b) const { return implementation_->setup.offsets[b]; }
Index BoxExchange::union_size() const { return implementation_->values.points().size(); }
BoxTraffic BoxExchange::traffic() const { return implementation_->values.traffic(); }

#define WAVEGRID_INSTANTIATE(T)                                              \
  template void BoxExchange::extract<T>(const T*, T*, Index);                \
  template void BoxExchange::extract<T>(const T*, const ReadBox<T>&, Index); \
  template void BoxExchange::deposit<T>(const T*, T*, Index);                \
  template void BoxExchange::deposit<T>(const FillBox<T>&, T*, Index);       \
  template void BoxExchange::integrate<T>(const T*, const T*, T*);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
