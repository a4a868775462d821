// SPDX-License-Identifier: Apache-2.0
// Problem files: every layout there and back, files of others, and damaged files.
#include "vinci/complementarity/problem_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "tests/support/leaks.h"
#include "tests/support/open_problems.h"
#include "vinci/base/error.h"
#include "vinci/complementarity/stored_matrix.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

class ProblemFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::temp_directory_path() /
                 ("vinci-problem-files-" + std::string(test->name()) + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  fs::path directory_;
};

void expect_equal(const SparseRows& a, const SparseRows& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.values, b.values);
}

void expect_equal(const ComplementarityProblem& a, const ComplementarityProblem& b) {
  expect_equal(a.M, b.M);
  expect_equal(a.J, b.J);
  expect_equal(a.C, b.C);
  EXPECT_EQ(a.p, b.p);
  EXPECT_EQ(a.b, b.b);
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].law, b.blocks[i].law);
    EXPECT_EQ(a.blocks[i].offset, b.blocks[i].offset);
    EXPECT_EQ(a.blocks[i].size, b.blocks[i].size);
    EXPECT_EQ(a.blocks[i].friction, b.blocks[i].friction);
    EXPECT_EQ(a.blocks[i].lower, b.blocks[i].lower);
    EXPECT_EQ(a.blocks[i].upper, b.blocks[i].upper);
    EXPECT_EQ(a.blocks[i].rolling, b.blocks[i].rolling);
    EXPECT_EQ(a.blocks[i].torsion, b.blocks[i].torsion);
    EXPECT_EQ(a.blocks[i].tangents, b.blocks[i].tangents);
    EXPECT_EQ(a.blocks[i].spins, b.blocks[i].spins);
  }
}

MatrixX random_matrix(int rows, int cols) {
  static std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  return MatrixX::NullaryExpr(rows, cols, [&] { return normal(random); });
}

Block block(Law law, int offset, int size, double friction = 0.0, double rolling = 0.0) {
  Block result{.law = law, .offset = offset, .size = size};
  result.friction = friction;
  result.rolling = rolling;
  return result;
}

ComplementarityProblem make(int n, std::vector<Block> blocks, bool with_C) {
  ComplementarityProblem problem;
  const int m = blocks.back().offset + blocks.back().size;
  problem.M = SparseRows::from_dense(random_matrix(n, n));
  problem.J = SparseRows::from_dense(random_matrix(m, n));
  problem.C = SparseRows::from_dense(with_C ? random_matrix(m, m) : MatrixX::Zero(m, m));
  problem.p = random_matrix(n, 1);
  problem.b = random_matrix(m, 1);
  problem.blocks = std::move(blocks);
  return problem;
}

std::vector<std::pair<std::string, ComplementarityProblem>> one_of_each_class() {
  Block relay = block(Law::box, 0, 1), half = block(Law::box, 3, 1);
  relay.lower = -2.0;
  relay.upper = 3.0;
  half.upper = 4.0;
  Block ball = block(Law::ball, 4, 2);
  ball.upper = 0.25;
  Block all = block(Law::moments, 0, 6, 0.5, 0.1), surface = block(Law::moments, 6, 4, 0.3);
  all.torsion = 0.2;
  all.tangents = 2;
  all.spins = 1;
  surface.tangents = 3;
  return {
      {"lcp", make(0, {block(Law::nonnegative, 0, 1), block(Law::nonnegative, 1, 1)}, true)},
      {"relay", make(0, {relay}, true)},
      {"mlcp", make(0, {block(Law::equality, 0, 2), block(Law::nonnegative, 2, 1), half}, true)},
      {"mlcp", make(0, {block(Law::nonnegative, 0, 1), block(Law::equality, 1, 2), half}, true)},
      {"fc2d", make(0, {block(Law::coulomb, 0, 2, 0.5), block(Law::coulomb, 2, 2, 0.1)}, true)},
      {"fc3d", make(0, {block(Law::coulomb, 0, 3, 0.5)}, true)},
      {"gfc2d", make(3, {block(Law::coulomb, 0, 2, 0.5)}, false)},
      {"gfc3d", make(6, {block(Law::coulomb, 0, 3, 0.5), block(Law::coulomb, 3, 3, 0.0)}, false)},
      {"mixed", make(6, {block(Law::coulomb, 0, 3, 0.5), block(Law::equality, 3, 2)}, false)},
      {"mixed",
       make(6, {block(Law::coulomb, 0, 3, 0.5), block(Law::second_order, 3, 3, 0.2)}, true)},
      {"mixed",
       make(4, {block(Law::coulomb, 0, 2, 0.5), block(Law::nonnegative, 2, 1), half, ball}, true)},
      {"rfc2d",
       make(0, {block(Law::moments, 0, 3, 0.5, 0.1), block(Law::moments, 3, 3, 0.4)}, true)},
      {"rfc3d", make(0, {block(Law::moments, 0, 5, 0.5, 0.1)}, true)},
      {"grfc2d", make(3, {block(Law::moments, 0, 3, 0.5, 0.1)}, false)},
      {"grfc3d", make(6, {block(Law::moments, 0, 5, 0.5, 0.1), block(Law::moments, 5, 5)}, false)},
      {"mixed", make(6, {block(Law::moments, 0, 5, 0.5, 0.1), block(Law::equality, 5, 2)}, false)},
      {"mixed",
       make(6, {block(Law::moments, 0, 5, 0.5, 0.1), block(Law::coulomb, 5, 3, 0.5)}, true)},
      {"mixed", make(6, {all, surface}, false)},
      {"mixed", make(0, {all, surface}, true)},
  };
}

