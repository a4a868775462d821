// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/passage_recording.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/passage/clearance.h"
#include "vinci/passage/passage.h"
#include "vinci/passage/robot_query.h"
#include "vinci/passage/robot_timing.h"
#include "vinci/recording/recorder.h"

namespace vinci {
namespace {

constexpr int frames_per_second = 60, seconds = 4;

// Stands in the recording as what moved the body; no step is ever taken.
class GeometricModel : public Controller {
 public:
  void act(const Model&, const State&, double, Eigen::Ref<VectorX>, Eigen::Ref<VectorX>) override {}
};

// The path by the way travelled.
class Track {
 public:
  Track(const Model& model, int body, const std::vector<Pose>& path)
      : path_(path), radius_(radius_about_origin(model, body)) {
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      const Vector3 turn = rotation_vector(path[i].rotation.conjugate() * path[i + 1].rotation);
      const Vector3 way = path[i + 1].position - path[i].position;
      ends_.push_back(length() + way.norm() + radius_ * turn.norm());
    }
  }
  double length() const { return ends_.empty() ? 0.0 : ends_.back(); }
  Pose at(double way) const {
    double begin = 0.0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (way < ends_[i])
        return between(path_[i], path_[i + 1], (way - begin) / (ends_[i] - begin));
      begin = ends_[i];
    }
    return path_.back();
  }

 private:
  const std::vector<Pose>& path_;
  double radius_;
  std::vector<double> ends_;
};

// A simulation whose frames are set from outside.
Simulation frames_of(const Scene& scene, const std::map<std::string, double>& parameters,
                     const std::shared_ptr<const Plugins>& plugins, double duration, int frames) {
  RunOverrides overrides;
  overrides.parameters = parameters;
  overrides.options = {{"step", fmt::format("{:.17g}", duration / frames)},
                       {"duration", fmt::format("{:.17g}", duration)},
                       {"output-interval", "0"}};
  overrides.code.controllers = {{"geometric-model", std::make_shared<GeometricModel>()}};
  return Simulation(scene, overrides, plugins);
}

// The first state, then one per frame: set(state, share of the duration).
template <class Set>
void record_frames(const std::filesystem::path& file, Simulation& simulation, int frames,
                   bool overwrite, const Set& set) {
  State state = simulation.state();
  state.velocities.setZero();
  set(state, 0.0);
  simulation.set_state(state);
  Recorder recorder(file, simulation, overwrite);
  for (int i = 1; i <= frames; ++i) {
    state.step = i;
    state.time = i * simulation.step_size();
    set(state, static_cast<double>(i) / frames);
    simulation.set_state(state);
    recorder.after_step(simulation);
  }
  recorder.finish(simulation);
}

}  // namespace

void record_path(const std::filesystem::path& file, const Scene& scene,
                 const std::map<std::string, double>& parameters,
                 const std::shared_ptr<const Plugins>& plugins, int body,
                 const std::vector<Pose>& path, bool overwrite) {
  if (path.empty()) throw Error("has no pose", "path");
  constexpr int frames = frames_per_second * seconds;
  Simulation simulation = frames_of(scene, parameters, plugins, seconds, frames);
  const Track track(simulation.model(), body, path);
  record_frames(file, simulation, frames, overwrite, [&](State& state, double share) {
    state.poses[static_cast<std::size_t>(body)] = track.at(track.length() * share);
  });
}

void record_motion(const std::filesystem::path& file, const Scene& scene,
                   const std::map<std::string, double>& parameters,
                   const std::shared_ptr<const Plugins>& plugins, const RobotPassageQuery& query,
                   const RobotPassageResult& result, bool overwrite) {
  if (!result.trajectory) throw Error("has no trajectory", "path");
  const double duration = std::max(result.trajectory->duration(), 1.0 / frames_per_second);
  const int frames = std::max(1, static_cast<int>(std::ceil(duration * frames_per_second)));
  Simulation simulation = frames_of(scene, parameters, plugins, duration, frames);
  const auto detector = plugins->detectors.make(simulation.options().text("detector"));
  const std::unique_ptr<Mechanism> mechanism = make_mechanism(simulation.model(), *detector, query);
  const LeadingCoordinates leading(*mechanism, *result.trajectory);
  TrajectoryPoint point;
  record_frames(file, simulation, frames, overwrite, [&](State& state, double share) {
    leading.at(share < 1.0 ? duration * share : duration + 1.0, point);
    mechanism->place(point.position);
    state.poses = mechanism->poses();
    state.joint_positions = mechanism->joint_positions(point.position);
    state.joint_rates = mechanism->joint_rates(point.position, point.velocity);
    state.velocities = mechanism->velocities(state.joint_rates);
  });
}

}  // namespace vinci
