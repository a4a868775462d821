// SPDX-License-Identifier: Apache-2.0
// Every stepper × motion model × cone × solver, in the plane, on a table and in space, on a
// gallery: each agrees with its reference, or says why it has no meaning. docs/models.md shows
// which.
#include <algorithm>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "tests/simulation/models_gallery.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

constexpr const char* motions[] = {"dynamic", "first-order", "quasi-static"};
constexpr const char* cones[] = {"quadratic", "pyramid"};
enum class Setting { plane, table, space };
constexpr Setting settings[] = {Setting::plane, Setting::table, Setting::space};
constexpr const char* setting_names[] = {"2D", "2.5D", "3D"};

// Those whose steps are problems for a solver: motion through events has no step and no cone of
// its own.
std::vector<std::string> steppers() {
  std::vector<std::string> names = builtin_plugins().steppers.names();
  std::erase(names, "event-driven");
  return names;
}
std::vector<std::string> solvers() {
  return builtin_plugins().solvers.names();
}

struct Choice {
  std::string stepper, cone, solver;
  MotionModel motion = MotionModel::dynamic;
  Setting setting = Setting::plane;

  bool is_soft() const { return stepper == "song-pang-kumar"; }
  std::string motion_name() const { return motions[static_cast<int>(motion)]; }
  RunOverrides overrides() const {
    RunOverrides result;
    result.options = {{"stepper", stepper},
                      {"motion", motion_name()},
                      {"cone", cone},
                      {"solver", solver},
                      {"directions", std::to_string(gallery_directions)}};
    // Layers that are damped so much need no fine substeps.
    if (is_soft()) result.plugin_options[{"stepper", "resolution"}] = "2";
    return result;
  }
  std::vector<GalleryScene> gallery() const {
    if (setting == Setting::space) return spatial_gallery();
    return setting == Setting::table ? table_gallery() : planar_gallery();
  }
  // "" where the combination has a meaning, else what the program says against it.
  std::string why_not() const {
    try {
      Simulation(Scene::parse(gallery().front().yaml(motion)), overrides());
      return "";
    } catch (const Error& error) {
      return error.message();
    }
  }
};

// All combinations of a stepper and a solver.
std::vector<Choice> choices(const std::string& stepper, const std::string& solver) {
  std::vector<Choice> all;
  for (const Setting setting : settings)
    for (const MotionModel motion :
         {MotionModel::dynamic, MotionModel::first_order, MotionModel::quasi_static})
      for (const char* cone : cones) all.push_back({stepper, cone, solver, motion, setting});
  return all;
}

// The solver 'small' is the quick first try of 'auto' and may give up, but it says so. Whether the
// run came to an end that was compared.
bool expect_agreement(const Choice& choice, const GalleryScene& scene) {
  SCOPED_TRACE(fmt::format("{}: {} {} {} {}", scene.name, choice.stepper, choice.motion_name(),
                           choice.cone, choice.solver));
  Simulation simulation = simulate(scene.yaml(choice.motion), choice.overrides());
  const double accept = simulation.options().real("accept");
  bool gave_up = false;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_FALSE(simulation.diverged());
    if (report.ending != Ending::none) continue;
    // Small takes small problems alone; stiff layers couple the points of a patch so closely that
    // iterations of other solvers than auto and lemke may end early, and say so.
    const bool may_give_up =
        choice.solver == "small" || (choice.stepper == "song-pang-kumar" &&
                                     choice.solver != "auto" && choice.solver != "lemke");
    if (may_give_up && report.solve.status != SolveStatus::solved)
      gave_up = true;
    else
      EXPECT_LE(report.solve.residual.relative, accept) << "step " << simulation.state().step;
    if (testing::Test::HasFailure()) return true;
  }
  if (choice.motion == MotionModel::quasi_static && scene.unbalanced) {
    EXPECT_EQ(simulation.report().ending, Ending::no_equilibrium);
    return true;
  }
  EXPECT_EQ(simulation.report().ending, Ending::none);
  if (gave_up) return false;
  EXPECT_LE(scene.error(simulation, choice.motion),
            scene.tolerance(simulation, choice.motion) + (choice.is_soft() ? layer_depth : 0.0));
  return true;
}

using Pair = std::tuple<std::string, std::string>;
class ModelsMatrix : public testing::TestWithParam<Pair> {};

TEST_P(ModelsMatrix, agrees_with_the_gallery_or_says_why_it_has_no_meaning) {
  const auto& [stepper, solver] = GetParam();
  int runs = 0;
  for (const Choice& choice : choices(stepper, solver)) {
    if (!choice.why_not().empty()) continue;
    for (const GalleryScene& scene : choice.gallery()) {
      if (scene.slow && choice.is_soft()) continue;
      runs += expect_agreement(choice, scene) ? 1 : 0;
    }
  }
  EXPECT_GT(runs, 0) << "no combination with this stepper and this solver has a meaning";
}