TEST_F(ProblemFiles, every_class_survives_both_layouts) {
  for (const auto& [kind, problem] : one_of_each_class()) {
    EXPECT_EQ(problem_class(problem), kind);
    for (const ProblemLayout layout : {ProblemLayout::exchange, ProblemLayout::general}) {
      ProblemFile file{problem, {}, {}, "title of it", "two\nlines"};
      file.guess = Solution{random_matrix(problem.unknowns(), 1), random_matrix(problem.rows(), 1)};
      file.solution =
          Solution{random_matrix(problem.unknowns(), 1), random_matrix(problem.rows(), 1)};
      save_problem_file(path("p.h5"), file, layout);
      const ProblemFile read = load_problem_file(path("p.h5"));
      expect_equal(problem, read.problem);
      ASSERT_TRUE(read.guess && read.solution) << kind;
      EXPECT_EQ(read.guess->u, file.guess->u);
      EXPECT_EQ(read.guess->lambda, file.guess->lambda);
      EXPECT_EQ(read.solution->lambda, file.solution->lambda);
      EXPECT_EQ(read.title, file.title);
      EXPECT_EQ(read.description, file.description);
      EXPECT_FALSE(fs::exists(path("p.h5.part")));
    }
  }
}

TEST_F(ProblemFiles, contact_problems_take_the_exchange_layout) {
  const auto problems = one_of_each_class();
  const auto root_of = [&](std::size_t i) {
    save_problem(path("p.h5"), problems[i].second);
    const Hdf5File in(path("p.h5"), Hdf5File::Mode::read);
    for (const char* root : {"/lcp", "/mlcp", "/fclib_local", "/fclib_global", "/vinci_problem"})
      if (in.has(root)) return std::string(root);
    return std::string();
  };
  const char* expected[] = {"/lcp",           "/mlcp",          "/mlcp",          "/vinci_problem",
                            "/fclib_local",   "/fclib_local",   "/fclib_global",  "/fclib_global",
                            "/fclib_global",  "/vinci_problem", "/vinci_problem", "/fclib_local",
                            "/fclib_local",   "/fclib_global",  "/fclib_global",  "/fclib_global",
                            "/vinci_problem", "/vinci_problem", "/vinci_problem"};
  ASSERT_EQ(problems.size(), std::size(expected));
  for (std::size_t i = 0; i < problems.size(); ++i) EXPECT_EQ(root_of(i), expected[i]) << i;
}

TEST_F(ProblemFiles, matrices_are_read_by_columns_by_rows_and_as_triplets) {
  const MatrixX expected = (MatrixX(2, 3) << 1.0, 0.0, 2.0, 0.0, 5.0, 0.0).finished();
  {
    Hdf5File out(path("m.h5"), Hdf5File::Mode::create);
    const SparseRows matrix = SparseRows::from_dense(expected);
    write_matrix_columns(out, "/columns", matrix);
    write_matrix_rows(out, "/rows", matrix);
    out.write_integer("/triplets/m", 2);
    out.write_integer("/triplets/n", 3);
    out.write_integer("/triplets/nz", 4);
    out.write_integer("/triplets/nzmax", 5);
    out.write_integers("/triplets/p",
                       {1, 0, 0, 0, 77});  // rows; one entry in two parts, one unused
    out.write_integers("/triplets/i", {1, 2, 0, 2, 77});
    out.write_reals("/triplets/x", (VectorX(5) << 5.0, 0.5, 1.0, 1.5, 77.0).finished());
    out.commit();
  }
  const Hdf5File in(path("m.h5"), Hdf5File::Mode::read);
  for (const char* group : {"/columns", "/rows", "/triplets"})
    EXPECT_EQ(MatrixX(read_matrix(in, group, 2, 3).view()), expected) << group;
}

