// SPDX-License-Identifier: Apache-2.0
// Options: kinds, bounds, messages, JSON, near names; and the registry that suggests them.
#include "vinci/base/options.h"

#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/base/registry.h"

namespace vinci {
namespace {

OptionTable table() {
  return {
      {"step", "Time step.", 1e-3, "s", 1e-12, 1e3},
      {"count", "How many.", 8L, "", 3, 256},
      {"verbose", "Say more.", false},
      {"cone", "Friction cone.", std::string("quadratic"), "", 0, 0, {"quadratic", "pyramid"}},
      {"label", "Any text.", std::string("")},
      {"shift", "Any number.", 0.0, "m"},
      {"weight", "Not negative.", 1.0, "kg", 0.0},
  };
}

std::string refusal(const std::string& name, const std::string& text) {
  OptionValues values{table()};
  try {
    values.set_text(name, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), name);
    return error.what();
  }
  return "accepted";
}

TEST(Options, unset_ones_read_as_their_default) {
  const OptionValues values{table()};
  EXPECT_EQ(values.real("step"), 1e-3);
  EXPECT_EQ(values.integer("count"), 8);
  EXPECT_FALSE(values.flag("verbose"));
  EXPECT_EQ(values.text("cone"), "quadratic");
  EXPECT_EQ(values.table().specs().size(), 7u);
  EXPECT_EQ(values.table().find("count")->upper, 256.0);
  EXPECT_EQ(values.table().find("counts"), nullptr);
}

TEST(Options, text_is_read_by_the_kind_of_the_option) {
  OptionValues values{table()};
  const std::pair<const char*, double> reals[] = {
      {"1 ms", 1e-3}, {"2*pi", 2 * M_PI}, {" 0.25 ", 0.25}, {"1e-6", 1e-6}, {"90 deg", M_PI / 2}};
  for (const auto& [text, expected] : reals) {
    values.set_text("step", text);
    EXPECT_EQ(values.real("step"), expected) << text;
  }
  values.set_text("count", " +17 ");
  EXPECT_EQ(values.integer("count"), 17);
  for (const char* yes : {"true", "yes", "on"}) {
    values.set_text("verbose", "off");
    values.set_text("verbose", yes);
    EXPECT_TRUE(values.flag("verbose")) << yes;
  }
  for (const char* no : {"false", "no", "off"}) {
    values.set_text("verbose", "on");
    values.set_text("verbose", no);
    EXPECT_FALSE(values.flag("verbose")) << no;
  }
  values.set_text("cone", "pyramid");
  EXPECT_EQ(values.text("cone"), "pyramid");
  values.set_text("label", " as it is ");
  EXPECT_EQ(values.text("label"), " as it is ");
}

TEST(Options, mistakes_name_the_option_what_is_wrong_and_what_is_accepted) {
  EXPECT_EQ(refusal("step", "-1"),
            "step: -1 is out of range; accepted: a number from 1e-12 to 1000 s");
  EXPECT_EQ(refusal("step", "0"),
            "step: 0 is out of range; accepted: a number from 1e-12 to 1000 s");
  EXPECT_EQ(refusal("step", "1/0"),
            "step: inf is not finite; accepted: a number from 1e-12 to 1000 s");
  EXPECT_EQ(refusal("step", "1 mss"),
            "step: unknown unit 'mss' at column 3 (did you mean 'ms'?); accepted: a number from "
            "1e-12 to 1000 s");
  EXPECT_EQ(refusal("step", ""),
            "step: an empty text where a value should be at column 1; accepted: a number from "
            "1e-12 to 1000 s");
  EXPECT_EQ(refusal("count", "2"), "count: 2 is out of range; accepted: an integer from 3 to 256");
  EXPECT_EQ(refusal("count", "8.5"),
            "count: '8.5' is not an integer; accepted: an integer from 3 to 256");
  for (const char* bad : {"", "+", "+-8", "8 x", "1e2", "0x10", "8."})
    EXPECT_NE(refusal("count", bad).find("is not an integer"), std::string::npos) << bad;
  EXPECT_EQ(refusal("count", "99999999999999999999"),
            "count: '99999999999999999999' is out of range; accepted: an integer from 3 to 256");
  EXPECT_EQ(refusal("verbose", "maybe"),
            "verbose: 'maybe' is neither true nor false; accepted: true or false");
  EXPECT_EQ(refusal("cone", "piramid"),
            "cone: unknown value 'piramid' (did you mean 'pyramid'?); accepted: one of "
            "'quadratic' or 'pyramid'");
  EXPECT_EQ(refusal("weight", "-2 kg"),
            "weight: -2 is out of range; accepted: a number of at least 0 kg");
  EXPECT_EQ(refusal("shift", "nan"), "shift: 'nan' at column 1; accepted: a number in m");
  EXPECT_EQ(refusal("stpe", "1"),
            "stpe: unknown option (did you mean 'step'?); accepted: step, count, verbose, cone, "
            "label, shift, weight");
}

TEST(Options, refused_values_leave_the_old_ones) {
  OptionValues values{table()};
  values.set("count", 12L);
  EXPECT_THROW(values.set("count", 1000L), Error);
  EXPECT_EQ(values.integer("count"), 12);
}

TEST(Options, numbers_change_kind_only_without_loss) {
  OptionValues values{table()};
  values.set("step", 2L);
  EXPECT_EQ(values.real("step"), 2.0);
  values.set("count", 9.0);
  EXPECT_EQ(values.integer("count"), 9);
  EXPECT_THROW(values.set("count", 9.5), Error);
  EXPECT_THROW(values.set("count", NAN), Error);
  EXPECT_THROW(values.set("count", 1e300), Error);
  EXPECT_THROW(values.set("step", true), Error);
  EXPECT_THROW(values.set("step", NAN), Error);
  EXPECT_THROW(values.set("verbose", 1L), Error);
  EXPECT_THROW(values.set("cone", 1.0), Error);
}

TEST(Options, reading_as_another_kind_is_an_error) {
  const OptionValues values{table()};
  EXPECT_THROW(values.real("count"), Error);
  EXPECT_THROW(values.integer("step"), Error);
  EXPECT_THROW(values.flag("cone"), Error);
  EXPECT_THROW(values.text("verbose"), Error);
  EXPECT_THROW(values.value("nothing"), Error);
}

TEST(Options, a_default_outside_its_own_bounds_is_an_error) {
  EXPECT_THROW(OptionValues(OptionTable{{"a", "", 2.0, "", 0.0, 1.0}}), Error);
  EXPECT_THROW(OptionValues(OptionTable{{"a", "", std::string("x"), "", 0, 0, {"y"}}}), Error);
  EXPECT_THROW(OptionValues(OptionTable{{"a", "", INFINITY}}), Error);
}

TEST(Options, what_is_accepted_reads_as_a_sentence_part) {
  EXPECT_EQ(accepted({"a", "", 0.0}), "a number");
  EXPECT_EQ(accepted({"a", "", 0.0, "m"}), "a number in m");
  EXPECT_EQ(accepted({"a", "", 0.0, "m", -1.0}), "a number of at least -1 m");
  EXPECT_EQ(accepted({"a", "", 0L, "", -INFINITY, 5}), "an integer of at most 5");
  EXPECT_EQ(accepted({"a", "", std::string("x"), "", 0, 0, {"x"}}), "'x'");
  EXPECT_EQ(accepted({"a", "", std::string("x"), "", 0, 0, {"x", "y", "z"}}),
            "one of 'x', 'y' or 'z'");
  EXPECT_EQ(accepted({"a", "", std::string("x")}), "a text");
  EXPECT_EQ(accepted({"a", "", true}), "true or false");
}

TEST(Options, json_keeps_table_order_and_every_bit) {
  OptionValues values{table()};
  EXPECT_EQ(values.to_json(),
            "{\"step\": 0.001, \"count\": 8, \"verbose\": false, \"cone\": \"quadratic\", "
            "\"label\": \"\", \"shift\": 0, \"weight\": 1}");
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-300.0, 300.0);
  for (int i = 0; i < 1000; ++i) {
    const double number = std::pow(10.0, exponent(random));
    values.set("shift", number);
    const std::string json = values.to_json();
    EXPECT_EQ(std::stod(json.substr(json.find("\"shift\": ") + 9)), number);
  }
  EXPECT_EQ(OptionValues().to_json(), "{}");
}

