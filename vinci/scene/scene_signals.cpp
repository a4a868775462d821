// SPDX-License-Identifier: Apache-2.0
// From the section `signals` to what the builder of networks takes.
#include "vinci/scene/scene_signals.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "vinci/control/task_pd.h"

namespace vinci {
namespace {

using SignalKind = SignalSpec::Kind;

struct BlockKey {
  const char* name;
  enum class Sample { none, optional, needed } sample;
  bool takes_input;
};

// Those that are blocks; others have inputs of their own.
constexpr BlockKey block_keys[] = {
    {"expression", BlockKey::Sample::none, false},
    {"sum", BlockKey::Sample::none, false},
    {"product", BlockKey::Sample::none, false},
    {"reference", BlockKey::Sample::none, false},
    {"trajectory", BlockKey::Sample::none, false},
    {"input", BlockKey::Sample::none, false},
    {"gain", BlockKey::Sample::none, true},
    {"transfer-function", BlockKey::Sample::optional, true},
    {"state-space", BlockKey::Sample::optional, true},
    {"pid", BlockKey::Sample::optional, true},
    {"lead", BlockKey::Sample::none, true},
    {"lag", BlockKey::Sample::none, true},
    {"saturation", BlockKey::Sample::none, true},
    {"rate-limit", BlockKey::Sample::needed, true},
    {"hold", BlockKey::Sample::needed, false},
    {"delay", BlockKey::Sample::needed, true},
    {"observer", BlockKey::Sample::optional, true},
    {"digital-pd", BlockKey::Sample::needed, false},
    {"task-pd", BlockKey::Sample::needed, false},
};

template <class Block>
std::shared_ptr<const SignalBlock> shared(Block block) {
  return std::make_shared<Block>(std::move(block));
}

class SignalReader {
 public:
  SignalReader(const Node& section, const std::map<std::string, SceneTrajectory>& trajectories,
               const std::set<int>& driven, const Numbers& numbers, const ShapeReader& read,
               const Model& model)
      : section_(section),
        trajectories_(trajectories),
        driven_(driven),
        numbers_(numbers),
        read_(read),
        model_(model),
        builder_(model, numbers.values()) {
    for (const Node& node : section.children)
      if (const Node* drives = node.find("drives")) {
        note_drive(drives->text);
        for (const Node& child : drives->children) note_drive(child.text);
      }
  }

  std::shared_ptr<const SignalNetwork> read(Mistakes& mistakes) {
    bool fine = true;
    for (const Node& node : section_.children) {
      try {
        builder_.add(signal(node));
      } catch (const Impossible& mistake) {
        mistakes.add(*mistake.where, mistake.message);
        fine = false;
      } catch (const Error& error) {
        mistakes.add(node, error.what());
        fine = false;
      }
    }
    if (!fine) return nullptr;
    std::vector<SignalMistake> found;
    auto network = builder_.build(found);
    for (const SignalMistake& mistake : found)
      mistakes.add(*places_[static_cast<std::size_t>(mistake.place)], mistake.message);
    return network;
  }

 private:
  void note_drive(const std::string& name) {
    if (const auto force = find_force(model_, name);
        force && force->kind == ForceInput::Kind::joint)
      driven_.insert(model_.joints[static_cast<std::size_t>(force->index)].first_rate +
                     force->coordinate);
  }

  // --- texts ---

  int place(const Node& node) {
    places_.push_back(&node);
    return static_cast<int>(places_.size()) - 1;
  }
  SignalPort port(const Node& node, int size = 0) {
    SignalPort result;
    result.size = size;
    if (node.is_scalar()) result.entries.push_back({node.text, place(node)});
    for (const Node& child : node.children) result.entries.push_back({child.text, place(child)});
    return result;
  }

  // --- numbers ---