TEST_F(ProblemFiles, equalities_of_a_local_contact_problem_are_read) {
  {
    Hdf5File out(path("local.h5"), Hdf5File::Mode::create);
    write_matrix_columns(out, "/fclib_local/W", SparseRows::from_dense(MatrixX::Identity(2, 2)));
    write_matrix_columns(out, "/fclib_local/V",
                         SparseRows::from_dense((MatrixX(2, 1) << 3.0, 4.0).finished()));
    write_matrix_columns(out, "/fclib_local/R",
                         SparseRows::from_dense(MatrixX::Constant(1, 1, 7.0)));
    out.write_reals("/fclib_local/vectors/q", Eigen::Vector2d(-1.0, 0.5));
    out.write_reals("/fclib_local/vectors/s", VectorX::Constant(1, 9.0));
    out.write_reals("/fclib_local/vectors/mu", VectorX::Constant(1, 0.3));
    out.write_integer("/fclib_local/spacedim", 2);
    out.commit();
  }
  const ComplementarityProblem problem = load_problem(path("local.h5"));
  const MatrixX expected = (MatrixX(3, 3) << 1, 0, 3, 0, 1, 4, 3, 4, 7).finished();
  EXPECT_EQ(MatrixX(problem.C.view()), expected);
  EXPECT_EQ(problem.blocks[1].law, Law::equality);
  EXPECT_EQ(problem.b[2], 9.0);
  save_problem(path("back.h5"), problem);
  EXPECT_TRUE(Hdf5File(path("back.h5"), Hdf5File::Mode::read).has("/fclib_local/V"));
  expect_equal(problem, load_problem(path("back.h5")));
}

// Parts of a local problem of one contact; `dimension` rows.
void write_contact(Hdf5File& out, const std::string& root, int dimension) {
  write_matrix_rows(out, root + "/W",
                    SparseRows::from_dense(MatrixX::Identity(dimension, dimension)));
  out.write_reals(root + "/vectors/q", VectorX::Constant(dimension, -1.0));
  out.write_reals(root + "/vectors/mu", VectorX::Constant(1, 0.3));
  out.write_integer(root + "/spacedim", dimension);
}

TEST_F(ProblemFiles, a_vector_mu_r_makes_contacts_roll) {
  for (const char* root : {"/fclib_local", "/fclib_local_rolling"})
    for (const int dimension : {3, 5}) {
      {
        Hdf5File out(path("rolling.h5"), Hdf5File::Mode::create);
        write_contact(out, root, dimension);
        out.write_reals(std::string(root) + "/vectors/mu_r", VectorX::Constant(1, 0.02));
        out.commit();
      }
      const ComplementarityProblem problem = load_problem(path("rolling.h5"));
      ASSERT_EQ(problem.blocks.size(), 1u);
      EXPECT_EQ(problem.blocks[0].law, Law::moments);
      EXPECT_EQ(problem.blocks[0].size, dimension);
      EXPECT_EQ(problem.blocks[0].friction, 0.3);
      EXPECT_EQ(problem.blocks[0].rolling, 0.02);
    }
}

