// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/passage_recording.h"

#include "vinci/base/error.h"
#include "vinci/passage/clearance.h"
#include "vinci/passage/passage.h"
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

}  // namespace

void record_path(const std::filesystem::path& file, const Scene& scene,
                 const std::map<std::string, double>& parameters,
                 const std::shared_ptr<const Plugins>& plugins, int body,
                 const std::vector<Pose>& path, bool overwrite) {
  if (path.empty()) throw Error("has no pose", "path");
  constexpr int frames = frames_per_second * seconds;
  RunOverrides overrides;
  overrides.parameters = parameters;
  const std::string step = "1/" + std::to_string(frames_per_second);
  overrides.options = {
      {"step", step}, {"duration", std::to_string(seconds)}, {"output-interval", "0"}};
  overrides.code.controllers = {{"geometric-model", std::make_shared<GeometricModel>()}};
  Simulation simulation(scene, overrides, plugins);
  const Track track(simulation.model(), body, path);
  State state = simulation.state();
  state.velocities.setZero();
  state.poses[body] = path.front();
  simulation.set_state(state);
  Recorder recorder(file, simulation, overwrite);
  for (int i = 1; i <= frames; ++i) {
    state.step = i;
    state.time = i * simulation.step_size();
    state.poses[body] = track.at(track.length() * i / frames);
    simulation.set_state(state);
    recorder.after_step(simulation);
  }
  recorder.finish(simulation);
}

}  // namespace vinci
