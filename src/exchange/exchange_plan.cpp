#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/fingerprint.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mpi/agreement.hpp>

namespace wavegrid {

Exchange& Exchange::operator=(Exchange&& other) noexcept {
  wait();
  engine_ = std::move(other.engine_);
  number_ = other.number_;
  return *this;
}

bool Exchange::test() { return !engine_ || engine_->test(number_); }

void Exchange::wait() {
  if (!engine_) return;
  const std::shared_ptr<ExchangeEngine> engine = std::move(engine_);
  engine->finish(number_);
}

ExchangePlan::ExchangePlan(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives,
                           Transport transport, int threads)
    : engine_(std::make_shared<ExchangeEngine>(comm, std::move(sends), std::move(receives), transport, threads)) {}

void ExchangePlan::use(Transport transport) {
  agree(
      comm(), [&] { return Fingerprint().add(transport).value(); },
      "exchange plan: the ranks name different transports; all ranks must name the same");
  use_agreed(transport);
}

void ExchangePlan::require_valid(NumberType type, const void* source, const void* target, const Batch& batch) const {
  engine_->require_batch(batch);
  if (batch.count > 0) engine_->require_arrays(type, source, target, batch);
}

Exchange ExchangePlan::start(ExchangeDirection direction, NumberType type, void* source, void* target,
                             const Batch& batch) {
  require_valid(type, source, target, batch);
  if (batch.count == 0) return {};
  return {engine_, engine_->start(direction, type, source, target, batch)};
}

void ExchangePlan::require_agreement(ExchangeDirection direction, NumberType type, Numbers source, Numbers target,
                                     const Batch& batch) const {
  const bool in_place = source.data == target.data;
  const auto require_length = [&](const char* name, Index length, Index extent, Index stride) {
    const Index needed = extent == 0 || batch.count == 0 ? 0 : ((batch.count - 1) * stride + extent) * batch.values;
    if (length < needed)
      throw bad_input("exchange: the " + std::string(in_place ? "" : name) + "array of rank " +
                      std::to_string(comm().rank()) + " has " + std::to_string(length) + " numbers; needed are " +
                      std::to_string(needed));
  };
  const auto check = [&] {
    engine_->require_batch(batch);
    require_length("source ", source.size, source_extent(), batch.source_stride);
    require_length("target ", target.size, target_extent(), batch.target_stride);
    require_valid(type, source.data, target.data, batch);
    return Fingerprint().add(direction).add(type).add(batch.count).add(batch.values).add(transport()).value();
  };
  agree(comm(), check,
        "the ranks start an exchange with different directions, types of numbers, numbers of bands or of values, or "
        "transports; all ranks must pass the same");
}

ExchangePlan::Bytes ExchangePlan::bytes(const std::vector<PartnerRuns>& sends, const std::vector<PartnerRuns>& receives,
                                        int my_rank, Transport transport, Index unit) {
  Index runs = 0, elements[2] = {0, 0};
  for (const auto* side : {&sends, &receives})
    for (const PartnerRuns& entry : *side) {
      runs += entry.runs.bytes();
      if (entry.partner != my_rank) elements[side == &sends ? 0 : 1] += total_length(entry.runs);
    }
  // Shared messages are read from the sender's buffer; only the direction with more elements determines the size.
  const Index buffers = transport == Transport::shared ? std::max(elements[0], elements[1]) : elements[0] + elements[1];
  return {static_cast<double>(runs), static_cast<double>(buffers * unit)};
}

}  // namespace wavegrid
