// SPDX-License-Identifier: Apache-2.0
// What a study asks (study.yaml), read, checked and immutable: a scene, its parameters with what is
// known of them, what is measured, what counts as success, the ladder of models, and which cases
// are run. docs/studies.md describes every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/scene/scene.h"
#include "vinci/simulation/plugins.h"

namespace vinci {

struct StudyParameter {
  enum class Kind : std::uint8_t { design, uncertain };
  std::string name;  // of a parameter of the scene
  Kind kind = Kind::design;
  std::string text;                 // "uniform [0.15, 0.6]"
  double lower = 0.0, upper = 0.0;  // of its values, for axes; infinite where they have no end
};

struct StudyMeasure {
  std::string name;
  std::string text;      // "end of part.x"
  bool is_code = false;  // a function in Python: CaseRunner needs it handed in
};

// One model of the ladder.
struct StudyLevel {
  std::string name;
  bool geometric = false;   // by vinci/passage, without forces
  bool rejects = true;      // its failure is that of the case
  bool confirms = false;    // a case succeeds where all that confirm say so
  bool per_design = false;  // run once a design, uncertain parameters as the scene has them
};

// Of a case. Time and memory are for those who run workers: the runner sees the steps only, which
// are the same everywhere.
struct StudyLimits {
  double seconds = 0.0;     // that it computes and sleeps; 0: none
  std::uint64_t bytes = 0;  // of memory; 0: none
  std::uint64_t steps = 0;  // of a level; 0: none
};

enum class StudyKind : std::uint8_t { sample, map, search, sensitivity, rare };
const char* to_string(StudyKind kind);

struct StudyData;  // private to study/

struct StudyFiles {
  std::shared_ptr<const Plugins> plugins;      // null: the built-in ones
  std::vector<std::filesystem::path> allowed;  // folders where scenes may read besides their own
  std::vector<std::filesystem::path> libraries = {};  // of the plugins: other ones, another study
};

class Study {
 public:
  // Throws SceneError with all mistakes of the study, or with those of its scene.
  static Study load(const std::filesystem::path& file, const StudyFiles& files = {});
  // A study given as text; files that it names lie in `folder`.
  static Study parse(std::string_view yaml, const std::filesystem::path& folder,
                     const std::string& name = "study", const StudyFiles& files = {});

  const std::string& title() const;
  const std::filesystem::path& file() const;
  const std::string& source() const;  // as written
  // Of the study with all that it names, 16 hexadecimal digits: two studies with the same one have
  // the same table.
  const std::string& hash() const;
  std::uint64_t seed() const;
  StudyKind kind() const;
  const Scene& scene() const;
  const std::shared_ptr<const Plugins>& plugins() const;
  // The values of a case in their order: those of the design, then the uncertain ones.
  const std::vector<StudyParameter>& parameters() const;
  std::size_t design_parameter_count() const;
  const std::vector<StudyMeasure>& measures() const;
  bool has_success() const;            // without it every verdict is unknown
  const std::string& success() const;  // empty where the geometric model alone decides, too
  const std::vector<StudyLevel>& levels() const;  // at least one
  const StudyLimits& limits() const;
  double confidence() const;     // of intervals
  bool exact_intervals() const;  // of probabilities: Clopper and Pearson's; else Wilson's
  // At how many numbers of cases a design may end by what they are; its intervals hold at all.
  std::uint64_t looks() const;

  const StudyData& data() const { return *data_; }

 private:
  explicit Study(std::shared_ptr<const StudyData> data) : data_(std::move(data)) {}
  static Study checked(std::shared_ptr<const StudyData> data);

  std::shared_ptr<const StudyData> data_;
};

// The published JSON Schema of study files.
std::string study_schema();

}  // namespace vinci
