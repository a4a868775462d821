// SPDX-License-Identifier: Apache-2.0
// benchmark-mesh: parts of triangles, beside Bullet and MuJoCo where they are found, in one run.
// All engines are given the same triangles; overlaps are measured for all of them by our own
// detector at the poses that they report, so that each is judged by the same surfaces.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "mesh/engine.h"
#include "vinci/base/error.h"
#include "vinci/collision/exact_detector.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Mesh part(const char* name) {
  return make_mesh(read_mesh_triangles(std::string(VINCI_SOURCE_DIR) + name));
}

MeshLayout nut_on_bolt() {
  MeshLayout layout;
  layout.name = "nut on a bolt";
  layout.friction = 0.02;
  layout.parts.push_back({part("/benchmarks/mesh/bolt.obj"), Pose(), true});
  layout.parts.push_back(
      {part("/benchmarks/mesh/nut.obj"), {Vector3(0.0, 0.0, 0.06), Quaternion::Identity()}, false});
  return layout;
}

// Links in layers, turned at random, over a bin of half-spaces.
MeshLayout bin(int count) {
  MeshLayout layout;
  layout.name = fmt::format("{} links in a bin", count);
  const Mesh link = part("/scenes/meshes/link.obj");
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const int side = count >= 100 ? 7 : (count >= 20 ? 3 : 2);
  const double room = 0.13, half = 0.5 * room * side;
  layout.planes = {{Vector3::Zero(), Vector3::UnitZ()},
                   {Vector3(half, 0.0, 0.0), -Vector3::UnitX()},
                   {Vector3(-half, 0.0, 0.0), Vector3::UnitX()},
                   {Vector3(0.0, half, 0.0), -Vector3::UnitY()},
                   {Vector3(0.0, -half, 0.0), Vector3::UnitY()}};
  for (int i = 0; i < count; ++i) {
    const Vector3 cell(i % side, i / side % side, i / (side * side));
    const Quaternion turn(normal(random), normal(random), normal(random), normal(random));
    const Vector3 place = room * (cell + Vector3::Constant(0.5)) - Vector3(half, half, 0.0);
    layout.parts.push_back({link, {place, turn.normalized()}, false});
  }
  return layout;
}

std::string scene_text(const MeshLayout& layout) {
  std::string bodies, planes;
  for (const MeshLayout::Plane& plane : layout.planes)
    planes += fmt::format(
        "      - {{half-space: {{point: [{}, {}, {}], normal: [{}, {}, {}]}}, material: m}}\n",
        plane.point.x(), plane.point.y(), plane.point.z(), plane.normal.x(), plane.normal.y(),
        plane.normal.z());
  std::map<const TriangleMesh*, std::string> names;
  std::string meshes;
  int number = 0;
  for (const MeshLayout::Part& part : layout.parts) {
    const TriangleMesh& mesh = *part.mesh.surface;
    std::string& name = names[&mesh];
    if (name.empty()) {
      name = fmt::format("m{}.obj", names.size());
      const auto rows = [](const auto& list) {
        std::string text;
        int count = 0;
        for (const auto& row : list) {
          text += fmt::format("{} {} {} ", row[0], row[1], row[2]);
          if (++count % 500 == 0) text += "', '";
        }
        return text;
      };
      meshes += fmt::format("  {}: {{vertices: ['{}'], triangles: ['{}']}}\n", name,
                            rows(mesh.vertices), rows(mesh.triangles));
    }
    const Vector3& p = part.pose.position;
    const Quaternion& q = part.pose.rotation;
    bodies += fmt::format(
        "  part{}: {{{}shapes: [{{mesh: {{file: {}}}, density: {}, material: m}}], position: [{}, "
        "{}, {}], rotation: {{quaternion: [{}, {}, {}, {}]}}}}\n",
        number++, part.fixed ? "freedom: fixed, " : "", name, layout.density, p.x(), p.y(), p.z(),
        q.w(), q.x(), q.y(), q.z());
  }
  if (!planes.empty()) bodies = "  planes:\n    freedom: fixed\n    shapes:\n" + planes + bodies;
  return fmt::format(
      "world: spatial\nmaterials: {{m: {{friction: {}}}}}\nbodies:\n{}mesh-triangles:\n{}run: "
      "{{step: {}, duration: 1000}}\n",
      layout.friction, bodies, meshes, layout.step);
}

class VinciMeshes : public MeshEngine {
 public:
  explicit VinciMeshes(const MeshLayout& layout)
      : simulation_(Scene::parse(scene_text(layout))), first_(layout.planes.empty() ? 0 : 1) {}
  std::string name() const override { return "Vinci"; }
  void step() override { report_ = simulation_.step(); }
  void poses(std::vector<Pose>& poses) const override {
    const auto& all = simulation_.state().poses;
    poses.assign(all.begin() + first_, all.end());
  }
  int contacts() const override { return static_cast<int>(simulation_.contacts().size()); }
  double residual() const override { return report_.solve.residual.relative; }
  const Model& model() const { return simulation_.model(); }
  int first() const { return first_; }

 private:
  Simulation simulation_;
  int first_;
  StepReport report_;
};

