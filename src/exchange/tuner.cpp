#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/replace_file.hpp>
#include <wavegrid/exchange/tuner.hpp>

namespace wavegrid {

namespace {

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  return text;
}

std::string reason_for(const std::vector<TunerReport::Row>& rows, std::size_t rounds) {
  const std::string best = std::string(to_string(rows[0].transport)) + " took " + milliseconds(rows[0].median) +
                           " a step, median of " + std::to_string(rounds) + " on the slowest rank";
  if (rows.size() == 1) return best;
  return best + "; next " + to_string(rows[1].transport) + " " + milliseconds(rows[1].median) + ", slowest " +
         to_string(rows.back().transport) + " " + milliseconds(rows.back().median);
}

/// The decision in one line of a file; `place` is its name and the number of the line.
std::pair<std::string, Transport> decision_in(const std::string& line, const std::string& place) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string::npos) throw bad_input(place + ": '" + line + "' is no 'shape<tab>transport'");
  try {
    return {line.substr(0, tab), transport_named(line.substr(tab + 1))};
  } catch (const Error& error) {
    throw Error(error.kind(), place + ": " + error.what());
  }
}

}  // namespace

Tuner::Tuner(const Comm& comm, std::vector<Transport> candidates, int rounds)
    : comm_(comm), candidates_(std::move(candidates)), rounds_(static_cast<std::size_t>(std::max(rounds, 1))) {
  if (candidates_.empty()) throw bad_input("a tuner needs at least one transport to choose from");
  seconds_.resize(candidates_.size() * rounds_);
  if (candidates_.size() == 1) decide(candidates_[0], "the only candidate");
}

/// The order rotates from round to round, so that no candidate always follows the same one.
std::size_t Tuner::turn() const {
  const std::size_t round = step_ / candidates_.size();
  return (step_ + round) % candidates_.size();
}

Transport Tuner::transport() const { return report_ ? report_->chosen : candidates_[turn()]; }

TunerReport Tuner::report() const {
  return report_.value_or(TunerReport{{}, transport(), "too few steps to measure every candidate"});
}

void Tuner::record(double seconds) {
  if (report_) return;
  const std::size_t round = step_ / candidates_.size();
  if (round > 0) seconds_[turn() * rounds_ + round - 1] = seconds;  // the first round allocates buffers and windows
  if (++step_ == candidates_.size() * (rounds_ + 1)) compare();
}

void Tuner::decide(Transport transport, std::string reason) { report_ = TunerReport{{}, transport, std::move(reason)}; }

void Tuner::compare() {
  comm_.max(std::span<double>(seconds_));
  TunerReport report;
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const auto begin = seconds_.begin() + static_cast<std::ptrdiff_t>(c * rounds_);
    const auto end = begin + static_cast<std::ptrdiff_t>(rounds_);
    std::sort(begin, end);
    report.rows.push_back({candidates_[c], *(begin + static_cast<std::ptrdiff_t>(rounds_ / 2)), *(end - 1) - *begin});
  }
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const auto& a, const auto& b) { return a.median < b.median; });
  report.chosen = report.rows[0].transport;
  report.reason = reason_for(report.rows, rounds_);
  report_ = std::move(report);
}

StoredTransports::StoredTransports(const Comm& comm, std::string file) : comm_(comm), file_(std::move(file)) {
  std::string text;
  if (comm_.rank() == 0) {
    std::ifstream in(file_);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  Index length = static_cast<Index>(text.size());
  comm_.broadcast(std::span<Index>(&length, 1));
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm_.handle());
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);)
    decisions_.push_back(decision_in(line, file_ + ":" + std::to_string(++number)));
}

std::optional<Transport> StoredTransports::find(const std::string& shape) const {
  for (const auto& [known, transport] : decisions_)
    if (known == shape) return transport;
  return std::nullopt;
}

void StoredTransports::set(const std::string& shape, Transport transport) {
  if (find(shape) == transport) return;
  std::erase_if(decisions_, [&](const auto& decision) { return decision.first == shape; });
  decisions_.emplace_back(shape, transport);
  changed_ = true;
}

void StoredTransports::write() {
  comm_.collectively([this] {
    if (comm_.rank() != 0 || !changed_) return;
    std::string text;
    for (const auto& [shape, transport] : decisions_) text += shape + '\t' + to_string(transport) + '\n';
    if (!replace_file(file_, text)) throw environment_error("transports cannot be written to '" + file_ + "'");
  });
  changed_ = false;
}

}  // namespace wavegrid
