// The fit of latency and bandwidth to messages.
#include <gtest/gtest.h>

#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/fit_messages.hpp>

namespace wavegrid::test_fit_messages {
namespace {

TEST(FitMessages, ReproducesAModel) {
  const MessageModel model{2e-6, 3e9};
  std::vector<MessageTime> samples;
  for (double bytes = 8; bytes < 1e7; bytes *= 8) samples.push_back({bytes, model.seconds(bytes)});
  const MessageModel fitted = fit_messages(samples);
  EXPECT_NEAR(fitted.latency / model.latency, 1, 1e-9);
  EXPECT_NEAR(fitted.bandwidth / model.bandwidth, 1, 1e-9);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].seconds *= i % 2 == 0 ? 1.1 : 0.9;
  const MessageModel noisy = fit_messages(samples);
  EXPECT_NEAR(noisy.latency / model.latency, 1, 0.1);
  EXPECT_NEAR(noisy.bandwidth / model.bandwidth, 1, 0.1);
}

TEST(FitMessagePieces, FindsAChangeOfProtocol) {
  const MessageModel small{1e-6, 4e9}, large{6e-6, 8e9};
  std::vector<MessageTime> samples;
  for (double bytes = 8; bytes < 5e6; bytes *= 2)
    samples.push_back({bytes, (bytes < 4096 ? small : large).seconds(bytes)});
  const std::vector<MessagePiece> pieces = fit_message_pieces(samples);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].from, 0);
  EXPECT_EQ(pieces[1].from, 4096);
  EXPECT_NEAR(pieces[0].model.latency / small.latency, 1, 1e-9);
  EXPECT_NEAR(pieces[1].model.bandwidth / large.bandwidth, 1, 1e-9);
}

TEST(FitMessagePieces, OneModelIsOnePiece) {
  std::vector<MessageTime> samples;
  for (double bytes = 8; bytes < 5e6; bytes *= 2) {
    const double noise = samples.size() % 2 == 0 ? 1.05 : 0.95;
    samples.push_back({bytes, noise * MessageModel{2e-6, 3e9}.seconds(bytes)});
  }
  EXPECT_EQ(fit_message_pieces(samples).size(), 1u);
  EXPECT_THROW((void)fit_message_pieces(std::span(samples).first(1)), Error);
}

TEST(FitMessages, RefusesSamplesWithoutAModel) {
  const std::vector<MessageTime> one{{8, 1e-6}}, same{{8, 1e-6}, {8, 2e-6}}, falling{{8, 2e-6}, {1e6, 1e-6}},
      negative{{8, -1e-6}, {16, 1e-6}};
  for (const auto& samples : {one, same, falling, negative}) EXPECT_THROW((void)fit_messages(samples), Error);
}

}  // namespace
}  // namespace wavegrid::test_fit_messages