// The deepest overlap at these poses, by our detector.
double deepest_overlap(const VinciMeshes& ours, const std::vector<Pose>& poses) {
  ExactDetector detector;
  ContactSet contacts;
  std::vector<Pose> all(static_cast<std::size_t>(ours.first()));
  all.insert(all.end(), poses.begin(), poses.end());
  const std::vector<double> reach(all.size(), 0.0);
  detector.detect(ours.model(), all, reach, contacts);
  double deepest = 0.0;
  for (const Contact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

struct Measured {
  std::vector<double> times;
  double overlap = 0.0, residual = -1.0;
};

void race(const MeshLayout& layout, int steps, double budget) {
  const auto ours = std::make_unique<VinciMeshes>(layout);
  std::vector<std::unique_ptr<MeshEngine>> peers;
#ifdef VINCI_WITH_BULLET
  peers.push_back(make_mesh_bullet(layout));
#endif
#ifdef VINCI_WITH_MUJOCO
  peers.push_back(make_mesh_mujoco(layout));
#endif
  std::vector<MeshEngine*> engines{ours.get()};
  for (const auto& peer : peers) engines.push_back(peer.get());
  std::vector<Measured> measured(engines.size());
  std::vector<Pose> poses;
  double spent = 0.0;
  int done = 0;
  for (; done < steps && spent < budget; ++done)
    for (std::size_t i = 0; i < engines.size(); ++i) {
      const auto start = Clock::now();
      engines[i]->step();
      const double time = seconds_since(start);
      if (i == 0) spent += time;
      measured[i].times.push_back(time);
      measured[i].residual = std::max(measured[i].residual, engines[i]->residual());
      if (done % 10 == 9 || done + 1 == steps) {
        engines[i]->poses(poses);
        measured[i].overlap = std::max(measured[i].overlap, deepest_overlap(*ours, poses));
      }
    }
  const auto mean = [](const std::vector<double>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  };
  for (std::size_t i = 0; i < engines.size(); ++i) {
    auto& times = measured[i].times;
    std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2),
                     times.end());
    const double median = times[times.size() / 2], each = mean(times);
    engines[i]->poses(poses);
    double sum = 0.0;
    int moving = 0;
    for (std::size_t k = 0; k < poses.size(); ++k)
      if (!layout.parts[k].fixed) {
        sum += poses[k].position.z();
        ++moving;
      }
    fmt::print(
        "{:<20} {:<15} {:>8} {:>5}{} {:>10.1f} {:>10.1f} {:>9} {:>11.1e} m {:>8.4f} m {:>9}\n",
        layout.name, engines[i]->name(), engines[i]->contacts(), done, done < steps ? "*" : " ",
        1e6 * each, 1e6 * median,
        i == 0 ? "" : fmt::format("{:.2f}", mean(measured[0].times) / each), measured[i].overlap,
        sum / moving,
        measured[i].residual < 0.0 ? "" : fmt::format("{:.1e}", measured[i].residual));
  }
}

// A mesh of many triangles is loaded and touched.
void large(int around, int across) {
  TriangleSoup soup;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double a = 2.0 * M_PI * i / around, b = 2.0 * M_PI * j / across;
      const double r = 1.0 + 0.4 * std::cos(b);
      soup.points.emplace_back(r * std::cos(a), r * std::sin(a), 0.4 * std::sin(b));
    }
  const auto at = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      soup.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      soup.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  const auto start = Clock::now();
  const Mesh mesh = make_mesh(soup);
  const double made = seconds_since(start);
  SpatialWorkspace workspace;
  std::vector<ContactPoint> points;
  const Shape torus = mesh, ball = Sphere{0.2};
  const auto time = [&](const Shape& other, const Pose& pose) {
    std::vector<double> times;
    for (int i = 0; i < 51; ++i) {
      points.clear();
      const auto begin = Clock::now();
      collide_spatial({&torus, Pose(), &other, pose}, 1e-4, workspace, points);
      times.push_back(seconds_since(begin));
    }
    std::nth_element(times.begin(), times.begin() + 25, times.end());
    return 1e6 * times[25];
  };
  const double with_ball = time(ball, {Vector3(1.0, 0.0, 0.60005), Quaternion::Identity()});
  const double with_equal = time(torus, {Vector3(2.80005, 0.0, 0.0), Quaternion::Identity()});
  fmt::print(
      "{} triangles: made in {:.2f} s; with a ball {:.1f} us, with its equal {:.1f} us ({} "
      "contacts)\n",
      soup.triangles.size(), made, with_ball, with_equal, points.size());
}

int run(int argc, char** argv) {
  CLI::App app{"Meshes beside Bullet and MuJoCo"};
  bool quick = false;
  double budget = 20.0;
  int count = 500;
  app.add_flag("--quick", quick, "A tenth of the steps, smaller bins");
  app.add_option("--budget", budget, "Seconds of our own stepping per scene");
  app.add_option("--parts", count, "Parts in the large bin");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:<20} {:<15} {:>8} {:>6} {:>10} {:>10} {:>9} {:>13} {:>10} {:>9}\n", "scene",
             "engine", "contacts", "steps", "us/step", "median", "ours/peer", "overlap", "mean z",
             "residual");
  race(nut_on_bolt(), quick ? 50 : 300, budget);
  race(bin(20), quick ? 50 : 500, budget);
  if (!quick) race(bin(count), 400, budget);
  large(500, 100);
  return 0;
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  try {
    return vinci::run(argc, argv);
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