  double number(const Node& parent, const char* key, double otherwise) const {
    const Node* node = parent.find(key);
    return node ? numbers_(*node) : otherwise;
  }
  VectorX list(const Node& node) const {
    if (node.is_scalar()) return VectorX::Constant(1, numbers_(node));
    VectorX result(static_cast<Eigen::Index>(node.children.size()));
    for (Eigen::Index i = 0; i < result.size(); ++i)
      result[i] = numbers_(node.children[static_cast<std::size_t>(i)]);
    return result;
  }
  // A list of numbers is a row or a column.
  MatrixX matrix(const Node& node, bool column) const {
    const bool rows = node.is_list() && !node.children[0].is_scalar();
    if (!rows) {
      for (std::size_t i = 0; node.is_list() && i < node.children.size(); ++i)
        if (!node.children[i].is_scalar())
          throw Impossible{&node.children[i], "a row among numbers; accepted: either of both"};
      const VectorX numbers = list(node);
      return column ? MatrixX(numbers) : MatrixX(numbers.transpose());
    }
    MatrixX result(static_cast<Eigen::Index>(node.children.size()),
                   static_cast<Eigen::Index>(node.children[0].children.size()));
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
      const Node& row = node.children[static_cast<std::size_t>(i)];
      const VectorX numbers = list(row);
      if (numbers.size() != result.cols())
        throw Impossible{&row, fmt::format("{} numbers; accepted: rows of {}, as the first one",
                                           numbers.size(), result.cols())};
      result.row(i) = numbers.transpose();
    }
    return result;
  }
  // {lower, upper}, or one number for both sides.
  std::pair<double, double> bounds(const Node& node, const char* low, const char* high,
                                   bool mirrored) const {
    if (!node.is_scalar())
      return {number(node, low, mirrored ? -infinity : infinity), number(node, high, infinity)};
    const double one = numbers_(node);
    return {mirrored ? -one : one, one};
  }

  // --- signals ---

  SignalSpec signal(const Node& node) {
    SignalSpec spec;
    spec.name = node.key;
    spec.place = place(node);
    if (!node.is_map()) {
      spec.ports = {port(node)};
      return spec;
    }
    const BlockKey& key =
        *std::find_if(std::begin(block_keys), std::end(block_keys),
                      [&](const BlockKey& candidate) { return node.has(candidate.name); });
    check_keys(node, key);
    const Node& own = *node.find(key.name);
    const double sample = number(node, "sample", 0.0);
    fill(spec, node, own, key.name, sample);
    if (const Node* drives = node.find("drives")) {
      if (drives->is_scalar()) spec.drives.push_back({drives->text, place(*drives)});
      for (const Node& child : drives->children) spec.drives.push_back({child.text, place(child)});
    }
    return spec;
  }

  static void check_keys(const Node& node, const BlockKey& key) {
    const auto missing = [&](const char* what, const char* accepted) {
      throw Impossible{&node, fmt::format("'{}' is missing; accepted: {}", what, accepted)};
    };
    const auto refused = [&](const char* what) {
      throw Impossible{node.find(what),
                       fmt::format("a signal of the kind {} has no '{}'", key.name, what)};
    };
    if (key.takes_input && !node.has("in")) missing("in", "an expression of signals, or a list");
    if (!key.takes_input && node.has("in")) refused("in");
    if (key.sample == BlockKey::Sample::needed && !node.has("sample"))
      missing("sample", "a positive time in s");
    if (key.sample == BlockKey::Sample::none && node.has("sample")) refused("sample");
  }

