// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <gtest/gtest.h>

#include "study_scenes.h"

namespace vinci {
namespace {

using test::Folder;

constexpr const char* good_study = R"(title: how far
scene: scene.yaml
seed: 7
run: {step: 5 ms}
set: {mass: 2}
design: {vx: [1, 2]}
uncertain:
  vy: {normal: {mean: 2, deviation: 0.1, from: 1}}
measures:
  way: {end: ball.x}
success: way > 0.4
limits: {time: 10 s, memory: 2 GB, steps: 1000}
interval: {confidence: 0.9, method: exact}
sample: {count: 10}
)";

// All mistakes of a study, a line each.
std::string mistakes_of(const Folder& folder, const std::string& text) {
  try {
    static_cast<void>(Study::parse(text, folder.path(), "s.yaml"));
  } catch (const SceneError& error) {
    std::string list;
    for (const Diagnostic& mistake : error.diagnostics()) list += mistake.text() + "\n";
    return list;
  }
  return "";
}

TEST(Study, says_what_its_file_asks) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  folder.write("study.yaml", good_study);
  const Study study = Study::load(folder.path() / "study.yaml");
  EXPECT_EQ(study.title(), "how far");
  EXPECT_EQ(study.seed(), 7u);
  EXPECT_EQ(study.kind(), StudyKind::sample);
  ASSERT_EQ(study.parameters().size(), 2u);
  EXPECT_EQ(study.design_parameter_count(), 1u);
  EXPECT_EQ(study.parameters()[0].name, "vx");
  EXPECT_EQ(study.parameters()[1].kind, StudyParameter::Kind::uncertain);
  EXPECT_EQ(study.parameters()[1].lower, 1.0);
  EXPECT_EQ(study.measures()[0].text, "end of ball.x");
  EXPECT_EQ(study.success(), "way > 0.4");
  EXPECT_EQ(study.levels().size(), 1u);
  EXPECT_EQ(study.limits().seconds, 10.0);
  EXPECT_EQ(study.limits().bytes, 2'000'000'000u);
  EXPECT_EQ(study.limits().steps, 1000u);
  EXPECT_EQ(study.confidence(), 0.9);
  EXPECT_EQ(study.hash().size(), 16u);
  // 0.3 s in steps of 5 ms.
  EXPECT_EQ(CaseRunner(study).run({0, 0, 0, {1.0, 2.0}}).result.levels[0].steps, 60u);
}

TEST(Study, has_a_hash_of_all_that_it_reads) {
  const Folder folder;
  const std::string with_file =
      std::string("scene: scene.yaml\nuncertain: {vx: {measured: {file: a.csv, column: b}}}\n") +
      "sample: {count: 3}\n";
  const auto hash = [&](const std::string& text) {
    return Study::parse(text, folder.path()).hash();
  };
  folder.write("scene.yaml", test::projectile);
  folder.write("a.csv", "a,b\n1,2\n3,4\n");
  const std::string first = hash(with_file);
  EXPECT_EQ(first, hash(with_file));
  EXPECT_NE(first, hash(with_file + "seed: 2\n"));
  folder.write("a.csv", "a,b\n1,2\n3,5\n");
  const std::string second = hash(with_file);
  EXPECT_NE(first, second);
  folder.write("scene.yaml", std::string(test::projectile) + "# a remark\n");
  EXPECT_NE(second, hash(with_file));
}

TEST(Study, reads_designs_and_samples_from_tables) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  folder.write("designs.csv", "vx, mass\n# a remark\n1, 2\n3,4\r\n");
  const Study study = Study::parse(R"(
scene: scene.yaml
designs: designs.csv
uncertain: {vy: {measured: [1, 1, 1]}}
sample: {count: 1}
)",
                                   folder.path());
  const StoredResults none;
  EXPECT_EQ(StudyCases(study, none).at(1).values, (std::vector<double>{3.0, 4.0, 1.0}));
}

