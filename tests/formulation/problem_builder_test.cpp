// SPDX-License-Identifier: Apache-2.0
// One builder of problems: rows and their map, guesses and impulses, rows of elements.
#include "vinci/formulation/problem_builder.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tests/support/example_model.h"
#include "vinci/formulation/free_motion.h"

namespace vinci {
namespace {

// Two planar bodies that touch each other and a floor, with a support and an element.
struct Scene {
  Model model;
  std::vector<Pose> poses;
  ContactSet contacts;
  std::vector<ContactTerms> terms;
  std::vector<SupportPoint> supports;
  std::vector<ElementTerms> elements;

  Scene() {
    model = example_model({example_body("floor", Freedom::fixed),
                           example_body("a", Freedom::planar), example_body("b", Freedom::planar)});
    model.world = World::planar;
    poses = {planar_pose(0, 0, 0), planar_pose(0.1, 0.5, 0.3), planar_pose(1.0, 0.4, -0.2)};
    add_contact(0, 1, Vector3(0.1, 0.0, 0.0), Vector3::UnitY(), 0.5);
    add_contact(0, 2, Vector3(1.0, 0.0, 0.0), Vector3::UnitY(), 0.0);
    add_contact(1, 2, Vector3(0.5, 0.4, 0.0), Vector3::UnitX(), 0.25);
    supports.push_back({.body = 2, .index = 1, .point = Vector3(1.2, 0.3, 0.0), .limit = 0.7});
    elements.push_back({.key = element_key(0),
                        .row = {.body_a = 1,
                                .body_b = 2,
                                .point_a = Vector3(0.1, 0.6, 0.0),
                                .point_b = Vector3(0.9, 0.4, 0.0),
                                .axis = Vector3(0.8, -0.6, 0.0)},
                        .bias = -0.1,
                        .compliance = 0.25});
  }

  void add_contact(int a, int b, const Vector3& point, const Vector3& normal, double friction) {
    Contact contact;
    contact.key = contact_key(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), 0, 0);
    contact.body_a = a;
    contact.body_b = b;
    contact.point_a = contact.point_b = point;
    contact.normal = normal;
    contacts.push_back(contact);
    ContactTerms term;
    term.frame = contact_frame(World::planar, normal);
    term.friction = friction;
    term.normal_bias = 0.01 * static_cast<double>(contacts.size());
    terms.push_back(term);
  }