  void fill(SignalSpec& spec, const Node& node, const Node& own, const std::string& kind,
            double sample) {
    const auto block = [&](auto make) {
      spec.kind = SignalKind::block;
      spec.make = std::move(make);
    };
    const auto linear = [&](LinearBlock made) {
      spec.outputs = made.outputs();
      spec.ports = {port(*node.find("in"), made.inputs())};
      block([made = std::move(made)](int) { return shared(made); });
    };
    if (kind == "expression") {
      spec.ports = {port(own)};
    } else if (kind == "sum" || kind == "product") {
      spec.kind = kind == "sum" ? SignalKind::sum : SignalKind::product;
      for (const Node& term : own.children) spec.ports.push_back(port(term));
    } else if (kind == "input") {
      spec.kind = SignalKind::input;
      const VectorX values = list(own);
      spec.values.assign(values.begin(), values.end());
    } else if (kind == "trajectory") {
      const auto found = trajectories_.find(own.text);
      if (found == trajectories_.end()) throw Impossible{&own, "this trajectory has a mistake"};
      follow(spec, found->second.sequence);
    } else if (kind == "reference") {
      follow(spec, reference(own));
    } else if (kind == "gain") {
      spec.ports = {port(*node.find("in"))};
      if (own.is_scalar())
        block([k = numbers_(own)](int size) {
          return shared(gain_block(k * MatrixX::Identity(size, size)));
        });
      else
        linear(gain_block(matrix(own, false)));
    } else if (kind == "transfer-function") {
      linear(transfer_block(list(*own.find("numerator")), list(*own.find("denominator")), sample));
    } else if (kind == "state-space") {
      linear(LinearBlock(system(own, sample)));
    } else if (kind == "observer") {
      fill_observer(spec, node, own, sample);
    } else if (kind == "lead" || kind == "lag") {
      linear(lead_or_lag(own, kind == "lead"));
    } else if (kind == "pid") {
      fill_pid(spec, node, own, sample);
    } else if (kind == "saturation") {
      const auto [lower, upper] = bounds(own, "lower", "upper", true);
      spec.ports = {port(*node.find("in"))};
      block([lower = lower, upper = upper](int size) {
        return shared(
            SaturationBlock(VectorX::Constant(size, lower), VectorX::Constant(size, upper)));
      });
    } else if (kind == "rate-limit") {
      const auto [falling, rising] = bounds(own, "falling", "rising", false);
      spec.ports = {port(*node.find("in"))};
      block([falling = falling, rising = rising, sample](int size) {
        return shared(RateLimitBlock(VectorX::Constant(size, rising),
                                     VectorX::Constant(size, falling), sample));
      });
    } else if (kind == "hold") {
      spec.ports = {port(own)};
      block([sample](int size) {
        return shared(LinearBlock(constant_system(MatrixX::Identity(size, size), sample)));
      });
    } else if (kind == "delay") {
      const int samples = delay_samples(own, sample);
      spec.ports = {port(*node.find("in"))};
      block([samples, sample](int size) { return shared(DelayBlock(size, samples, sample)); });
    } else if (kind == "task-pd") {
      fill_task_pd(spec, node, own, sample);
    } else {
      fill_digital_pd(spec, own, sample);
    }
  }

  void follow(SignalSpec& spec, std::shared_ptr<const Trajectory> trajectory) {
    spec.kind = SignalKind::trajectory;
    spec.further = {{".rate", trajectory->size()}, {".acceleration", trajectory->size()}};
    spec.trajectory = std::move(trajectory);
    moving_.push_back(spec.name);
  }

  LinearSystem system(const Node& own, double sample) const {
    LinearSystem result;
    result.sample = sample;
    result.a = matrix(*own.find("a"), false);
    result.b = matrix(*own.find("b"), true);
    result.c = matrix(*own.find("c"), false);
    result.d = own.has("d") ? matrix(*own.find("d"), result.c.rows() > 1)
                            : MatrixX::Zero(result.c.rows(), result.b.cols());
    try {
      check_system(result);
    } catch (const Error& error) {
      throw Impossible{&own, error.message()};
    }
    return result;
  }

  LinearBlock lead_or_lag(const Node& own, bool is_lead) const {
    const double zero = number(own, "zero", 0.0), pole = number(own, "pole", 0.0);
    if ((pole < zero) != is_lead)
      throw Impossible{own.find("pole"),
                       fmt::format("{:.6g} and the zero {:.6g} make a {}; accepted: a pole {} of "
                                   "the zero, or `{}`",
                                   pole, zero, is_lead ? "lag" : "lead", is_lead ? "left" : "right",
                                   is_lead ? "lag" : "lead")};
    return lead_block(number(own, "gain", 1.0), zero, pole);
  }

  // Without a sample time K_p e + K_i ∫ e dt + K_d (e − x)/τ with τ x' = e − x.
  void fill_pid(SignalSpec& spec, const Node& node, const Node& own, double sample) {
    PidNumbers given;
    given.proportional = number(own, "proportional", 0.0);
    given.integral = number(own, "integral", 0.0);
    given.derivative = number(own, "derivative", 0.0);
    given.filter = number(own, "filter", 0.0);
    if (given.derivative != 0.0 && !own.has("filter"))
      throw Impossible{&own,
                       "'filter' is missing beside a derivative; accepted: a positive time "
                       "in s"};
    if (const Node* limits = own.find("limits")) {
      if (sample == 0.0)
        throw Impossible{limits,
                         "limits of a PID that is not sampled; accepted: 'sample' beside "
                         "it, or a saturation behind it"};
      const VectorX numbers = list(*limits);
      given.lower = numbers.size() == 1 ? -numbers[0] : numbers[0];
      given.upper = numbers.size() == 1 ? numbers[0] : numbers[1];
    }
    spec.kind = SignalKind::block;
    spec.outputs = 1;
    spec.ports = {port(*node.find("in"), 1)};
    if (sample > 0.0) {
      const PidBlock block(given, sample);
      spec.make = [block](int) { return shared(block); };
      return;
    }
    const double fast = given.derivative != 0.0 ? 1.0 / given.filter : 0.0;
    LinearSystem pid;
    pid.a = Vector2(0.0, -fast).asDiagonal();
    pid.b = Vector2(given.integral, fast);
    pid.c = Vector2(1.0, -given.derivative * fast).transpose();
    pid.d = MatrixX::Constant(1, 1, given.proportional + given.derivative * fast);
    const LinearBlock block(pid);
    spec.make = [block](int) { return shared(block); };
  }

