// SPDX-License-Identifier: Apache-2.0
// Recordings that are cut or changed on their way: read as far as they are sound, or refused with
// their name.
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>

#include "tests/support/leaks.h"
#include "vinci/base/error.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"

namespace vinci::test {
namespace {

class Damage : public testing::Test {
 protected:
  Damage() {
    std::string pattern = (std::filesystem::temp_directory_path() / "damage-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    Simulation simulation(Scene::parse(R"(
      title: two boxes
      world: planar
      materials: {wood: {friction: 0.4}}
      bodies:
        floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
        one: {shapes: [{box: [0.2, 0.1], material: wood}], position: [0, 0.05], velocity: [1, 0]}
        two: {shapes: [{box: [0.1, 0.1], material: wood}], position: [0, 0.15]}
      run: {step: 1 ms, duration: 20 ms}
    )"));
    Recorder recorder(folder_ / "whole.h5", simulation);
    while (!simulation.finished()) {
      simulation.step();
      recorder.after_step(simulation);
    }
    recorder.finish(simulation);
    std::ifstream in(folder_ / "whole.h5", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }
  ~Damage() override { std::filesystem::remove_all(folder_); }

  // Reads all there is: whether it could be opened. Anything but an Error with its name is a fault.
  bool reads(const std::string& content) {
    const std::filesystem::path path = folder_ / "damaged.h5";
    std::ofstream(path, std::ios::binary) << content;
    try {
      const Recording recording(path);
      read_all(recording);
      return true;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("damaged.h5"), std::string::npos) << error.what();
    }
    EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);  // nothing of ours is open
    return false;
  }

  static void read_all(const Recording& recording) {
    const FrameRange all{0, recording.frames(), 1};
    for (int k = 0; k < recording.models(); ++k) recording.model_json(k);
    recording.summary();
    for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
      recording.info(frame);
      recording.state(frame);
      recording.contacts(frame);
    }
    recording.infos(all);
    recording.poses(all);
    recording.velocities(all);
    recording.contacts(all);
  }

  std::filesystem::path folder_;
  std::string bytes_;
};

TEST_F(Damage, the_whole_recording_is_read) {
  EXPECT_TRUE(reads(bytes_));
}

TEST_F(Damage, a_recording_that_is_cut_is_refused) {
  const LeaksAllowed by_hdf5;
  for (std::size_t size = 0; size < bytes_.size(); size += bytes_.size() / 50)
    EXPECT_FALSE(reads(bytes_.substr(0, size))) << size;
}

TEST_F(Damage, a_recording_that_is_changed_is_read_or_refused) {
  const LeaksAllowed by_hdf5;
  std::mt19937_64 random(7);
  int opened = 0, refused = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::string changed = bytes_;
    // Numbers of the format lie at the beginning of the file and of its parts.
    const std::size_t reach = trial % 2 == 0 ? changed.size() : changed.size() / 16;
    const int changes = trial % 2 == 0 ? 1 : 4;
    for (int k = 0; k < changes; ++k) changed[random() % reach] = static_cast<char>(random());
    ++(reads(changed) ? opened : refused);
  }
  EXPECT_GT(opened, 0);
  EXPECT_GT(refused, 0);
}

// The most memory that the process has had, kB.
long most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Its length is compared with the text that is there before there is memory for it.
TEST_F(Damage, a_model_that_claims_to_be_long_takes_no_memory) {
  const std::filesystem::path path = folder_ / "whole.h5";
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t index = H5Dopen2(file, "models/index", H5P_DEFAULT);
  const hid_t length = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(length, "length", 0, H5T_NATIVE_UINT64);
  const std::uint64_t claimed = 900'000'000;
  ASSERT_GE(H5Dwrite(index, length, H5S_ALL, H5S_ALL, H5P_DEFAULT, &claimed), 0);
  H5Tclose(length);
  H5Dclose(index);
  H5Fclose(file);
  const long before = most_memory();
  const Recording recording(path);
  ASSERT_EQ(recording.models(), 1);
  EXPECT_THROW(recording.model_json(0), Error);
  EXPECT_LT(most_memory() - before, 100'000);
}

}  // namespace
}  // namespace vinci::test
