// The trace of one rank: its size is bounded, phases are nested, the text is valid.
#include <gmock/gmock.h>

#include <wavegrid/base/profile.hpp>
#include <wavegrid/base/trace_text.hpp>

namespace wavegrid::test_trace {
namespace {

using testing::HasSubstr;

TEST(Trace, KeepsNoMoreThanItsMaximum) {
  Trace trace({}, 3);
  const auto outer = trace.begin(EventKind::phase, "outer", 1);
  for (Trace::Time t = 2; t < 12; t += 2) trace.end(trace.begin(EventKind::phase, "inner", t), t + 1);
  trace.end(outer, 20);
  ASSERT_EQ(trace.events().size(), 3u);
  EXPECT_EQ(trace.lost(), 3u);
  EXPECT_EQ(trace.events()[0].end, 20);  // events that began before the limit also end
  EXPECT_EQ(trace.events()[2].begin, 4);
  EXPECT_EQ(trace.events()[2].end, 5);
}

TEST(Trace, CountsBytesByPartnerEvenWhenFull) {
  Trace trace({}, 0);
  const std::size_t seven = trace.partner_index(7), two = trace.partner_index(2);
  EXPECT_EQ(trace.partner_index(7), seven);
  for (int i = 0; i < 3; ++i) trace.count(seven, Index{1} << 33, 2);
  trace.count(two, 5, 1);
  ASSERT_EQ(trace.traffic().size(), 2u);
  EXPECT_EQ(trace.traffic()[seven].bytes, 3 * (Index{1} << 33));
  EXPECT_EQ(trace.traffic()[seven].messages, 6);
  EXPECT_EQ(trace.traffic()[two].partner, 2);
}

TEST(Trace, ProfileWritesNestedPhases) {
  Trace trace;
  double fft = 0;
  {
    Profile profile(&trace);
    const Profile::Guard outer(&profile, Phase::fft);
    { const Profile::Guard inner(&profile, Phase::exchange); }
    { const Profile::Guard inner(&profile, Phase::exchange); }
    fft = profile.seconds(Phase::fft);
  }
  const auto& events = trace.events();
  ASSERT_EQ(events.size(), 4u);
  EXPECT_STREQ(events[0].name, "calculation");
  EXPECT_STREQ(events[1].name, "fft");
  EXPECT_STREQ(events[2].name, "exchange");
  for (std::size_t i = 1; i < 4; ++i) {
    const Trace::Event& around = events[i == 1 ? 0 : 1];
    EXPECT_GE(events[i].begin, events[i - 1].begin);
    EXPECT_GE(events[i].end, events[i].begin);
    EXPECT_LE(events[i].end, around.end);
  }
  EXPECT_GE(events[3].begin, events[2].end);
  const auto length = [&](std::size_t i) { return 1e-9 * static_cast<double>(events[i].end - events[i].begin); };
  EXPECT_LE(fft, length(1) - length(2) - length(3) + 1e-9);
}

TEST(Trace, SecondsOfThePurposesAddUpToThoseOfExchanges) {
  Profile profile;
  for (const TrafficKind purpose : {TrafficKind::halo, TrafficKind::fields, TrafficKind::halo}) {
    const Profile::Guard guard(&profile, Phase::exchange, purpose);
    const Profile::Guard nested(&profile, Phase::linear_algebra, TrafficKind::bands);
  }
  const TrafficByKind traffic = profile.traffic();
  double sum = 0;
  for (const Traffic& of_kind : traffic) sum += of_kind.seconds;
  EXPECT_GT(profile.traffic(TrafficKind::halo).seconds, 0);
  EXPECT_GT(profile.traffic(TrafficKind::fields).seconds, 0);
  EXPECT_EQ(profile.traffic(TrafficKind::bands).seconds, 0);
  EXPECT_DOUBLE_EQ(sum, profile.seconds(Phase::exchange));
}

TEST(Trace, ProfileNeedsNoTrace) {
  Profile profile;
  EXPECT_EQ(profile.trace(), nullptr);
  { const Profile::Guard guard(&profile, Phase::nonlocal); }
  { const Profile::Guard guard(nullptr, Phase::nonlocal); }
  { const TraceSlice slice(nullptr, EventKind::step, "pack"); }
  EXPECT_GE(profile.seconds(Phase::nonlocal), 0);
}

TEST(TraceText, EscapesCharactersThatJsonDoesNotAllow) {
  EXPECT_THAT(process_json(3, "a \"b\" \\ \n\x01 \xc3\xa9"),
              HasSubstr("\"args\":{\"name\":\"a \\\"b\\\" \\\\ \\n\\u0001 \xc3\xa9\"}"));
}

TEST(TraceText, TimesAreExactMicrosecondsFromTheOrigin) {
  Trace trace({.origin = 1'000'000'000});
  trace.end(trace.begin(EventKind::phase, "fft", 1'000'001'002), 1'012'345'678);
  EXPECT_EQ(event_json(trace, 0, 5),
            R"({"name":"fft","cat":"phase","pid":5,"tid":0,"ts":1.002,"ph":"X","dur":12344.676})");
  (void)trace.begin(EventKind::step, "pack", 999'999'999);  // clock of another host, which may differ; never ended
  EXPECT_THAT(event_json(trace, 1, 5), HasSubstr(R"("ts":-0.001,"ph":"X","dur":0.000})"));
}

TEST(TraceText, NumbersOfTheWholeRun) {
  EXPECT_EQ(clock_json({.origin = 5, .error = 120, .hosts = 2}), R"({"hosts":2,"error_ns":120})");
  EXPECT_EQ(array_json({0, 3, Index{1} << 33, -1}), "[0,3,8589934592,-1]");
}

TEST(TraceText, ExchangesAreSeparateBeginAndEndEvents) {
  Trace trace;
  const auto exchange = trace.begin_exchange("pairwise", "a \"plan\"", 1024, 3);
  trace.end(exchange);
  const std::string text = event_json(trace, 0, 2);
  EXPECT_THAT(text, HasSubstr(R"("ph":"b","id2":{"local":"0"},"args":{"of":"a \"plan\"","bytes":1024,"messages":3}})"));
  EXPECT_THAT(text, HasSubstr(R"("ph":"e","id2":{"local":"0"}})"));
}

}  // namespace
}  // namespace wavegrid::test_trace