  void fill_observer(SignalSpec& spec, const Node& node, const Node& own, double sample) {
    const LinearSystem plant = system(own, sample);
    const MatrixX feedback = matrix(*own.find("feedback"), false);
    const MatrixX gain = matrix(*own.find("gain"), true);
    const Node* reference = own.find("reference");
    const int inputs = plant.input_count();
    MatrixX follow = MatrixX::Zero(inputs, 0);
    if (const Node* given = own.find("reference-gain")) {
      if (!reference)
        throw Impossible{given,
                         "a gain of a reference that is not given; accepted: 'reference' "
                         "beside it"};
      follow = matrix(*given, inputs > 1);
    } else if (reference) {
      follow = MatrixX::Identity(inputs, inputs);
    }
    const LinearBlock block = observer_block(plant, feedback, gain, follow);
    spec.kind = SignalKind::block;
    spec.outputs = block.outputs();
    if (reference) spec.ports.push_back(port(*reference, static_cast<int>(follow.cols())));
    spec.ports.push_back(port(*node.find("in"), plant.output_count()));
    spec.make = [block](int) { return shared(block); };
  }

  // r, r', r'' and f, as PDs have them first.
  void add_reference(SignalSpec& spec, const Node& own, int size) {
    const Node& reference = *own.find("reference");
    const bool moves = reference.is_scalar() &&
                       std::find(moving_.begin(), moving_.end(), reference.text) != moving_.end();
    spec.ports.push_back(port(reference, size));
    for (const char* key : {"rate", "acceleration"})
      if (const Node* given = own.find(key))
        spec.ports.push_back(gain_port(*given, size));
      else if (moves)
        spec.ports.push_back({{{reference.text + "." + key, place(reference)}}, size});
      else
        spec.ports.push_back(zeros(own, size));
    const Node* force = own.find("force");
    spec.ports.push_back(force ? gain_port(*force, size) : zeros(own, size));
  }
  SignalPort zeros(const Node& where, int size) {
    SignalPort result;
    result.size = size;
    result.entries.assign(static_cast<std::size_t>(std::max(size, 1)), {"0", place(where)});
    return result;
  }
  // One number is for all entries.
  SignalPort gain_port(const Node& node, int size) {
    SignalPort result = port(node, size);
    result.spreads = true;
    return result;
  }

  // The lists of DigitalPdBlock, in their order.
  void fill_digital_pd(SignalSpec& spec, const Node& own, double sample) {
    spec.kind = SignalKind::block;
    add_reference(spec, own, 0);
    for (const char* key : {"measured", "proportional", "derivative"})
      spec.ports.push_back(port(*own.find(key)));
    spec.make = [filter = numbers_(*own.find("filter")), sample](int size) {
      return shared(DigitalPdBlock(size, filter, sample));
    };
  }