TEST(Study, reports_all_mistakes_at_once_with_their_places) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  const std::string list = mistakes_of(folder, R"(scene: scene.yaml
sed: 1
set: {vz: 2}
uncertain:
  vx: {uniform: [2, 1]}
  vy: {normal: {mean: 1, deviation: -1}}
measures:
  way: {end: bal.x}
sample: {count: 1.5}
)");
  EXPECT_NE(list.find("s.yaml:2: sed: unknown key (did you mean 'seed'?)"), std::string::npos);
  EXPECT_NE(list.find("s.yaml:3: set.vz: the scene has no such parameter"), std::string::npos);
  EXPECT_NE(list.find("s.yaml:5: uncertain.vx.uniform: the first end"), std::string::npos);
  EXPECT_NE(list.find("s.yaml:6: uncertain.vy.normal.deviation: '-1' is not positive"),
            std::string::npos);
  EXPECT_NE(list.find("s.yaml:8: measures.way: 'bal.x': there is no body 'bal' (did you mean "
                      "'ball'?)"),
            std::string::npos);
  EXPECT_NE(list.find("s.yaml:9: sample.count: '1.5' is not a whole number"), std::string::npos)
      << list;
}

struct Bad {
  const char* text;     // added to a study that is good otherwise
  const char* message;  // a part of what is said
};

class BadStudy : public testing::TestWithParam<Bad> {};

TEST_P(BadStudy, is_refused_in_words_that_help) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  folder.write("bad.csv", "a,b\n1\n");
  folder.write("twice.csv", "vx, vx\n1, 2\n");
  const std::string list =
      mistakes_of(folder, "scene: scene.yaml\n" + std::string(GetParam().text) + "\n");
  EXPECT_NE(list.find(GetParam().message), std::string::npos) << GetParam().text << "\n" << list;
}

