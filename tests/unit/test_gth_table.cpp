// The shipped GTH tables, and the messages about mistakes in tables of the user.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_gth_table {
namespace {

std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(WAVEGRID_SOURCE_DIR) / "python/wavegrid/data/pseudopotentials" / name;
}

/// A table on disk, removed at the end of the test.
class TemporaryTable {
 public:
  explicit TemporaryTable(const std::string& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) / (std::string(test->name()) + ".gth");
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryTable(const TemporaryTable&) = delete;
  TemporaryTable& operator=(const TemporaryTable&) = delete;
  ~TemporaryTable() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "(no error)";
}

void expect_mistake(const std::string& text, const std::string& line, const std::string& part) {
  const TemporaryTable table(text);
  const std::string message = message_of([&] { GthTable reader(table.path()); });
  EXPECT_NE(message.find(table.path().string() + line), std::string::npos) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

const std::string good = "Al q3\n  electrons 2 1\n  local 0.45 -8.49\n";

TEST(GthTable, AluminiumOfTheLdaTable) {
  const GthTable table(shipped("gth-lda.gth"));
  EXPECT_EQ(table.functional(), "lda");
  const GthPotential& al = table.find("Al");
  EXPECT_EQ(al.element(), "Al");
  EXPECT_EQ(al.valence_charge(), 3.0);
  EXPECT_EQ(al.valence_occupation(), (std::vector<double>{2.0, 1.0}));
  EXPECT_EQ(al.parameters().local_radius, 0.45);
  EXPECT_EQ(al.parameters().local_coefficients, (std::vector<double>{-8.49135116}));
  ASSERT_EQ(al.num_channels(), 2);
  EXPECT_EQ(al.parameters().channels[0].radius, 0.46010427);
  EXPECT_EQ(al.coupling(0, 0, 0), 5.08833953);
  EXPECT_EQ(al.coupling(0, 1, 0), -1.03784325);
  EXPECT_EQ(al.coupling(0, 1, 1), 2.67969975);
  EXPECT_EQ(al.coupling(1, 0, 0), 2.19343827);
}

TEST(GthTable, ShippedTablesAreComplete) {
  const GthTable lda(shipped("gth-lda.gth"));
  const GthTable pbe(shipped("gth-pbe.gth"));
  EXPECT_EQ(lda.elements().size(), 86u);  // H to Rn
  EXPECT_EQ(pbe.elements().size(), 87u);  // and U
  EXPECT_EQ(lda.entries("Cu"), (std::vector<int>{1, 11, 19}));
  EXPECT_EQ(pbe.entries("U"), (std::vector<int>{14}));
  EXPECT_TRUE(lda.entries("U").empty());
  EXPECT_EQ(lda.find("Na").valence_charge(), 1.0);
  EXPECT_EQ(lda.find("Na", 9).valence_charge(), 9.0);
}

TEST(GthTable, SkipsAngularMomentaWithoutProjectors) {
  const GthTable table(shipped("gth-lda.gth"));
  EXPECT_EQ(table.find("H").num_channels(), 0);
  EXPECT_EQ(table.find("C").num_channels(), 1);
}

TEST(GthTable, WrongElementOrValenceNamesTheAvailableOnes) {
  const GthTable table(shipped("gth-lda.gth"));
  EXPECT_NE(message_of([&] { (void)table.find("AL"); }).find("nearest there: Al"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)table.find("Aluminium"); }).find("'Aluminium'"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)table.find("Cu", 2); }).find("q1, q11, q19"), std::string::npos);
}

TEST(GthTable, ReadsFilesWithCommentsAndCarriageReturns) {
  const TemporaryTable file("# mine\r\n\r\n" + good +
                            "nonlocal p 0.5 1 2 3 # three\r\nH q1\nlocal 0.2\nelectrons 1\nend # of it\r\n\r\n");
  const GthTable table(file.path());
  EXPECT_EQ(table.functional(), "");
  EXPECT_EQ(table.elements(), (std::vector<std::string>{"Al", "H"}));
  EXPECT_EQ(table.find("Al").channel_l(0), 1);
  EXPECT_EQ(table.find("Al").coupling(0, 1, 1), 3.0);
}

TEST(GthTable, NamesFileLineAndValidValues) {
  expect_mistake(good + "nonlokal s 0.5 1\n", ":4:", "'nonlokal'");
  expect_mistake(good + "nonlocal g 0.5 1\n", ":4:", "s, p, d, f");
  expect_mistake(good + "nonlocal s 0.5 1 2\n", ":4:", "2, 4 or 7");
  expect_mistake(good + "nonlocal s 0.5 1\nnonlocal s 0.5 1\n", ":5:", "a second");
  expect_mistake(good + "nonlocal s 0.5 1x\n", ":4:", "'1x'");
  expect_mistake(good + "nonlocal s -0.5 1\n", ":4:", "above 0");
  expect_mistake(good + "nonlocal s 500 1\n", ":1:", "0.001 to below 100");
  expect_mistake(good + good, ":4:", "a second entry Al q3");
  expect_mistake("functional lda\nfunctional pbe\n" + good, ":2:", "once");
  expect_mistake("local 0.5\n", ":1:", "before any entry");
  expect_mistake("Al 3\n", ":1:", "'Al q3'");
  expect_mistake("Al q3\nlocal 0.45\n\nH q1\n", ":1:", "no 'electrons'");
  expect_mistake("Al q3\nelectrons 2 1\n", ":1:", "no 'local'");
  expect_mistake("Al q4\nelectrons 2 1\nlocal 0.45\n", ":1:", "sum to");
  expect_mistake("Al q3\nelectrons 2 1\nlocal 0.45 1 2 3 4 5\n", ":3:", "up to 4");
  expect_mistake("# nothing\n", "", "no entry");
  expect_mistake(good, ":3:", "does not end with the line 'end'");
  expect_mistake(good + "end 1\n", ":4:", "stands alone");
  expect_mistake(good + "end\n\nH q1\n", ":6:", "after the line 'end'");
}

TEST(GthTable, MissingFile) {
  EXPECT_NE(message_of([] { GthTable("/nonexistent/table.gth"); }).find("/nonexistent/table.gth"), std::string::npos);
  EXPECT_NE(message_of([] { GthTable(std::filesystem::path("/")); }).find("is a directory"), std::string::npos);
}

}  // namespace
}  // namespace wavegrid::test_gth_table