TEST_F(ProblemFiles, rolling_resistances_that_do_not_fit_are_refused) {
  const auto message = [&](int dimension, int count, double value) {
    {
      Hdf5File out(path("bad.h5"), Hdf5File::Mode::create);
      write_contact(out, "/fclib_local", dimension);
      if (count > 0) out.write_reals("/fclib_local/vectors/mu_r", VectorX::Constant(count, value));
      out.commit();
    }
    try {
      load_problem(path("bad.h5"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(message(5, 1, 0.1), "accepted");
  EXPECT_TRUE(says(message(5, 0, 0.1), "spacedim: 5, expected 2 or 3, or 5 beside vectors/mu_r"));
  EXPECT_TRUE(says(message(2, 1, 0.1), "spacedim: 2, expected 3 or 5"));
  EXPECT_TRUE(says(message(4, 1, 0.1), "spacedim: 4, expected 3 or 5"));
  EXPECT_TRUE(says(message(5, 2, 0.1), "mu_r: 2 numbers, expected 1"));
  EXPECT_TRUE(says(message(5, 1, -0.1), "rolling resistance is -0.1"));
  EXPECT_TRUE(says(message(5, 1, std::nan("")), "rolling resistance is nan"));
}

TEST_F(ProblemFiles, general_files_without_rolling_are_what_they_were) {
  save_problem(path("old.h5"), one_of_each_class()[9].second, ProblemLayout::general);
  EXPECT_FALSE(Hdf5File(path("old.h5"), Hdf5File::Mode::read).has("/vinci_problem/blocks/rolling"));
  save_problem(path("new.h5"), one_of_each_class()[11].second, ProblemLayout::general);
  EXPECT_TRUE(Hdf5File(path("new.h5"), Hdf5File::Mode::read).has("/vinci_problem/blocks/rolling"));
}

// As other writers do: 64-bit integers, triplets, texts of variable length and in ASCII, no
// answers.
TEST_F(ProblemFiles, files_of_other_writers_are_read) {
  {
    Hdf5File out(path("other.h5"), Hdf5File::Mode::create);
    write_contact(out, "/fclib_local", 2);
    out.commit();
  }
  const hid_t file = H5Fopen(path("other.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const auto replace = [&](const char* name, hid_t type, hsize_t size, const void* data) {
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &size, nullptr), create = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(create, 1);
    const hid_t set = H5Dcreate2(file, name, type, space, create, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set), H5Pclose(create), H5Sclose(space);
  };
  const long long dimension = 2, entries = 3, rows[] = {0, 1, 1}, columns[] = {0, 1, 1};
  const double values[] = {4.0, 2.0, 3.0};
  const char* const title = "of another";
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  replace("/fclib_local/spacedim", H5T_NATIVE_LLONG, 1, &dimension);
  replace("/fclib_local/W/nz", H5T_NATIVE_LLONG, 1, &entries);
  replace("/fclib_local/W/p", H5T_NATIVE_LLONG, 3, rows);
  replace("/fclib_local/W/i", H5T_NATIVE_LLONG, 3, columns);
  replace("/fclib_local/W/x", H5T_NATIVE_DOUBLE, 3, values);
  replace("/fclib_local/info/title", text, 1, &title);
  const hid_t plain = H5Tcopy(H5T_C_S1);
  H5Tset_size(plain, 5);
  replace("/fclib_local/info/description", plain, 1, "plain");
  H5Tclose(plain), H5Tclose(text);
  H5Fclose(file);
  const ProblemFile read = load_problem_file(path("other.h5"));
  EXPECT_EQ(MatrixX(read.problem.C.view()), MatrixX(Eigen::Vector2d(4.0, 5.0).asDiagonal()));
  EXPECT_EQ(read.title, "of another");
  EXPECT_EQ(read.description, "plain");
  EXPECT_FALSE(read.guess || read.solution);
}

// Writes an LCP whose parts `change` may replace, and expects an Error that names `what`.
template <class Change>
void expect_refused(const std::string& path, const std::string& what, Change change) {
  struct Parts {
    std::vector<int> m{2}, n{2}, nz{-1}, p{0, 1, 2}, i{0, 1};
    VectorX x = VectorX::Ones(2), q = VectorX::Ones(2);
  } parts;
  change(parts);
  {
    Hdf5File out(path, Hdf5File::Mode::create);
    out.write_integers("/lcp/M/m", parts.m);
    out.write_integers("/lcp/M/n", parts.n);
    out.write_integers("/lcp/M/nz", parts.nz);
    out.write_integers("/lcp/M/p", parts.p);
    out.write_integers("/lcp/M/i", parts.i);
    out.write_reals("/lcp/M/x", parts.x);
    out.write_reals("/lcp/q", parts.q);
    out.commit();
  }
  try {
    load_problem(path);
    ADD_FAILURE() << "accepted: " << what;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  }
}

TEST_F(ProblemFiles, wild_numbers_are_refused_by_file_and_dataset) {
  const std::string file = path("bad.h5");
  expect_refused(file, "/lcp/M: is 2000000000 x 2, expected 2 x 2",
                 [](auto& f) { f.m = {2000000000}; });
  expect_refused(file, "/lcp/M: is -1 x 2", [](auto& f) { f.m = {-1}; });
  expect_refused(file, "/lcp/M/nz: -3", [](auto& f) { f.nz = {-3}; });
  expect_refused(file, "/lcp/M/p: 3 numbers, expected 2000000000",
                 [](auto& f) { f.nz = {2000000000}; });
  expect_refused(file, "/lcp/M/p: does not ascend", [](auto& f) { f.p = {0, 2, 1}; });
  expect_refused(file, "/lcp/M/p: does not ascend", [](auto& f) { f.p = {-5, 1, 2}; });
  expect_refused(file, "/lcp/M/i: 2 numbers, expected 1000000", [](auto& f) {
    f.p = {0, 1, 1000000};
  });
  expect_refused(file, "outside 2 x 2", [](auto& f) { f.i = {0, 2}; });
  expect_refused(file, "outside 2 x 2", [](auto& f) { f.i = {0, -1}; });
  expect_refused(file, "/lcp/M/x: 1 numbers", [](auto& f) { f.x.setOnes(1); });
  expect_refused(file, "M/m: 2 numbers, expected one", [](auto& f) { f.m = {2, 2}; });
  expect_refused(file, "b(1) is nan", [](auto& f) { f.q[1] = std::nan(""); });
  expect_refused(file, "expected 3 x 3", [](auto& f) { f.q.setOnes(3); });
}

TEST_F(ProblemFiles, wrong_types_and_missing_parts_are_refused) {
  const auto message = [&](auto&& write) {
    {
      Hdf5File out(path("bad.h5"), Hdf5File::Mode::create);
      write(out);
      out.commit();
    }
    try {
      load_problem(path("bad.h5"));
    } catch (const Error& error) {
      return error.message() + " @ " + error.where();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message([](auto& out) { out.write_integer("/other", 1); }).find("holds no problem"),
            0u);
  EXPECT_EQ(message([](auto& out) { out.write_text("/lcp/q", "one two"); }).find("not numbers @"),
            0u);
  EXPECT_EQ(message([](auto& out) { out.write_reals("/lcp", VectorX::Ones(1)); }).find("missing @"),
            0u);
  EXPECT_EQ(
      message([](auto& out) { out.write_integer("/lcp/q/deeper", 1); }).find("not a dataset @"),
      0u);
  EXPECT_EQ(message([](auto& out) {
              out.write_reals("/lcp/q", VectorX::Ones(1));
              out.write_reals("/lcp/M/m", VectorX::Ones(1));
            }).find("not whole numbers @"),
            0u);
}

TEST_F(ProblemFiles, a_dataset_that_claims_to_be_huge_is_not_allocated) {
  const hid_t file = H5Fcreate(path("huge.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "/lcp", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t size = hsize_t{1} << 40, chunk = 1024;
  const hid_t space = H5Screate_simple(1, &size, nullptr), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  const hid_t data =
      H5Dcreate2(group, "q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
  H5Dclose(data);
  H5Pclose(create);
  H5Sclose(space);
  H5Gclose(group);
  H5Fclose(file);
  EXPECT_THROW(load_problem(path("huge.h5")), Error);
}

TEST_F(ProblemFiles, cut_or_scrambled_files_never_do_worse_than_an_error) {
  const test::LeaksAllowed by_hdf5;
  save_problem(path("whole.h5"), one_of_each_class()[7].second);
  std::ifstream in(path("whole.h5"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const auto attempt = [&](const std::string& content) {
    std::ofstream(path("cut.h5"), std::ios::binary) << content;
    try {
      return load_problem(path("cut.h5")).why_invalid().empty();
    } catch (const Error& error) {
      return std::string(error.what()).find("cut.h5") != std::string::npos;
    }
  };
  for (std::size_t size = 0; size < bytes.size(); size += 997)
    EXPECT_TRUE(attempt(bytes.substr(0, size))) << size;
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    std::string scrambled = bytes;
    for (int k = 0; k < 4; ++k)
      scrambled[random() % scrambled.size()] = static_cast<char>(random());
    EXPECT_TRUE(attempt(scrambled)) << trial;
    EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << trial;  // nothing of ours is open
  }
  EXPECT_THROW(load_problem(path("absent.h5")), Error);
  EXPECT_THROW(load_problem(directory_.string()), Error);
}

TEST_F(ProblemFiles, a_file_that_cannot_be_written_is_an_error_and_leaves_nothing) {
  const ComplementarityProblem problem = one_of_each_class()[0].second;
  EXPECT_THROW(save_problem(path("no/such/place.h5"), problem), Error);
  ComplementarityProblem broken = problem;
  broken.b[0] = std::nan("");
  EXPECT_THROW(save_problem(path("broken.h5"), broken), Error);
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(ProblemFiles, the_open_set_loads_and_saves_back_equal) {
  const std::filesystem::path root = test::open_problems();
  if (root.empty()) GTEST_SKIP() << test::no_open_problems;
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h5") continue;
    SCOPED_TRACE(entry.path());
    const ComplementarityProblem problem = load_problem(entry.path().string());
    EXPECT_EQ(problem_class(problem), entry.path().parent_path().filename().string());
    save_problem(path("back.h5"), problem);
    expect_equal(problem, load_problem(path("back.h5")));
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace vinci
