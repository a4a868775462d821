// SPDX-License-Identifier: Apache-2.0
// What is written to an HDF5 file is read back; what is not there is told, or left as it was.
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/storage/hdf5_table.h"

namespace {

using vinci::Hdf5Column;
using vinci::Hdf5File;
using vinci::Hdf5Number;
using vinci::Hdf5Row;
using vinci::Hdf5Table;
using vinci::VectorX;

class Hdf5Test : public testing::Test {
 protected:
  Hdf5Test() {
    std::string pattern = (std::filesystem::temp_directory_path() / "storage-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Hdf5Test() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name = "file.h5") const { return folder_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_;
};

struct Row {
  std::int64_t count = -7;
  double size = 0.5;
  std::array<double, 4> parts{1.0, 2.0, 3.0, 4.0};
  std::uint32_t key[2] = {};
};

TEST_F(Hdf5Test, numbers_and_texts_read_back) {
  {
    Hdf5File out(file(), Hdf5File::Mode::create);
    out.write_integers("group/below/integers", {3, -4});
    out.write_reals("group/reals", VectorX::LinSpaced(3, 0.0, 1.0));
    out.write_text("text", "μ and more");
    out.write_text("empty", "");
    out.write_texts("texts", {"a", "", "bcd"});
    out.write_attribute("/", "fixed", "short");
    out.write_attribute("text", "number", 2.5);
    EXPECT_FALSE(std::filesystem::exists(file())) << "the file has its name before it is complete";
    out.commit();
  }
  const Hdf5File in(file(), Hdf5File::Mode::read);
  EXPECT_EQ(in.integers("group/below/integers"), (std::vector<int>{3, -4}));
  EXPECT_EQ(in.reals("group/reals", 3), VectorX(VectorX::LinSpaced(3, 0.0, 1.0)));
  EXPECT_EQ(in.text("text"), "μ and more");
  EXPECT_EQ(in.text("empty"), "");
  EXPECT_EQ(in.texts("texts"), (std::vector<std::string>{"a", "", "bcd"}));
  EXPECT_EQ(in.attribute("fixed"), "short");
  EXPECT_EQ(in.attribute("absent"), "");
  EXPECT_TRUE(in.has("group/below"));
  EXPECT_FALSE(in.has("group/above"));
}

TEST_F(Hdf5Test, what_is_not_committed_leaves_nothing) {
  {
    Hdf5File out(file(), Hdf5File::Mode::create);
    out.write_integer("one", 1);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(Hdf5Test, failures_name_the_file_and_the_dataset) {
  {
    Hdf5File out(file(), Hdf5File::Mode::create);
    out.write_text("text", "words");
    out.commit();
  }
  const Hdf5File in(file(), Hdf5File::Mode::read);
  const auto where = [](const auto& read) {
    try {
      read();
    } catch (const vinci::Error& error) {
      return error.where();
    }
    return std::string("no error");
  };
  EXPECT_EQ(where([&] { static_cast<void>(in.reals("text")); }), file().string() + ": text");
  EXPECT_EQ(where([&] { static_cast<void>(in.text("absent")); }), file().string() + ": absent");
  EXPECT_EQ(where([&] { Hdf5File(file("none.h5"), Hdf5File::Mode::read); }),
            file("none.h5").string());
}

// HDF5 converts rows and whole numbers by parts, in buffers that are smaller than these.
TEST_F(Hdf5Test, what_is_longer_than_a_buffer_of_conversion_reads_back_whole) {
  constexpr int count = 300000;
  std::vector<int> integers(count);
  for (int i = 0; i < count; ++i) integers[static_cast<std::size_t>(i)] = i - 1000;
  {
    Hdf5File out(file("integers.h5"), Hdf5File::Mode::create);
    out.write_integers("integers", integers);
    out.commit();
  }
  EXPECT_EQ(Hdf5File(file("integers.h5"), Hdf5File::Mode::read).integers("integers"), integers);

  const std::vector<Hdf5Column> some = {{"size", &Row::size}, {"parts", &Row::parts}};
  std::vector<Hdf5Column> all = {{"count", &Row::count}, {"key", &Row::key}};
  all.insert(all.begin(), some.begin(), some.end());
  std::vector<Row> rows(20000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].size = 0.25 * static_cast<double>(i);
    rows[i].parts[3] = -static_cast<double>(i);
  }
  Hdf5File out(file(), Hdf5File::Mode::image);
  Hdf5Table::create(out, "rows", Hdf5Row::of<Row>(some)).write(0, rows.size(), rows.data());
  // Columns that the table does not have stay what they are in memory, in every part.
  std::vector<Row> read(rows.size());
  for (std::size_t i = 0; i < read.size(); ++i) read[i].count = static_cast<std::int64_t>(i);
  Hdf5Table::open(out, "rows", Hdf5Row::of<Row>(all)).read(0, read.size(), read.data());
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(read[i].size, rows[i].size) << i;
    ASSERT_EQ(read[i].parts, rows[i].parts) << i;
    ASSERT_EQ(read[i].count, static_cast<std::int64_t>(i));
  }
}

TEST_F(Hdf5Test, a_table_grows_by_rows_and_finds_its_columns_by_name) {
  const std::vector<Hdf5Column> some = {{"size", &Row::size}, {"parts", &Row::parts}};
  std::vector<Hdf5Column> all = {{"count", &Row::count}, {"key", &Row::key}};
  all.insert(all.begin(), some.begin(), some.end());
  Hdf5File out(file(), Hdf5File::Mode::image);
  Hdf5Table few = Hdf5Table::create(out, "few", Hdf5Row::of<Row>(some));
  Hdf5Table many = Hdf5Table::create(out, "many", Hdf5Row::of<Row>(all));
  std::vector<Row> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].size = 10.0 * static_cast<double>(i);
  rows[1].key[1] = 9;
  few.write(0, 3, rows.data());
  many.write(0, 2, rows.data());
  many.write(2, 1, &rows[2]);
  ASSERT_EQ(few.rows(), 3u);
  ASSERT_EQ(many.rows(), 3u);
  std::vector<Row> read(3);
  many.read(0, 3, read.data());
  EXPECT_EQ(read[1].key[1], 9u);
  EXPECT_EQ(read[2].size, 20.0);
  // Asked for more columns than the table has: the others stay what they are in memory.
  const Hdf5Table wider = Hdf5Table::open(out, "few", Hdf5Row::of<Row>(all));
  Row one;
  one.count = 42;
  wider.read(2, 1, &one);
  EXPECT_EQ(one.count, 42);
  EXPECT_EQ(one.size, 20.0);
  EXPECT_EQ(one.parts[3], 4.0);
  EXPECT_THROW(wider.read(3, 1, &one), vinci::Error);
  many.shrink(1);
  EXPECT_EQ(many.rows(), 1u);
}

TEST_F(Hdf5Test, a_column_may_be_narrower_in_the_file) {
  std::vector<Hdf5Column> columns = {{"count", &Row::count}};
  columns.front().stored_as(Hdf5Number::int32);
  columns.push_back(Hdf5Column::part("third", &Row::parts, 2));
  const Hdf5Row row = Hdf5Row::of<Row>(columns);
  Hdf5File out(file(), Hdf5File::Mode::image);
  Hdf5Table table = Hdf5Table::create(out, "rows", Hdf5Row::of<Row>(columns));
  Row written, read;
  written.count = -123456;
  written.parts[2] = 0.75;
  table.write(0, 1, &written);
  table.read(0, 1, &read);
  EXPECT_EQ(read.count, -123456);
  EXPECT_EQ(read.parts, (std::array<double, 4>{1.0, 2.0, 0.75, 4.0}));
}

}  // namespace