constexpr Bad table[] = {
    {"", "one of these keys is missing: sample, map, search, sensitivity, rare"},
    {"sample: {count: 1}\nmap: {over: [vx], count: 1}", "together; accepted: one of"},
    {"sample: {}\nuncertain: {vx: {uniform: [0, 1]}}", "'count' is missing"},
    {"sample: {count: 2000000000}", "too large"},
    {"sample: {count: 1}\ndesign: {vx: {from: 1, to: 2}}", "'designs' is missing"},
    {"sample: {count: 1, designs: 3}\ndesign: {vx: [1]}", "without a range"},
    {"sample: {count: 1}\ndesign: {vx: {from: 2, to: 2}}", "from 2 to 2"},
    {"sample: {count: 1}\nset: {vx: 1}\ndesign: {vx: [1]}", "stands in `set` too"},
    {"sample: {count: 1}\ndesign: {vx: [1]}\nuncertain: {vx: {uniform: [0, 1]}}",
     "stands in `design` too"},
    {"sample: {count: 1}\ndesign: {vx: [1]}\ndesigns: [{vx: 1}]",
     "together; accepted: one of them"},
    {"sample: {count: 1}\ndesigns: [{vx: 1}, {vy: 2}]", "other parameters than the first"},
    {"sample: {count: 1}\ndesigns: none.csv", "'none.csv': there is no such file"},
    {"sample: {count: 1}\ndesigns: bad.csv", "line 2 has 1 cells"},
    {"sample: {count: 1}\ndesigns: twice.csv", "two columns have the name 'vx'"},
    {"sample: {count: 1}\nset: {mass: -1}", "(with the study's `set` and its first design)"},
    {"sample: {count: 1}\nuncertain: {vx: {grid: [1, 2]}}", "has a grid"},
    {"sample: {method: grid}\nuncertain: {vx: {uniform: [1, 2]}}", "has no grid"},
    {"sample: {method: grid, count: 2}\nuncertain: {vx: {grid: [1, 2]}}", "the grids say"},
    {"sample: {count: 1}\nuncertain: {vx: {}}", "one of these keys is missing: uniform"},
    {"sample: {count: 1}\nuncertain: {vx: {triangular: {from: 0, mode: 2, to: 1}}}",
     "from <= mode <= to"},
    {"sample: {count: 1}\nuncertain: {vx: {discrete: {values: [1], weights: [1, 2]}}}",
     "1 values with 2 weights"},
    {"sample: {count: 1}\nuncertain: {vx: {discrete: {values: [1], weights: [0]}}}",
     "no positive sum"},
    {"sample: {count: 1}\nuncertain: {vx: {measured: {file: bad.csv, column: z}}}",
     "line 2 has 1 cells"},
    {"sample: {count: 1}\ncorrelations: [{of: [vx, vy], value: 0.5}]",
     "there is no uncertain parameter 'vx'"},
    {"sample: {count: 1}\nuncertain: {vx: {uniform: [0, 1]}, vy: {uniform: [0, 1]}}\n"
     "correlations: [{of: [vx, vy], value: 1}]",
     "correlations: "},
    {"sample: {count: 1}\nuncertain: {vx: {uniform: [0, 1]}, vy: {uniform: [0, 1]}}\n"
     "correlations: [{of: [vx, vy], value: 0}, {of: [vy, vx], value: 0.2}]",
     "the two stand in an entry before"},
    {"sample: {count: 1}\nuncertain: {vx: {uniform: [0, 1]}, vy: {discrete: {values: [1, 2]}}}\n"
     "correlations: [{of: [vx, vy], value: 0.5, kind: rank}]",
     "'vy' has values that are drawn again and again"},
    {"sample: {count: 1}\nuncertain: {vx: {uniform: [0, 1]}, vy: {measured: {values: [1, 1, 2], "
     "smooth: true}}}\ncorrelations: [{of: [vx, vy], value: 0.5, kind: rank}]",
     "accepted: continuous distributions"},
    {"rare: {of: a, count: 100, components: 2}\nuncertain: {vx: {uniform: [0, 1]}}\n"
     "measures: {a: {end: ball.x}}",
     "accepted: with `method: importance`"},
    {"rare: {of: a, count: 79, method: importance}\nuncertain: {vx: {uniform: [0, 1]}, vy: "
     "{uniform: [0, 1]}}\nmeasures: {a: {end: ball.x}}",
     "accepted: at least 80, or `method: subset`"},
    {"sample: {count: 1}\nmeasures: {vx: {end: ball.x}}", "a parameter of the scene has this name"},
    {"rare: {of: a, count: 100}\nuncertain: {vx: {uniform: [0, 1]}}\nmeasures: {a: {end: ball.x}}\n"
     "success: a > 0\nlevels: [{name: rough, run: {step: 20 ms}}, {name: fine}]",
     "would be of another model"},
    {"sample: {count: 1}\nlevels: [{name: a, confirms: false}, {name: b, confirms: false}]",
     "no level confirms"},
    {"sample: {count: 1}\nmeasures: {verdict: {end: ball.x}}",
     "the table has a column of this name"},
    {"sample: {count: 1}\nmeasures: {a: {end: ball.x, least: ball.y}}", "together"},
    {"sample: {count: 1}\nmeasures: {a: {at: 1 s}}", "accepted: at and of together"},
    {"sample: {count: 1}\nmeasures: {a: {end: ball.q}}", "a body has no 'q'"},
    {"sample: {count: 1}\nmeasures: {a: {first_time: ball.x}}", "is no comparison"},
    {"sample: {count: 1}\nmeasures: {a: {onsets: [ball, ball]}}", "does not touch itself"},
    {"sample: {count: 1}\nmeasures: {a: {peak_force: [ball, wall]}}", "there is no body 'wall'"},
    {"sample: {count: 1}\nmeasures: {a: {time_of: most of ball.x}}", "greatest of part.y"},
    {"sample: {count: 1}\nmeasures: {a: {python: own.py:f}}", "'own.py': there is no such file"},
    {"sample: {count: 1}\nuntil: ball.q > 1", "a body has no 'q'"},
    {"sample: {count: 1}\nuntil: ball.x", "is no comparison"},
    {"sample: {count: 1}\nsuccess: way > 1", "'way'"},
    {"sample: {count: 1}\nsuccess: vx", "is no comparison"},
    {"sample: {count: 1}\nsuccess: vx > 1/0", "success: '1/0': is no finite number"},
    {"sample: {count: 1}\nsuccess: 1 < vx/(2 - 2) + 1", "is no finite number"},
    {"sample: {count: 1}\nmeasures: {a: {end: ball.x/0}}", "is no finite number"},
    {"sample: {count: 1}\nmeasures: {a: {first_time: ball.x > 1/0}}", "is no finite number"},
    {"sample: {count: 1}\nsuccess: vx > 0\n"
     "levels: [{name: a, model: geometric, body: ball, goal: {x: [0, 1]}}]",
     "success: is asked of simulations, and no level is one"},
    {"sample: {count: 1}\nlevels: [{name: a}, {name: a}]", "used twice"},
    {"sample: {count: 1}\nlevels: [{name: a, run: {stepper: euler}}]", "euler"},
    {"sample: {count: 1}\nlevels: [{name: a, run: {stepp: 1}}]", "did you mean 'step'"},
    {"sample: {count: 1}\nlevels: [{name: a, set: {speed: 1}}]", "no such parameter"},
    {"sample: {count: 1}\nlevels: [{name: a, model: geometric}]", "'body' is missing"},
    {"sample: {count: 1}\nlevels: [{name: a, body: ball}]", "only of `model: geometric`"},
    {"sample: {count: 1}\nlevels: [{name: a, model: geometric, body: bal, goal: {x: [0, 1]}}]",
     "there is no body 'bal'"},
    {"sample: {count: 1}\nlevels: [{name: a, model: geometric, body: ball, goal: {x: [0, q]}}]",
     "'q'"},
    {"sample: {count: 1}\nrun: {step: -1}", "is too small"},
    {"sample: {count: 1}\nlimits: {memory: 2 cows}", "is no size"},
    {"sample: {count: 1}\nstop: {every: 2}", "at least one of width"},
    {"sample: {count: 1}\nstop: {width: 0.1}", "needs `success`"},
    {"sample: {count: 10}\nstop: {failures: 20}\nsuccess: vx > 0",
     "stop.failures: more than the 10 cases of a design"},
    {"map: {over: [vx], count: 4}\nstop: {successes: 5}\ndesign: {vx: [1]}\nsuccess: vx > 0",
     "stop.successes: more than the 4 cases"},
    {"map: {over: [vx], count: 1}\ndesign: {vx: [1, 2]}", "needs `success`"},
    {"map: {over: [vy], count: 1}\ndesign: {vx: [1, 2]}\nsuccess: vx > 0",
     "no parameter of `design`"},
    {"map: {over: [vx], count: 1}\ndesign: {vx: {from: 1, to: 2}}\nsuccess: vx > 0",
     "'cells' does not say"},
    {"map: {over: [vx], cells: [2, 2], count: 1}\ndesign: {vx: {from: 1, to: 2}}\nsuccess: vx > 0",
     "more numbers than ranges"},
    {"map: {over: [vx], adaptive: {first: 20, most: 10, width: 0.1}}\ndesign: {vx: [1]}\n"
     "success: vx > 0",
     "`first` is more than `most`"},
    {"map: {over: [vx], adaptive: {first: 2, most: 10}}\ndesign: {vx: [1]}\nsuccess: vx > 0",
     "'width' and 'threshold' are missing"},
    {"search: {maximise: probability, evaluations: 5}\ndesign: {vx: [1]}\nsuccess: vx > 0",
     "searches over ranges"},
    {"search: {maximise: probability, evaluations: 5, best: 3}\ndesign: {vx: {from: 1, to: 2}}\n"
     "success: vx > 0",
     "search.best: designs are run again with `confirm`, which is missing"},
    {"search: {maximise: worst, evaluations: 5}\ndesign: {vx: {from: 1, to: 2}}",
     "'of' is missing"},
    {"search: {maximise: mean, of: a, evaluations: 5, method: bobyqa}\n"
     "measures: {a: {end: ball.x}}\ndesign: {vx: {from: 1, to: 2}}",
     "s.yaml:2: search: bobyqa in 1 dimension"},
    {"sensitivity: {of: [a], count: 5}", "there is no measure 'a'"},
    {"sensitivity: {of: [success], count: 5}\nsuccess: vx > 1", "needs uncertain parameters"},
    {"rare: {of: a, count: 50}\nmeasures: {a: {end: ball.x}}\nuncertain: {vx: {uniform: [0, 1]}}\n"
     "design: {vy: [1, 2]}",
     "looks at one design"},
    {"rare: {of: a, count: 10}\nmeasures: {a: {end: ball.x}}\nuncertain: {vx: {uniform: [0, 1]}}",
     "rare.count: 10 cases of a round, of which one in 10 begins the next one; accepted: more than "
     "10"},
    {"scene: other.yaml\nsample: {count: 1}", "used twice"},
    {"sample: [", "not valid YAML"},
};