TEST(Options, json_strings_are_escaped_and_valid_utf8) {
  OptionValues values{OptionTable{{"s", "", std::string("")}}};
  auto json = [&](const std::string& text) {
    values.set("s", text);
    return values.to_json();
  };
  EXPECT_EQ(json("a\"b\\c\n\x01"), R"({"s": "a\"b\\c\u000a\u0001"})");
  EXPECT_EQ(json("é€😀"), "{\"s\": \"é€😀\"}");
  EXPECT_EQ(json("\xff"), R"({"s": "\ufffd"})");
  EXPECT_EQ(json("\xc3"), R"({"s": "\ufffd"})");
  EXPECT_EQ(json("\xc0\xaf"), R"({"s": "\ufffd\ufffd"})");              // overlong
  EXPECT_EQ(json("\xed\xa0\x80"), R"({"s": "\ufffd\ufffd\ufffd"})");    // surrogate
  EXPECT_EQ(json("\xf4\x90\x80\x80").find("\xf4"), std::string::npos);  // beyond U+10FFFF
}

TEST(Options, values_print_so_that_they_read_back) {
  EXPECT_EQ(to_string(OptionValue(0.1)), "0.1");
  EXPECT_EQ(to_string(OptionValue(1.0 / 3.0)), "0.3333333333333333");
  EXPECT_EQ(to_string(OptionValue(-3L)), "-3");
  EXPECT_EQ(to_string(OptionValue(true)), "true");
  EXPECT_EQ(to_string(OptionValue(std::string("x"))), "x");
}

