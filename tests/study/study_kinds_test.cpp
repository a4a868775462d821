// SPDX-License-Identifier: Apache-2.0
// Nodes of the wrong kind anywhere in a study: each of them is a mistake that is told, or of no
// consequence.
#include <set>

#include <gtest/gtest.h>

#include "study_scenes.h"
#include "vinci/scene/scene_grammar.h"
#include "vinci/scene/yaml_tree.h"
#include "vinci/study/study_grammar.h"

namespace vinci {
namespace {

// Together they have every key of the language.
constexpr const char* studies[] = {
    R"(title: all kinds of parameters and measures
scene: scene.yaml
seed: 3
run: {step: 5 ms}
set: {mass: 2}
design: {vx: [1, 2]}
uncertain:
  u1: {uniform: [0, 1]}
  u2: {normal: {mean: 1, deviation: 1, from: 0, to: 9}}
  u3: {lognormal: {median: 1, spread: 1}}
  u4: {triangular: {from: 0, mode: 1, to: 2}}
  u5: {exponential: {mean: 1}}
  u6: {discrete: {values: [1, 2], weights: [1, 1]}}
  u7: {measured: {file: table.csv, column: x, smooth: true}}
  u8: {measured: {values: [1, 2]}}
  u9: {measured: [1, 2]}
correlations: [{of: [u1, u2], value: 0.1, kind: rank}]
measures:
  m1: {end: ball.x}
  m2: {least: ball.y}
  m3: {greatest: ball.y}
  m4: {mean: ball.y}
  m5: {integral: ball.y}
  m6: {at: 0.1 s, of: ball.y}
  m7: {first_time: ball.y < 1}
  m8: {time_of: greatest of ball.y}
  m9: {time_of: {least: ball.y}}
  m10: {onsets: [ball, wall]}
  m11: {peak_force: [ball, wall]}
  m12: {events: all}
  m13: {python: own}
  m14: {time_of: {greatest: ball.y}}
success: m1 > 0.1
until: ball.y < -0.1
levels:
  - {name: way, model: geometric, body: ball, goal: {x: [0, 1]}, bounds: {y: {from: 0, to: 1}},
     clearance: 0.1, resolution: 0.1, effort: 5, not-found: failure}
  - {name: motion, model: simulation, run: {step: 1 ms}, set: {mass: 3}, rejects: true, confirms: true,
     per: case}
sample: {method: sobol, count: 5, common: true}
stop: {width: 0.1, successes: 2, failures: 2, every: 2}
limits: {time: 1 s, memory: 1 GB, steps: 100}
interval: {confidence: 0.9, method: exact}
)",
    R"(scene: scene.yaml
designs: [{vx: 1}, {vx: 2}]
uncertain: {u1: {grid: [1, 2]}, u2: {grid: {from: 0, to: 1, count: 3}}}
sample: {method: grid}
)",
    R"(scene: scene.yaml
design: {vx: {from: 0, to: 1}, vy: {from: 0, to: 1, grid: 3}}
uncertain: {u1: {uniform: [0, 1]}}
sample: {count: 3, designs: 2}
)",
    R"(scene: scene.yaml
design: {vx: {from: 0, to: 1}}
uncertain: {u1: {uniform: [0, 1]}}
success: u1 > 0.5
map: {over: [vx], cells: [3], adaptive: {first: 2, most: 8, width: 0.1, threshold: 0.5},
      method: sobol}
)",
    R"(scene: scene.yaml
design: {vx: [0, 1]}
success: vx > 0.5
map: {over: [vx], count: 3}
)",
    R"(scene: scene.yaml
design: {vx: {from: 0, to: 1}}
uncertain: {u1: {uniform: [0, 1]}}
success: u1 > 0.5
search: {maximise: probability, evaluations: 9, samples: 3, confirm: 5, best: 2, method: cma-es}
)",
    R"(scene: scene.yaml
design: {vx: {from: 0, to: 1}}
measures: {end: {end: ball.x}}
search: {minimise: worst, of: end, evaluations: 9}
)",
    R"(scene: scene.yaml
uncertain: {u1: {uniform: [0, 1]}}
measures: {end: {end: ball.x}}
success: end > 0
sensitivity: {method: morris, of: [end, success], count: 3, levels: 4}
)",
    R"(scene: scene.yaml