// Motion through events on the same gallery; impacts are short beside it.
TEST(EventGallery, agrees_or_says_what_it_does_not_know) {
  int runs = 0, refused = 0;
  for (const Setting setting : settings) {
    const Choice choice{"event-driven", "quadratic", "auto", MotionModel::dynamic, setting};
    RunOverrides overrides;
    overrides.options = {{"stepper", "event-driven"}};
    overrides.plugin_options[{"stepper", "time-scale"}] = "1e-3";
    for (const GalleryScene& scene : choice.gallery()) {
      SCOPED_TRACE(scene.name);
      try {
        Simulation simulation = simulate(scene.yaml(choice.motion), overrides);
        while (!simulation.finished()) simulation.step();
        EXPECT_LE(scene.error(simulation, choice.motion),
                  scene.tolerance(simulation, choice.motion));
        ++runs;
      } catch (const Error& error) {
        EXPECT_NE(error.message().find("know"), std::string::npos) << error.message();
        ++refused;
      }
    }
  }
  EXPECT_GT(runs, 3 * refused);
}

std::string identifier(std::string text) {
  for (char& c : text)
    if (c == '-') c = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, ModelsMatrix,
                         testing::Combine(testing::ValuesIn(steppers()),
                                          testing::ValuesIn(solvers())),
                         [](const auto& pair) {
                           return identifier(std::get<0>(pair.param)) + "_by_" +
                                  identifier(std::get<1>(pair.param));
                         });

// A reason names what to take instead: a solver, a motion model or a cone that is accepted.
TEST(ModelsMatrixReasons, name_what_is_accepted_in_place_of_a_combination_without_meaning) {
  int refused = 0;
  for (const std::string& stepper : steppers())
    for (const std::string& solver : solvers())
      for (const Choice& choice : choices(stepper, solver)) {
        const std::string reason = choice.why_not();
        if (reason.empty()) continue;
        ++refused;
        EXPECT_TRUE(reason.find("use ") != std::string::npos ||
                    reason.find("accepted: ") != std::string::npos)
            << reason;
      }
  EXPECT_GT(refused, 20);
}

// ---- the tables of docs/models.md

class Tables {
 public:
  std::string text() {
    std::string all;
    for (const Setting setting : settings) all += table(setting) + "\n";
    for (const auto& [reason, letter] : letters_) reasons_[letter] = reason;
    all += "| letter | reason |\n|---|---|\n";
    for (const auto& [letter, reason] : reasons_)
      all += fmt::format("| {} | {} |\n", letter, reason);
    return all;
  }

 private:
  // One row per solver and the steppers for which it says the same, one column per motion and cone.
  std::string table(Setting setting) {
    std::string all = fmt::format("| {} | stepper |", setting_names[static_cast<int>(setting)]);
    std::string rule = "|---|---|";
    for (const char* motion : motions)
      for (const char* cone : cones) {
        all += fmt::format(" {}, {} |", motion, cone);
        rule += "---|";
      }
    all += "\n" + rule + "\n";
    for (const std::string& solver : solvers()) {
      std::vector<std::pair<std::string, std::string>> rows;  // steppers, cells
      for (const std::string& stepper : steppers()) {
        std::string cells;
        for (const Choice& choice : choices(stepper, solver))
          if (choice.setting == setting) cells += " " + cell(choice) + " |";
        const auto same = std::find_if(rows.begin(), rows.end(),
                                       [&](const auto& row) { return row.second == cells; });
        if (same == rows.end())
          rows.emplace_back(stepper, cells);
        else
          same->first += ", " + stepper;
      }
      for (const auto& [names, cells] : rows)
        all += fmt::format("| {} | {} |{}\n", solver, names, cells);
    }
    return all;
  }
  std::string cell(const Choice& choice) {
    const std::string reason = choice.why_not();
    if (reason.empty()) return choice.solver == "small" ? "tries" : "yes";
    const char next = static_cast<char>('a' + letters_.size());
    return std::string(1, letters_.emplace(reason, next).first->second);
  }

  std::map<std::string, char> letters_;
  std::map<char, std::string> reasons_;
};

TEST(ModelsMatrixTables, are_those_of_the_manual) {
  std::ifstream file(std::string(VINCI_SOURCE_DIR) + "/docs/models.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::string expected = Tables().text();
  EXPECT_NE(page.find(expected), std::string::npos) << "docs/models.md lacks these tables:\n"
                                                    << expected;
}

// ---- what a model leaves out

// Initial velocities and restitution belong to the dynamic model. The first quasi-static step takes
// the velocities as its guess, so that rounding may differ.
TEST(ModelsMatrixLimits, velocities_and_restitution_change_nothing_where_nothing_is_dynamic) {
  const auto scene = [](double restitution, double velocity) {
    return fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.3, restitution: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  wall: {{shapes: [{{half-plane: {{normal: [1, 0]}}}}], motion: {{x: -0.125 + 0.1*t, y: 0, angle: 0}}}}
  box: {{shapes: [{{box: [0.25, 0.125], material: m}}], position: [0, 0.0625], velocity: [{}, 0]}}
run: {{step: 1 ms, duration: 10 ms}}
)",
                       restitution, velocity);
  };
  for (const char* motion : motions) {
    RunOverrides overrides;
    overrides.options["motion"] = motion;
    Simulation plain = simulate(scene(0.0, 0.0), overrides);
    Simulation other = simulate(scene(0.8, 0.3), overrides);
    run_exactly(plain);
    run_exactly(other);
    const double apart = (position(plain, "box") - position(other, "box")).norm();
    EXPECT_EQ(apart <= 1e-12, std::string(motion) != "dynamic") << motion << " " << apart;
  }
}

}  // namespace
}  // namespace vinci::test
