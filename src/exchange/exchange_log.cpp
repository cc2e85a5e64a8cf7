#include <wavegrid/exchange/exchange_log.hpp>

namespace wavegrid {

ExchangeLog::ExchangeLog(Profile* profile, TrafficKind kind, const Comm& plan, const Comm& all,
                         const MessageList& forward, const MessageList& backward)
    : profile_(plan.size() > 1 ? profile : nullptr), trace_(profile_ ? profile_->trace() : nullptr), kind_(kind) {
  if (!profile_) return;
  forward_ = side(plan, all, forward);
  backward_ = side(plan, all, backward);
}

ExchangeLog::Side ExchangeLog::side(const Comm& plan, const Comm& all, const MessageList& messages) {
  Side side{static_cast<Index>(messages.size()), messages.total, {}, {}};
  if (!trace_) return side;
  std::vector<int> partners(messages.size());
  MPI_Group here = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
  MPI_Comm_group(plan.handle(), &here);
  MPI_Comm_group(all.handle(), &there);
  MPI_Group_translate_ranks(here, static_cast<int>(messages.size()), messages.partners.data(), there, partners.data());
  MPI_Group_free(&here);
  MPI_Group_free(&there);
  side.elements = messages.elements;
  for (const int partner : partners) side.places.push_back(trace_->partner_index(partner));
  return side;
}

Trace::Handle ExchangeLog::write(const char* transport, const Side& side, Index unit, Index pieces) {
  Traffic& sent = profile_->traffic(kind_);
  const Index bytes = side.total * unit, messages = side.messages * pieces;
  ++sent.exchanges;
  sent.messages += messages;
  sent.bytes += bytes;
  if (!trace_) return Trace::not_kept;
  for (std::size_t i = 0; i < side.places.size(); ++i) trace_->count(side.places[i], side.elements[i] * unit, pieces);
  return trace_->begin_exchange(transport, to_string(kind_), bytes, static_cast<int>(messages));
}

}  // namespace wavegrid
