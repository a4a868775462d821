// SPDX-License-Identifier: Apache-2.0
// From the certificate of a problem to motions of bodies and forces at contacts.
#include "vinci/simulation/certify.h"

#include <algorithm>
#include <cmath>

#include "vinci/formulation/contact_rows.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/formulation/supports.h"
#include "vinci/formulation/tree_motion.h"
#include "vinci/kinematics/joint_efforts.h"
#include "vinci/model/friction_law.h"

namespace vinci {
namespace {

bool is_quasi_static(const std::string& motion) {
  return motion == "quasi-static" || motion == "dqc" || motion == "dlc";
}

// Reads unknowns and rows of a step's problem as what the scene calls them.
class StepReader {
 public:
  // `start` is the state before the step that the simulation has just made.
  StepReader(const Simulation& simulation, State start)
      : simulation_(simulation),
        model_(simulation.model()),
        start_(std::move(start)),
        form_(cone_form(simulation.options())),
        force_time_(is_impulsive() ? simulation.step_size() : 1.0) {
    if (!model_.tree_order.empty()) tree_.place(model_, start_.poses, start_.joint_positions);
    find_rows();
  }

  std::vector<CertifiedContact> contacts(const VectorX& proof) const {
    std::vector<CertifiedContact> list;
    const auto& solved = simulation_.contacts();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Contact& contact = solved[i].contact;
      list.push_back({contact.body_a, contact.body_b, 0.5 * (contact.point_a + contact.point_b),
                      contact.normal, 0.0});
      if (proof.size() > 0 && rows_[i].count > 0 && !rows_[i].support)
        list.back().share = proof[rows_[i].first];
    }
    double sum = 0.0;
    for (const CertifiedContact& contact : list) sum += std::abs(contact.share);
    for (CertifiedContact& contact : list)
      if (sum > 0.0) contact.share /= sum;
    return list;
  }

  std::vector<Twist> twists(const VectorX& u, const VectorX& prescribed) const {
    VectorX velocities = prescribed;
    for (int i = 0; i < model_.velocity_count; ++i)
      if (model_.free_index[i] >= 0) velocities[i] = u[model_.free_index[i]];
    VectorX rates = VectorX::Zero(model_.joint_rate_count);
    if (tree() != nullptr) tree_.spread_unknowns(u, velocities, rates);
    std::vector<Twist> list;
    for (int b = 0; b < static_cast<int>(model_.bodies.size()); ++b)
      list.push_back(body_twist(model_, velocities, b));
    return list;
  }

  StepSolution read(const Solution& solution) const {
    StepSolution read;
    read.bodies = twists(solution.u, simulation_.state().velocities);
    const auto& solved = simulation_.contacts();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Rows& rows = rows_[i];
      Vector3 force(0.0, 0.0, 0.0);
      if (rows.count > 0) {
        const VectorX own = solution.lambda.segment(rows.first, rows.count) / force_time_;
        force = rows.support ? support_impulse(form_, own)
                : rows.moments.any()
                    ? moment_wrench(model_.world, form_, rows.moments, rows.scale, own).impulse
                    : contact_impulse(model_.world, form_, own, rows.scale);
      }
      if (rows.support) force[0] = solved[i].impulse[0] / simulation_.step_size();
      read.forces.push_back(force[0] * solved[i].contact.normal + force[1] * solved[i].tangent_1 +
                            force[2] * solved[i].tangent_2);
    }
    return read;
  }

  FreeMotion free_motion(const VectorX& direction, bool both_ways) const {
    FreeMotion motion{twists(direction, VectorX::Zero(model_.velocity_count)), both_ways};
    double fastest = 0.0;
    for (std::size_t b = 0; b < motion.bodies.size(); ++b)
      fastest =
          std::max(fastest, motion.bodies[b].linear.norm() +
                                reach_of(static_cast<int>(b)) * motion.bodies[b].angular.norm());
    if (!(fastest > 0.0)) return motion;
    for (Twist& twist : motion.bodies) {
      twist.linear /= fastest;
      twist.angular /= fastest;
    }
    return motion;
  }

  std::vector<BodyWrench> wrenches(const VectorX& forces) const {
    std::vector<BodyWrench> list;
    for (int b = 0; b < static_cast<int>(model_.bodies.size()); ++b) {
      const Twist load = unknown_load(model_, tree(), b, forces);
      if (!load.linear.isZero(0.0) || !load.angular.isZero(0.0))
        list.push_back({b, load.linear, load.angular});
    }
    return list;
  }

  SparseRows inertia() const {
    if (is_impulsive() || simulation_.options().text("motion") == "first-order")
      return simulation_.problem().M;
    SparseRows inertia;
    if (tree() != nullptr)
      JointedMotion().inertia(tree_, inertia);
    else
      inertia_matrix(model_, start_.poses, inertia);
    return inertia;
  }

 private:
  struct Rows {
    int first = 0, count = 0;
    Vector2 scale = Vector2::Ones();
    bool support = false;
    MomentLayout moments = {};
  };

  const Tree* tree() const { return model_.tree_order.empty() ? nullptr : &tree_; }
  bool is_impulsive() const { return simulation_.options().text("motion") == "dynamic"; }
  // Half planes have no size.
  double reach_of(int b) const {
    const double radius = model_.bodies[b].bounding_radius;
    return std::isfinite(radius) ? radius : 1.0;
  }