INSTANTIATE_TEST_SUITE_P(Table, BadStudy, testing::ValuesIn(table));

TEST(Study, of_the_geometric_model_alone_has_verdicts_without_success) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  const Study study = Study::parse(R"(scene: scene.yaml
design: {vx: [1, 2]}
levels: [{name: way, model: geometric, body: ball, goal: {x: [0, 1]}}]
map: {over: [vx], count: 1}
)",
                                   folder.path());
  EXPECT_TRUE(study.has_success());
  EXPECT_EQ(study.success(), "");
  const StudyReport report = make_report(study, test::run_all(study));
  EXPECT_EQ(report.verdicts.successes, 2u);
  EXPECT_FALSE(report.probability);  // nothing is uncertain: each design has one answer
}

TEST(Study, reached_by_a_link_reads_what_lies_beside_its_file) {
  const Folder folder, other;
  folder.write("scene.yaml", test::projectile);
  folder.write("study.yaml", good_study);
  std::filesystem::create_symlink(folder.path() / "study.yaml", other.path() / "link.yaml");
  EXPECT_EQ(Study::load(other.path() / "link.yaml").hash(),
            Study::load(folder.path() / "study.yaml").hash());
}

TEST(Study, names_mistakes_of_its_scene_there) {
  const Folder folder;
  folder.write("scene.yaml", "world: planar\nbodies: {a: {mas: 1}}\n");
  const std::string list = mistakes_of(folder, "scene: scene.yaml\nsample: {count: 1}\n");
  EXPECT_NE(list.find("scene.yaml:2: bodies.a.mas"), std::string::npos) << list;
  EXPECT_NE(mistakes_of(folder, "scene: no.yaml\nsample: {count: 1}\n").find("no such file"),
            std::string::npos);
  EXPECT_NE(mistakes_of(folder, "").find("the file is empty; a study"), std::string::npos);
}