  void fill_task_pd(SignalSpec& spec, const Node& node, const Node& own, double sample) {
    if (const Node* drives = node.find("drives"))
      throw Impossible{drives,
                       "a task PD drives the joints that lead its tip; accepted: no "
                       "'drives'"};
    const JointChooser joints(numbers_, model_);
    const JointChoice choice = joints.choice(own);
    TaskPdSetup setup;
    setup.tip = read_tip(*own.find("tip"), model_, read_);
    const Node* axes = own.find("axes");
    for (std::size_t i = 0; axes && i < axes->children.size(); ++i) {
      const int axis = axes->children[i].text[0] - 'x';
      if (std::find(setup.axes.begin(), setup.axes.end(), axis) != setup.axes.end())
        throw Impossible{&axes->children[i], "this axis has been named already"};
      if (model_.world == World::planar && axis == 2)
        throw Impossible{&axes->children[i], "not for a planar world; accepted: x and y"};
      setup.axes.push_back(axis);
    }
    for (int axis = 0; !axes && axis < (model_.world == World::planar ? 2 : 3); ++axis)
      setup.axes.push_back(axis);
    setup.rates = choice.rates;
    const auto count = static_cast<Eigen::Index>(choice.rates.size());
    setup.limits.resize(count);
    for (Eigen::Index i = 0; i < count; ++i)
      setup.limits[i] = joints.freedom(choice.rates[static_cast<std::size_t>(i)]).largest_effort;
    if (const Node* limits = own.find("limits"))
      setup.limits = joints.values(*limits, choice, setup.limits);
    for (const int rate : driven_)
      if (std::find(setup.rates.begin(), setup.rates.end(), rate) == setup.rates.end())
        setup.others.push_back(rate);
    setup.filter = numbers_(*own.find("filter"));
    setup.sample_time = sample;

    const auto length = static_cast<int>(setup.axes.size());
    spec.kind = SignalKind::block;
    spec.outputs = static_cast<int>(count);
    spec.further = {{".position", length}, {".command", length}};
    add_reference(spec, own, length);
    for (const char* key : {"proportional", "derivative"})
      spec.ports.push_back(gain_port(*own.find(key), length));
    SignalPort coordinates;
    coordinates.size = static_cast<int>(count);
    for (const int rate : choice.rates) {
      const Joint& joint = joints.joint_of(rate);
      const auto index = static_cast<int>(&joint - model_.joints.data());
      const int freedom = rate - joint.first_rate;
      coordinates.entries.push_back(
          {signal_name(model_, {CoordinateRead::Kind::joint, index, freedom, false}), place(own)});
      spec.drives.push_back(
          {signal_name(model_, ForceInput{ForceInput::Kind::joint, index, freedom}), place(own)});
    }
    spec.ports.push_back(std::move(coordinates));
    auto made = std::make_shared<const TaskPdBlock>(model_, std::move(setup));
    spec.make = [made](int) { return made; };
  }

  int delay_samples(const Node& own, double sample) const {
    const double samples = numbers_(own) / sample, whole = std::round(samples);
    if (std::abs(samples - whole) > 1e-9 * std::max(1.0, samples))
      throw Impossible{&own, fmt::format("{:.6g} s are {:.6g} samples of {:.6g} s; accepted: a "
                                         "whole number of them",
                                         numbers_(own), samples, sample)};
    if (whole > static_cast<double>(max_delay_samples))
      throw Impossible{
          &own, fmt::format("{:.6g} samples; accepted: at most {}", whole, max_delay_samples)};
    return static_cast<int>(whole);
  }

  // --- references ---

  struct Limits {
    VectorX velocity, acceleration, jerk;  // per entry; infinite: none
  };

  VectorX entries(const Node& node, Eigen::Index count) const {
    const VectorX given = list(node);
    if (given.size() == count) return given;
    if (given.size() == 1) return VectorX::Constant(count, given[0]);
    throw Impossible{&node, fmt::format("{} numbers; accepted: {}, as 'from' has, or one for all",
                                        given.size(), count)};
  }

  void read_limits(const Node& node, Limits& limits) const {
    const Node* given = node.find("limits");
    if (!given) return;
    for (const auto& [key, numbers] : {std::pair{"velocity", &limits.velocity},
                                       {"acceleration", &limits.acceleration},
                                       {"jerk", &limits.jerk}})
      if (const Node* own = given->find(key)) *numbers = entries(*own, numbers->size());
  }

  static std::vector<MotionLimits> motion_limits(const Node& piece, const Limits& limits) {
    std::vector<MotionLimits> result;
    for (Eigen::Index i = 0; i < limits.velocity.size(); ++i) {
      MotionLimits own{limits.velocity[i], limits.acceleration[i], limits.jerk[i]};
      if (!std::isfinite(own.velocity))
        throw Impossible{&piece,
                         "no limit of velocity; accepted: 'limits: {velocity: ...}' here "
                         "or beside the path"};
      if (!std::isfinite(own.acceleration)) own.acceleration = own.velocity;
      if (!std::isfinite(own.jerk)) own.jerk = 10.0 * own.acceleration;
      result.push_back(own);
    }
    return result;
  }

