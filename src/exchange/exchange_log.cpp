#include "exchange/exchange_log.hpp"

namespace wavegrid {

ExchangeLog::ExchangeLog(Trace* trace, const char* name, const Comm& plan, const Comm& all, const MessageList& forward,
                         const MessageList& backward)
    : trace_(trace), name_(name) {
  if (!trace_) return;
  forward_ = side(*trace_, plan, all, forward);
  backward_ = side(*trace_, plan, all, backward);
}

ExchangeLog::Side ExchangeLog::side(Trace& trace, const Comm& plan, const Comm& all, const MessageList& messages) {
  std::vector<int> partners(messages.size());
  MPI_Group here = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
  MPI_Comm_group(plan.handle(), &here);
  MPI_Comm_group(all.handle(), &there);
  MPI_Group_translate_ranks(here, static_cast<int>(messages.size()), messages.partners.data(), there, partners.data());
  MPI_Group_free(&here);
  MPI_Group_free(&there);
  Side side{{}, messages.elements, messages.total};
  for (const int partner : partners) side.places.push_back(trace.place_of(partner));
  return side;
}

Trace::Handle ExchangeLog::write(const char* transport, const Side& side, Index unit, Index pieces) {
  for (std::size_t i = 0; i < side.places.size(); ++i) trace_->count(side.places[i], side.elements[i] * unit, pieces);
  return trace_->begin_exchange(transport, name_, side.total * unit,
                                static_cast<int>(pieces * static_cast<Index>(side.places.size())));
}

}  // namespace wavegrid
