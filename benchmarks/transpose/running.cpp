#include "running.hpp"

namespace wavegrid::bench {

Application::Application(const Problem& problem, std::optional<Transport> transport, bool overlap)
    : block_(problem.block),
      fft_(problem.ranks, problem.choice.partition, problem.sphere,
           {.transport = transport, .block = problem.block, .profile = profile_.get(), .overlap = overlap}),
      potential_(potential_on(fft_.layout())) {
  if (!fft_.is_tuning()) return;
  std::vector<Complex> psi(static_cast<std::size_t>(block_ * fft_.size()), Complex{1, 0}), out = psi;
  while (fft_.is_tuning()) take(psi, out, 1, 1);
}

Application::Sample Application::take(const std::vector<Complex>& psi, std::vector<Complex>& out, Index blocks,
                                      Index calls) {
  const double exchange_before = profile_->seconds(Phase::exchange);
  const Clock::time_point start = Clock::now();
  for (Index call = 0; call < calls; ++call)
    fft_.apply_local(psi.data(), potential_.data(), out.data(), blocks * block_);
  const double whole = seconds_since(start), done = static_cast<double>(blocks * calls);
  return {(profile_->seconds(Phase::exchange) - exchange_before) / done, whole / done};
}

namespace {

/// Samples of one application, by repeat.
struct Samples {
  std::vector<double> exchange, whole;
};

double median_of_means(const Comm& comm, std::vector<double> samples) {
  comm.sum(std::span<double>(samples));
  return median(samples) / comm.size();
}

/// Only here, at the end, the ranks exchange what they measured.
Running running_of(const Comm& comm, Samples& samples) {
  Running result;
  result.mean_exchange = median_of_means(comm, samples.exchange);
  result.mean_whole = median_of_means(comm, samples.whole);
  take_slowest(comm, samples.exchange);
  take_slowest(comm, samples.whole);
  result.exchange = figure_of(samples.exchange);
  result.whole = figure_of(samples.whole);
  return result;
}

}  // namespace

std::vector<Running> measure(const Problem& problem, std::deque<Application>& applications, Index blocks, int repeats) {
  constexpr Index most_calls = 16;
  const Comm& comm = problem.ranks.all();
  const PlaneWaves waves(problem.sphere, problem.choice.partition, comm.rank());
  const std::vector<Complex> psi = initial_bands(waves, blocks * problem.block);
  std::vector<Complex> out(psi.size());
  for (Application& one : applications) one.take(psi, out, blocks, 1);
  const double warm = applications[0].take(psi, out, blocks, 1).whole;
  const Index calls = calls_for(comm, warm * static_cast<double>(blocks), most_calls);
  std::vector<Samples> samples(applications.size());
  in_turn(repeats, applications.size(), [&](std::size_t i) {
    const Application::Sample sample = applications[i].take(psi, out, blocks, calls);
    samples[i].exchange.push_back(sample.exchange);
    samples[i].whole.push_back(sample.whole);
  });
  std::vector<Running> result;
  for (Samples& one : samples) result.push_back(running_of(comm, one));
  return result;
}

}  // namespace wavegrid::bench