  std::shared_ptr<const Trajectory> reference(const Node& own) const {
    Eigen::Index count = 1;
    for (const Node& piece : own.find("path")->children) {
      if (const Node* move = piece.find("move")) count = std::max(count, list(*move).size());
      if (const Node* spline = piece.find("spline"))
        for (const Node& point : spline->find("points")->children)
          count = std::max(count, list(point).size());
    }
    const Node* from = own.find("from");
    if (from) count = std::max(count, list(*from).size());
    const VectorX begin = from ? entries(*from, count) : VectorX::Zero(count);
    auto sequence = std::make_shared<Sequence>(number(own, "start", 0.0), begin);
    const VectorX none = VectorX::Constant(count, infinity);
    Limits outer{none, none, none};
    read_limits(own, outer);
    for (const Node& piece : own.find("path")->children) {
      Limits limits = outer;
      read_limits(piece, limits);
      try {
        if (const Node* wait = piece.find("wait")) sequence->wait(numbers_(*wait));
        if (const Node* move = piece.find("move")) {
          MatrixX points(2, count);
          points.row(0) = sequence->last().transpose();
          points.row(1) = entries(*move, count).transpose();
          sequence->add(std::make_shared<StraightMoves>(points, motion_limits(piece, limits)));
        }
        if (const Node* node = piece.find("spline"))
          sequence->add(spline(*node, piece, limits, sequence->last()));
      } catch (const Error& error) {
        throw Impossible{&piece, error.message()};
      }
      if (!std::isfinite(sequence->duration()))
        throw Impossible{&piece, "it never ends; accepted: times and limits that make it end"};
    }
    return sequence;
  }

  std::shared_ptr<const Trajectory> spline(const Node& node, const Node& piece,
                                           const Limits& limits, const VectorX& start) const {
    const Node &points = *node.find("points"), *times = node.find("times");
    const auto count = static_cast<Eigen::Index>(points.children.size());
    MatrixX rows(count + 1, start.size());
    rows.row(0) = start.transpose();
    for (Eigen::Index i = 0; i < count; ++i)
      rows.row(i + 1) =
          entries(points.children[static_cast<std::size_t>(i)], start.size()).transpose();
    if (times && times->children.size() != points.children.size())
      throw Impossible{times, fmt::format("{} times for {} points; accepted: one per point",
                                          times->children.size(), points.children.size())};
    std::vector<double> when{0.0};
    for (Eigen::Index i = 0; i < count; ++i) {
      const double way = (rows.row(i + 1) - rows.row(i)).norm();
      const auto at = static_cast<std::size_t>(i);
      if (!times && !(way > 0.0))
        throw Impossible{&points.children[at],
                         "the point before is the same; accepted: points apart, or `times`"};
      when.push_back(times ? numbers_(times->children[at]) : when.back() + way);
      if (!(when.back() > when[at]))
        throw Impossible{&times->children[at],
                         "not later than the one before; accepted: times that grow"};
    }
    const Node* kind = node.find("kind");
    auto result = std::make_shared<Spline>(
        kind && kind->text == "quintic" ? SplineKind::quintic : SplineKind::cubic, when, rows);
    if (!times) {
      result->fit(motion_limits(piece, limits));
      return result;
    }
    for (int i = 0; i < static_cast<int>(start.size()); ++i) {
      const MotionLimits most = result->peaks(i);
      const double share =
          std::max({most.velocity / limits.velocity[i], most.acceleration / limits.acceleration[i],
                    most.jerk / limits.jerk[i]});
      if (share > 1.0 + 1e-9)
        throw Impossible{
            times, fmt::format("entry {} needs a velocity of {:.6g}, an acceleration of {:.6g} and "
                               "a jerk of {:.6g}; accepted: at most {:.6g}, {:.6g} and {:.6g}, by "
                               "later times or higher limits",
                               i, most.velocity, most.acceleration, most.jerk, limits.velocity[i],
                               limits.acceleration[i], limits.jerk[i])};
    }
    return result;
  }

  const Node& section_;
  const std::map<std::string, SceneTrajectory>& trajectories_;
  std::set<int> driven_;  // joint rates, by a controller or by a signal
  const Numbers& numbers_;
  const ShapeReader& read_;
  const Model& model_;
  SignalBuilder builder_;
  std::vector<const Node*> places_;
  std::vector<std::string> moving_;  // signals that have a rate and an acceleration
};

}  // namespace

std::shared_ptr<const SignalNetwork> read_signals(
    const Node& section, const std::map<std::string, SceneTrajectory>& trajectories,
    const std::set<int>& driven, const Numbers& numbers, const ShapeReader& read,
    const Model& model, Mistakes& mistakes) {
  return SignalReader(section, trajectories, driven, numbers, read, model).read(mistakes);
}

}  // namespace vinci