uncertain: {u1: {uniform: [0, 1]}}
measures: {end: {end: ball.x}}
rare: {method: importance, of: end, count: 80, share: 0.1, rounds: 3, components: 2}
)"};

constexpr const char* scene = R"(world: planar
parameters: {vx: 1, vy: 2, mass: 1, u1: 0, u2: 0, u3: 0, u4: 0, u5: 0, u6: 0, u7: 0, u8: 0, u9: 0}
bodies:
  wall: {freedom: fixed, shapes: [{circle: 0.1}], position: [5, 0]}
  ball: {shapes: [{circle: 0.01}], mass: mass, position: [0, 0], velocity: [vx, vy]}
run: {step: 10 ms, duration: 0.3 s}
)";

class KindsOfNodes : public testing::Test {
 public:
  KindsOfNodes() {
    folder_.write("scene.yaml", scene);
    folder_.write("table.csv", "x,y\n1,2\n3,4\n");
  }

  // All mistakes, a line each.
  std::string mistakes_of(const std::string& text) const {
    std::string list;
    try {
      static_cast<void>(Study::parse(text, folder_.path(), "s.yaml"));
    } catch (const SceneError& error) {
      for (const Diagnostic& mistake : error.diagnostics()) list += mistake.text() + "\n";
    }
    return list;
  }

 protected:
  static Node tree_of(const char* text) {
    std::vector<Diagnostic> mistakes;
    Node root = read_yaml(text, 0, mistakes);
    EXPECT_TRUE(mistakes.empty());
    return root;
  }

 private:
  test::Folder folder_;
};

void collect_keys(const SceneValue& value, std::set<std::string>& keys) {
  for (const SceneKey& key : value.keys) {
    keys.insert(key.name);
    if (key.name != "run") collect_keys(key.value, keys);
  }
  for (const SceneValue& item : value.items) collect_keys(item, keys);
}

void collect_keys(const Node& node, std::set<std::string>& keys) {
  keys.insert(node.key);
  for (const Node& child : node.children) collect_keys(child, keys);
}

// Every node below this one in turn, the tree being whole otherwise.
template <class Visit>
void visit_nodes(Node& node, const Visit& visit) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    visit(node.children[i]);
    visit_nodes(node.children[i], visit);
  }
}

TEST_F(KindsOfNodes, are_those_of_every_key_of_the_language) {
  std::set<std::string> asked, written;
  collect_keys(study_grammar(), asked);
  for (const char* text : studies) {
    EXPECT_EQ(mistakes_of(text), "") << text;
    collect_keys(tree_of(text), written);
  }
  for (const std::string& key : asked) EXPECT_TRUE(written.contains(key)) << key;
}

TEST_F(KindsOfNodes, are_mistakes_where_they_are_wrong_and_never_more) {
  const char* const others[] = {"[z]", "[3]", "[[]]", "[]",   "{}",   "{z: 1}", "{z: {}}",      "3",
                                "z",   "''",  "~",    "-1e9", "true", "[{}]",   "[[1, 2], [3]]"};
  int refused = 0;
  for (const char* text : studies) {
    Node root = tree_of(text);
    visit_nodes(root, [&](Node& node) {
      const Node before = node;
      for (const char* other : others) {
        node = tree_of((std::string("x: ") + other).c_str()).children[0];
        node.key = before.key;
        const std::string changed = write_yaml(root);
        SCOPED_TRACE(changed);
        if (!mistakes_of(changed).empty()) ++refused;
      }
      node = before;
    });
  }
  EXPECT_GT(refused, 3000);
}

// What is of another kind is told once, and not what follows from it.
TEST_F(KindsOfNodes, of_measures_are_told_alone) {
  const std::string rest = "scene: scene.yaml\nuncertain: {u1: {uniform: [0, 1]}}\n";
  for (const char* measures : {"[z]", "[3]", "[[]]", "z", "3"}) {
    const std::string list =
        mistakes_of(rest + "success: z > 1\nrare: {of: z, count: 50}\nmeasures: " + measures);
    EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 1) << list;
    EXPECT_NE(list.find("s.yaml:5: measures: "), std::string::npos) << list;
  }
}

}  // namespace
}  // namespace vinci