  void build(const ConeForm& form, ProblemBuilder& builder, ComplementarityProblem& problem) const {
    builder.begin(model, poses, form);
    builder.add(contacts, terms);
    builder.add(supports);
    builder.add(elements);
    builder.finish(problem);
  }
};

class Builder : public testing::TestWithParam<Cone> {
 protected:
  Builder() { scene_.build(form_, builder_, problem_); }
  Scene scene_;
  ConeForm form_{GetParam(), 5};
  ProblemBuilder builder_;
  ComplementarityProblem problem_;
};

TEST_P(Builder, map_covers_every_row_once_in_the_order_of_keys) {
  int next = 0;
  for (const EntityRows& rows : builder_.map()) {
    EXPECT_EQ(rows.first, next);
    next += rows.count;
  }
  EXPECT_EQ(next, problem_.rows());
  EXPECT_TRUE(std::is_sorted(builder_.map().begin(), builder_.map().end(),
                             [](const auto& a, const auto& b) { return a.key < b.key; }));
  EXPECT_EQ(builder_.contacts().size(), 3u);
  EXPECT_EQ(builder_.supports().size(), 1u);
  EXPECT_EQ(builder_.elements().size(), 1u);
  inertia_matrix(scene_.model, scene_.poses, problem_.M);
  problem_.p = VectorX::Zero(scene_.model.free_count);
  EXPECT_EQ(problem_.why_invalid(), "");
}

TEST_P(Builder, normal_rows_and_biases_stand_where_the_map_says) {
  for (std::size_t i = 0; i < 3; ++i) {
    const int row = builder_.contacts()[i].first;
    EXPECT_EQ(problem_.b[row], scene_.terms[i].normal_bias);
    VectorX unit = VectorX::Zero(problem_.rows());
    unit[row] = 1.0;
    VectorX push = VectorX::Zero(scene_.model.free_count);
    problem_.J.multiply_transposed_add(unit.data(), push.data());
    const Contact& contact = scene_.contacts[i];
    const int at = scene_.model.bodies[contact.body_b].velocity_offset;
    EXPECT_EQ(push.segment<2>(at), contact.normal.head<2>());
  }
  const int row = builder_.elements()[0].first;
  EXPECT_EQ(problem_.b[row], -0.1);
  EXPECT_EQ(problem_.C.values[problem_.C.starts[row]], 0.25);
}

TEST_P(Builder, guesses_come_back_as_impulses) {
  VectorX lambda = VectorX::Constant(problem_.rows(), 99.0);
  for (const EntityRows& rows : builder_.map()) {
    builder_.guess(rows, Vector3(2.0, 0.5, -0.25), lambda);
    const Vector3 back = builder_.impulse(rows, lambda);
    const bool support = rows.key.kind == EntityKind::support;
    EXPECT_EQ(back[0], support ? 0.0 : 2.0);
    const bool rubs = rows.count > 1;
    EXPECT_NEAR(back[1], rubs ? 0.5 : 0.0, 1e-15);
    EXPECT_NEAR(back[2], rubs && support ? -0.25 : 0.0, 1e-15);  // a planar contact has one tangent
  }
  EXPECT_LT(lambda.maxCoeff(), 99.0) << "a row that no entity owns";
}

INSTANTIATE_TEST_SUITE_P(AllCones, Builder,
                         testing::Values(Cone::quadratic, Cone::pyramid, Cone::box));

// --- elements
// -------------------------------------------------------------------------------------

// A spring of fixed numbers along a line, for the rows alone.
class Line : public Element {
 public:
  explicit Line(ElementPlace place) : Element(std::move(place)) {}
  const char* kind() const override { return "line"; }
  void rows(const Model&, const State& state, std::vector<ElementRow>& out) const override {
    out.push_back({.body_a = a().body,
                   .body_b = b().body,
                   .point_a = anchor_point(a(), state.poses),
                   .point_b = anchor_point(b(), state.poses),
                   .axis = Vector3::UnitX(),
                   .stretch = 0.2,
                   .stiffness = 300.0,
                   .damping = 4.0});
  }
  double potential(std::span<const Pose>) const override { return 6.0; }
  std::span<const ElementColumn> columns() const override { return {}; }
  void read(const Model&, const State&, double*) const override {}
  std::shared_ptr<const Element> begun_at(double) const override {
    return std::make_shared<Line>(place());
  }
  std::vector<std::pair<std::string, double>> numbers() const override { return {}; }
};

struct Joined {
  Model model;
  State state;
  std::vector<ElementTerms> terms;
  explicit Joined(double h, double time, int other = 2) {
    model = example_model({example_body("floor", Freedom::fixed),
                           example_body("a", Freedom::planar), example_body("b", Freedom::planar)});
    model.world = World::planar;
    model.elements.push_back(std::make_shared<Line>(
        ElementPlace{"line", {1, Vector3(0.1, 0.2, 0.0)}, {other, Vector3(-0.1, 0.3, 0.0)}}));
    state = initial_state(model);
    state.poses[2].position.x() = 1.0;
    for (int i = 0; i < model.velocity_count; ++i) state.velocities[i] = 0.3 * i - 0.7;
    std::vector<ElementRow> scratch;
    find_elements({model, state, state.poses, h, time, true, scratch}, terms);
  }
};

// The velocities at the end of the step, by rows or condensed.
VectorX velocities(const Joined& joined, double h, bool condensed) {
  const VectorX forces = VectorX::Zero(joined.model.velocity_count);
  ComplementarityProblem problem;
  VectorX foreseen = joined.state.velocities;
  free_motion(joined.model, joined.state, {forces, {}}, h, problem.M, problem.p, foreseen);
  if (condensed) {
    condense_elements({joined.model, joined.state.poses}, joined.terms, problem);
    return MatrixX(problem.M.view()).lu().solve(problem.p);
  }
  ProblemBuilder builder;
  builder.begin(joined.model, joined.state.poses, {});
  builder.add(joined.terms);
  builder.finish(problem);
  const int n = problem.unknowns(), m = problem.rows();
  MatrixX whole = MatrixX::Zero(n + m, n + m);
  whole.topLeftCorner(n, n) = MatrixX(problem.M.view());
  whole.topRightCorner(n, m) = -MatrixX(problem.J.view()).transpose();
  whole.bottomLeftCorner(m, n) = MatrixX(problem.J.view());
  whole.bottomRightCorner(m, m) = MatrixX(problem.C.view());
  VectorX right(n + m);
  right << problem.p, -problem.b;
  return whole.lu().solve(right).head(n);
}

TEST(ElementRows, velocities_obey_the_implicit_spring_by_rows_and_condensed) {
  const double h = 0.05;
  const Joined joined(h, h);
  ASSERT_EQ(joined.terms.size(), 1u);
  const VectorX by_rows = velocities(joined, h, false);
  const VectorX condensed = velocities(joined, h, true);
  EXPECT_LT((by_rows - condensed).lpNorm<Eigen::Infinity>(), 1e-12);
  // M (v − v₀) = −h Jᵀ (k (s + h w) + c w), by hand: J from the anchors and the x axis.
  VectorX J = VectorX::Zero(6);
  const double arm_a = -(joined.state.poses[1] * Vector3(0.1, 0.2, 0.0)).y();
  const double arm_b = -(joined.state.poses[2] * Vector3(-0.1, 0.3, 0.0)).y();
  J << -1.0, 0.0, -arm_a, 1.0, 0.0, arm_b;
  const double w = J.dot(by_rows), force = -(300.0 * (0.2 + h * w) + 4.0 * w);
  VectorX mass(6);
  mass << 2.0, 2.0, 0.7, 2.0, 2.0, 0.7;
  const VectorX expected = joined.state.velocities + h * force * J.cwiseQuotient(mass);
  EXPECT_LT((by_rows - expected).lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST(ElementRows, a_line_between_bodies_that_cannot_move_has_no_row) {
  Joined joined(0.01, 0.01);
  const auto still = std::make_shared<Line>(ElementPlace{"still", {0, {}}, {-1, {}}});
  joined.model.elements = {still};
  std::vector<ElementRow> scratch;
  std::vector<ElementTerms> terms;
  find_elements({joined.model, joined.state, joined.state.poses, 0.01, 0.01, true, scratch}, terms);
  EXPECT_TRUE(terms.empty());
}

}  // namespace
}  // namespace vinci
