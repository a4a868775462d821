// SPDX-License-Identifier: Apache-2.0
// The comparison in sentences.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/comparison/compare.h"
#include "vinci/comparison/words.h"

namespace vinci {
namespace {

constexpr double same_share = 1e-4;  // of the largest: impulses and forces that need no numbers
constexpr double least_turn = 1e-9;  // rad: below, a rotation needs none

// The pair of bodies whose impulses or forces differ most, as a share of the largest of all pairs.
struct ForceDifference {
  const PairDifference* pair = nullptr;
  double share = 0.0;
};

ForceDifference worst_forces(const Difference& d) {
  double impulse = 0.0, force = 0.0;
  for (const PairDifference& it : d.pairs) {
    impulse = std::max({impulse, it.total, it.reference_total});
    force = std::max({force, it.peak, it.reference_peak});
  }
  const auto share = [](double part, double all) { return all > 0.0 ? part / all : 0.0; };
  ForceDifference worst;
  for (const PairDifference& it : d.pairs) {
    const double here = std::max(share(it.last_impulse, impulse),
                                 share(std::abs(it.peak - it.reference_peak), force));
    if (worst.pair == nullptr || here > worst.share) worst = {&it, here};
  }
  return worst;
}

class Words {
 public:
  explicit Words(const Comparison& all) : all_(all) {}

  std::vector<std::string> sentences() {
    add_choice();
    for (const ComparisonCase& it : all_.cases) add_case(it);
    if (all_.cases.size() > 1) add_models();
    return std::move(sentences_);
  }

 private:
  std::string body(int b) const { return "'" + all_.bodies[static_cast<std::size_t>(b)] + "'"; }

  // How a run goes on with its reference, as the rest of a sentence.
  std::string agreement(const ComparedVariant& variant, const std::string& reference) const {
    const Difference& d = *variant.difference;
    const std::string with =
        fmt::format("agrees with '{}' within {}", reference, length_words(all_.tolerance));
    if (!std::isnan(d.first_above))
      return fmt::format("{} until {}; then {} leaves it, by up to {} ({} at {})", with,
                         time_words(d.first_above), body(d.first_body), length_words(d.largest),
                         body(d.largest_body), time_words(d.largest_time));
    if (d.largest_body < 0) return fmt::format("moves exactly as '{}'", reference);
    return fmt::format("{}, and is at most {} away ({} at {})", with, length_words(d.largest),
                       body(d.largest_body), time_words(d.largest_time));
  }

  // Why it leaves its reference, where that is no difference of the models; "" otherwise.
  std::string choice(const ComparedVariant& variant) const {
    if (!variant.by_choice) return "";
    const ComparisonCase& it = all_.cases[variant.case_index];
    const ComparedVariant& other = all_.variants[it.reference];
    const auto first = [](const ComparedVariant& run) {
      const std::int64_t step = run.trace.cost.first_several;
      return step > 0 ? static_cast<double>(step) * run.trace.step_size : infinity;
    };
    const ComparedVariant& chooser = first(variant) <= first(other) ? variant : other;
    return fmt::format(
        "; it differs by choice among several solutions: step {} of '{}', to {}, allows more than "
        "one motion",
        chooser.trace.cost.first_several, model_name(chooser), time_words(first(chooser)));
  }

  // The earliest contact whose modes come in another order; "" if there is none.
  std::string modes(const Difference& d) const {
    const PairDifference* first = nullptr;
    const auto begin = [](const PairDifference& pair) {
      return std::min(pair.modes.ended ? INFINITY : pair.modes.begin,
                      pair.modes.reference_ended ? INFINITY : pair.modes.reference_begin);
    };
    for (const PairDifference& pair : d.pairs)
      if (!pair.modes.same && (first == nullptr || begin(pair) < begin(*first))) first = &pair;
    if (first == nullptr) return "";
    const auto [a, b] = pair_names(all_.bodies, first->pair);
    const auto does = [](bool ended, ContactMode mode, double time) {
      return ended ? std::string("no further change")
                   : fmt::format("'{}' from {}", to_string(mode), time_words(time));
    };
    return fmt::format(
        "; contact of '{}' and '{}': {}, in the reference {}", a, b,
        does(first->modes.ended, first->modes.mode, first->modes.begin),
        does(first->modes.reference_ended, first->modes.reference, first->modes.reference_begin));
  }