  // Contacts stand in their order, then the supports that friction can act on, then elements, then
  // joints. Left empty where a plugin has rows of its own.
  void find_rows() {
    const auto& solved = simulation_.contacts();
    std::vector<SupportPoint> acting;
    find_supports({model_, start_.poses, form_, tree()}, start_.poses, simulation_.step_size(), 1.0,
                  acting);
    auto next = acting.begin();
    int first = 0;
    for (const SolvedContact& contact : solved) {
      Rows rows{.first = first, .support = contact.contact.key.kind == EntityKind::support};
      if (!rows.support) {
        const double largest = std::max(contact.friction, contact.friction_2);
        if (contact.friction != contact.friction_2)
          rows.scale = Vector2(contact.friction, contact.friction_2) / largest;
        const EntityKey& key = contact.contact.key;
        rows.moments = moment_layout(model_.world, form_, largest, rows.scale,
                                     model_.surface_between(key.shape_a(), key.shape_b()).moments);
        rows.count = rows.moments.any()
                         ? rows.moments.count(form_)
                         : contact_row_count(model_.world, form_, largest, rows.scale);
      } else if (next != acting.end() &&
                 contact.contact.key == support_key(next->body, next->index)) {
        rows.count = support_row_count(form_);
        ++next;
      }
      first += rows.count;
      rows_.push_back(rows);
    }
    const int all = simulation_.problem().rows();
    if (first > all || (first < all && model_.elements.empty() && model_.joints.empty()))
      rows_.clear();
  }

  const Simulation& simulation_;
  const Model& model_;
  State start_;
  Tree tree_;  // at the start, where bodies hang on joints
  ConeForm form_;
  double force_time_;
  std::vector<Rows> rows_;
};

// Whether a contact that bears load has a coefficient of friction that depends on its speed.
bool has_sliding_law(const Simulation& simulation) {
  const Model& model = simulation.model();
  for (const SolvedContact& solved : simulation.contacts()) {
    const EntityKey& key = solved.contact.key;
    if (key.kind != EntityKind::contact || !(solved.impulse[0] > 0.0)) continue;
    const auto& law = model.surface_between(key.shape_a(), key.shape_b()).law;
    if (law && law->depends_on_speed()) return true;
  }
  return false;
}

}  // namespace

StepCertificate certify_step(Simulation& simulation) {
  const State start = simulation.state();
  const StepReport report = simulation.step();
  StepCertificate certificate;
  certificate.step = start.step + 1;
  certificate.time = start.time;
  certificate.step_size = simulation.step_size();
  certificate.parts = report.substeps;
  certificate.fell_back = report.fell_back;
  certificate.motion = simulation.options().text("motion");
  certificate.cone = simulation.options().text("cone");
  const ComplementarityProblem& problem = simulation.problem();
  ProblemCertificate& verdict = certificate.verdict;
  if (report.diverged_body >= 0 || problem.unknowns() != simulation.model().free_count) {
    verdict.existence_reason = verdict.motion_reason = verdict.loads_reason =
        report.diverged_body >= 0 ? "numbers are not finite" : "the stepper leaves no problem";
    return certificate;
  }
  const StepReader reader(simulation, start);
  const SparseRows inertia = reader.inertia();
  verdict = certify({.problem = problem,
                     .inertia = inertia,
                     .has_inertia = !is_quasi_static(certificate.motion),
                     .solution = simulation.solution()});
  if (verdict.motion != Only::several && has_sliding_law(simulation)) {
    verdict.motion = verdict.loads = Only::unknown;
    verdict.motion_reason = verdict.loads_reason =
        "friction depends on the sliding speed: with the coefficients of another speed there may "
        "be another motion";
  }
  certificate.contacts = reader.contacts(verdict.proof);
  if (verdict.exists == Existence::proved)
    certificate.solution = reader.read(simulation.solution());
  for (const auto& [basis, both_ways] :
       {std::pair{&verdict.free.both_ways, true}, std::pair{&verdict.free.one_way, false}})
    for (Eigen::Index c = 0; c < basis->cols(); ++c)
      certificate.free.push_back(reader.free_motion(basis->col(c), both_ways));
  for (const auto& family : verdict.families) {
    certificate.families.emplace_back();
    for (const Solution& member : family)
      certificate.families.back().push_back(reader.read(member));
  }
  for (const Solution& other : verdict.others) certificate.others.push_back(reader.read(other));
  if (verdict.missing.size() > 0) certificate.missing = reader.wrenches(verdict.missing);
  return certificate;
}

StepCertificate certify_at(Simulation& simulation, double time) {
  const double h = simulation.step_size();
  if (!(time >= 0.0) || !std::isfinite(time))
    throw Error("is not a time of the run; accepted: 0 s or later", "at");
  const double before = std::round(time / h);
  State last = simulation.state();
  while (static_cast<double>(simulation.state().step) < before) {
    last = simulation.state();
    simulation.step();
    if (!simulation.has_ended()) continue;
    simulation.set_state(last);
    StepCertificate certificate = certify_step(simulation);
    certificate.reached = false;
    return certificate;
  }
  return certify_step(simulation);
}

}  // namespace vinci