TEST(Study, survives_any_change_of_its_text) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  const std::string texts[] = {good_study, R"(scene: scene.yaml
design: {vx: {from: 0, to: 9}, vy: {from: 0, to: 1, grid: 3}}
uncertain: {mass: {triangular: {from: 1, to: 9, mode: 2}}}
measures: {a: {time_of: greatest of ball.y}, b: {first_time: not (ball.x < 1 or t > 9)}}
success: not (a < 1 and b > 2) or vx == 1
levels: [{name: g, model: geometric, body: ball, goal: {x: {to: 9 - vx}}}, {name: s, confirms: true}]
map: {over: [vx, vy], cells: [9], adaptive: {first: 9, most: 99, width: 0.1}}
)",
                               R"(scene: scene.yaml
uncertain: {vx: {uniform: [0, 1]}, vy: {normal: {mean: 1, deviation: 9}}}
measures: {a: {end: ball.x}}
rare: {of: a, count: 99, share: 0.1, rounds: 9}
)"};
  std::mt19937 random(1);
  const std::string letters = "0123456789.,:-{}[]()' \n<>=abeginxyz#&*\"";
  int loaded = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = texts[i % 3];
    for (unsigned k = 0; k <= random() % 3; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 4);
          break;
        default:
          text.insert(at, 1, letters[random() % letters.size()]);
      }
    }
    try {
      static_cast<void>(Study::parse(text, folder.path()));
      ++loaded;
    } catch (const Error&) {
      continue;
    }
  }
  EXPECT_GT(loaded, 50);
}

TEST(Study, has_a_schema_that_is_shipped) {
  std::ifstream file(std::filesystem::path(VINCI_SOURCE_DIR) /
                     "examples/studies/study.schema.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, study_schema());
}

}  // namespace
}  // namespace vinci