  // Impulses and forces of the contact that differs most, as the rest of a sentence; "" if nothing
  // touches.
  std::string forces(const Difference& d) const {
    const auto [pair, share] = worst_forces(d);
    if (pair == nullptr) return "";
    if (share <= same_share) return "contact impulses and peak forces are the same to 0.01 %";
    const auto [a, b] = pair_names(all_.bodies, pair->pair);
    const std::string apart =
        pair->reference_total > 0.0
            ? fmt::format(" ({:.2g} % apart)", 100.0 * pair->last_impulse / pair->reference_total)
            : "";
    return fmt::format(
        "contact of '{}' and '{}': impulse {:.3g} instead of {:.3g} N s{}, peak force {:.3g} "
        "instead of {:.3g} N",
        a, b, pair->total, pair->reference_total, apart, pair->peak, pair->reference_peak);
  }

  // At the end of both runs: the body that is farthest from its place in the reference.
  std::string final_pose(const Difference& d) const {
    if (d.last_body < 0) return "every body in its place";
    const auto place =
        std::find_if(d.bodies.begin(), d.bodies.end(),
                     [&](const BodyDifference& it) { return it.body == d.last_body; });
    const std::string turn = place->last_turn < least_turn
                                 ? ""
                                 : fmt::format(" and {:.2g} deg", place->last_turn * 180.0 / M_PI);
    return fmt::format("{} {}{} away", body(d.last_body), length_words(d.last), turn);
  }

  // The end of a run, and its forces.
  void add_outcome(const std::string& head, const ComparedVariant& variant) {
    const Difference& d = *variant.difference;
    if (!(d.until > 0.0)) return;
    const std::string rest = forces(d);
    say(fmt::format("{}'{}' {} with {}{}.", head, model_name(variant),
                    variant.trace.cost.complete ? "ends" : "breaks off", final_pose(d),
                    rest.empty() ? "" : "; " + rest));
  }

  static std::string ending(const RunCost& cost) {
    if (cost.diverged())
      return fmt::format("diverged in step {} at '{}'", cost.steps, cost.diverged_body_name);
    return fmt::format("ended in step {}: {}", cost.steps, cost.ending_text());
  }

  // Where the reference is no finer than others, and only named before them.
  void add_choice() {
    const auto chosen = [&](const ComparisonCase& it) {
      return all_.default_reference && !it.finest && it.variants.size() > 1;
    };
    const auto count = std::count_if(all_.cases.begin(), all_.cases.end(), chosen);
    if (count == 0) return;
    if (all_.cases.size() == 1)
      return say(fmt::format("'{}' is the reference as the first one named: others are as fine.",
                             model_name(all_.variants[all_.cases.front().reference])));
    say(fmt::format("The reference is the first one named where others are as fine: in {}.",
                    count == static_cast<std::ptrdiff_t>(all_.cases.size())
                        ? "every case"
                        : fmt::format("{} of {} cases", count, all_.cases.size())));
  }

  void add_case(const ComparisonCase& it) {
    const std::string head = it.name.empty() ? "" : "With " + it.name + ": ";
    const ComparedVariant& reference = all_.variants[it.reference];
    const std::string reference_name = model_name(reference);
    if (!reference.trace.cost.complete)
      say(fmt::format("{}'{}', with which the others are compared, {}.", head, reference_name,
                      ending(reference.trace.cost)));
    if (it.variants.size() == 1) {
      say(fmt::format("{}'{}' alone could run: there is nothing to compare it with.", head,
                      reference_name));
      return;
    }
    add_agreeing(head, it);
    for (const std::size_t v : it.variants)
      if (v != it.reference && (!all_.variants[v].agrees || !many_agree(it)))
        add_variant(head, all_.variants[v], reference_name);
    if (reference.trace.cost.complete) add_cheapest(head, it);
  }

  // Agreeing runs get a sentence each only if they are few.
  bool many_agree(const ComparisonCase& it) const {
    return std::count_if(it.variants.begin(), it.variants.end(), [&](std::size_t v) {
             return v != it.reference && all_.variants[v].agrees;
           }) > 3;
  }

  void add_agreeing(const std::string& head, const ComparisonCase& it) {
    if (!many_agree(it)) return;
    std::vector<std::string> names;
    const ComparedVariant *farthest = nullptr, *hardest = nullptr;
    for (const std::size_t v : it.variants) {
      const ComparedVariant& variant = all_.variants[v];
      if (v == it.reference || !variant.agrees) continue;
      names.push_back("'" + model_name(variant) + "'");
      if (farthest == nullptr || variant.difference->largest > farthest->difference->largest)
        farthest = &variant;
      if (hardest == nullptr ||
          worst_forces(*variant.difference).share > worst_forces(*hardest->difference).share)
        hardest = &variant;
    }
    say(fmt::format("{}{} agree with '{}' within {}; the farthest, '{}', is at most {} away.", head,
                    fmt::join(names, ", "), model_name(all_.variants[it.reference]),
                    length_words(all_.tolerance), model_name(*farthest),
                    length_words(farthest->difference->largest)));
    if (worst_forces(*hardest->difference).share <= same_share) return;
    say(fmt::format("{} these, '{}' differs most in its forces; {}.",
                    head.empty() ? "Of" : head + "of", model_name(*hardest),
                    forces(*hardest->difference)));
  }