TEST(Nearest, suggests_slips_and_nothing_far) {
  const std::vector<std::string> words{"friction", "restitution", "density", "step", "size", "mu"};
  EXPECT_EQ(nearest("fricton", words), "friction");
  EXPECT_EQ(nearest("frcition", words), "friction");  // a swap is one edit
  EXPECT_EQ(nearest("Friction", words), "friction");
  EXPECT_EQ(nearest("restituion", words), "restitution");
  EXPECT_EQ(nearest("dnesity", words), "density");
  EXPECT_EQ(nearest("setp", words), "step");
  EXPECT_EQ(nearest("MU", words), "mu");
  EXPECT_EQ(nearest("time", words), "");
  EXPECT_EQ(nearest("colour", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("x", {"y"}), "");
  EXPECT_EQ(nearest("gauss_seidel", {"lemke", "gauss-seidel"}), "gauss-seidel");
  EXPECT_EQ(nearest("abc", {"abd", "abe"}), "abd");  // the first of equals
  EXPECT_EQ(nearest(std::string(1000000, 'a'), {std::string(1000000, 'b')}), "");
}

TEST(Registry, refuses_doubles_and_suggests_the_nearest) {
  struct Thing {
    double size;
  };
  Registry<Thing> registry("thing");
  registry.add({"lemke", "", "", {{"size", "", 2.0}}, [](const OptionValues& values) {
                  return std::make_unique<Thing>(Thing{values.real("size")});
                }});
  EXPECT_EQ(registry.make("lemke")->size, 2.0);
  EXPECT_THROW(registry.add({"lemke", "", "", {}, nullptr}), Error);
  try {
    registry.at("lemkee");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "unknown thing 'lemkee' (did you mean 'lemke'?); accepted: lemke");
  }
}

}  // namespace
}  // namespace vinci