  void add_variant(const std::string& head, const ComparedVariant& variant,
                   const std::string& reference) {
    const RunCost& cost = variant.trace.cost;
    std::string text = fmt::format("{}'{}' ", head, model_name(variant));
    if (!cost.complete && !(variant.difference->until > 0.0)) return say(text + ending(cost) + ".");
    if (!cost.complete) text += ending(cost) + "; before, it ";
    say(text + agreement(variant, reference) + choice(variant) + modes(*variant.difference) + ".");
    add_outcome(head, variant);
  }

  // Others that agree at the same cost as the cheapest, as the rest of a sentence.
  std::string as_cheap(const ComparisonCase& it) const {
    const auto cost = [&](std::size_t v) { return all_.variants[v].trace.cost.cpu_per_second(); };
    std::vector<std::string> names;
    for (const std::size_t v : it.variants)
      if (v != it.cheapest && all_.variants[v].agrees && same_cost * cost(v) <= cost(it.cheapest))
        names.push_back("'" + model_name(all_.variants[v]) + "'");
    if (names.empty()) return "";
    if (names.size() > 3) return fmt::format("; {} others cost the same", names.size());
    return fmt::format("; {} cost{} the same", fmt::join(names, ", "),
                       names.size() == 1 ? "s" : "");
  }

  void add_cheapest(const std::string& head, const ComparisonCase& it) {
    const auto cost = [&](std::size_t v) {
      return seconds_words(all_.variants[v].trace.cost.cpu_per_second());
    };
    const std::string reference = model_name(all_.variants[it.reference]);
    if (!all_.variants[it.cheapest].trace.cost.certified())
      say(fmt::format("{}'{}' is not certified, and nothing certified agrees with it.", head,
                      reference));
    else if (it.cheapest == it.reference)
      say(fmt::format(
          "{} cheaper agrees with '{}', which takes {} of CPU time per simulated second{}.",
          head.empty() ? "Nothing" : head + "nothing", reference, cost(it.reference),
          as_cheap(it)));
    else
      say(fmt::format(
          "{} cheapest that agrees with '{}' is '{}': {} of CPU time per simulated "
          "second instead of {}{}.",
          head.empty() ? "The" : head + "the", reference, model_name(all_.variants[it.cheapest]),
          cost(it.cheapest), cost(it.reference), as_cheap(it)));
  }

  // The name of a variant without its parameters.
  std::string model_name(const ComparedVariant& variant) const {
    const std::string& case_name = all_.cases[variant.case_index].name;
    if (case_name.empty()) return variant.variant.name;
    std::string text;
    std::string rest = variant.variant.name + ", ";
    const std::string parameters = ", " + case_name + ", ";
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t end = rest.find(", ", at);
      const std::string part = rest.substr(at, end - at);
      if (parameters.find(", " + part + ", ") == std::string::npos)
        text += (text.empty() ? "" : ", ") + part;
      at = end + 2;
    }
    return text;
  }

  // For which parameters each model agrees.
  void add_models() {
    std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> models;
    std::vector<std::string> order;
    for (const ComparisonCase& it : all_.cases)
      for (const std::size_t v : it.variants) {
        if (v == it.reference) continue;
        const std::string model = model_name(all_.variants[v]);
        if (!models.contains(model)) order.push_back(model);
        auto& [good, bad] = models[model];
        (all_.variants[v].agrees ? good : bad).push_back(it.name);
      }
    for (const std::string& model : order) {
      const auto& [good, bad] = models[model];
      const std::string text =
          bad.empty() ? "agrees in every case"
          : good.empty()
              ? "agrees in no case"
              : fmt::format("agrees at {}; not at {}", fmt::join(good, "; "), fmt::join(bad, "; "));
      say(fmt::format("'{}' {}.", model, text));
    }
  }

  void say(std::string text) { sentences_.push_back(std::move(text)); }

  const Comparison& all_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> comparison_words(const Comparison& comparison) {
  return Words(comparison).sentences();
}

}  // namespace vinci
