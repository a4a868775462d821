// SPDX-License-Identifier: Apache-2.0
// Writing answers.
#include "apps/answer_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/storage/hdf5_file.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

// Files that may be replaced: answers, which have their numbers at the root, and nothing else.
bool is_answer(const fs::path& path) {
  try {
    const Hdf5File in(path, Hdf5File::Mode::read);
    return in.has("z") || in.has("r") || in.has("lambda") || in.has("certificate");
  } catch (const Error&) {
    return false;
  }
}

// Rows of contacts, where all contacts come first and only equalities follow; otherwise 0.
int contact_rows(const ComplementarityProblem& problem) {
  int rows = 0;
  bool contacts_end = false;
  for (const Block& block : problem.blocks) {
    const bool contact = block.law == Law::coulomb || block.law == Law::moments;
    if ((contact && contacts_end) || (!contact && block.law != Law::equality)) return 0;
    contacts_end = contacts_end || !contact;
    if (contact) rows += block.size;
  }
  return rows;
}

void write_numbers(Hdf5File& out, const ComplementarityProblem& problem, const AnswerFile& answer) {
  const VectorX& lambda = answer.solution.lambda;
  const std::string kind = problem_class(problem);
  if (kind == "lcp" || kind == "mlcp" || kind == "relay") {
    out.write_reals("z", lambda);
    out.write_reals("w", answer.w);
    return;
  }
  if (problem.unknowns() > 0) out.write_reals("v", answer.solution.u);
  const int rows = contact_rows(problem), others = problem.rows() - rows;
  if (rows == 0) {
    out.write_reals("lambda", lambda);
    out.write_reals("w", answer.w);
    return;
  }
  out.write_reals("r", lambda.head(rows));
  out.write_reals("u", answer.w.head(rows));
  if (others > 0) out.write_reals("l", lambda.tail(others));
}

}  // namespace

AnswerFolder::AnswerFolder(fs::path folder, const std::vector<std::string>& sources,
                           const std::vector<std::string>& names)
    : folder_(std::move(folder)), names_(names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (names[i] == names[j])
        throw Error(fmt::format("the answers to {} and {} would have the same name, {}.h5; solve "
                                "them one after the other, into two folders",
                                sources[j], sources[i], names[i]),
                    "--solution");
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) throw Error("cannot be created: " + code.message(), folder_.string());
}

std::string AnswerFolder::write(std::size_t input, const std::string& suffix,
                                const ComplementarityProblem& problem,
                                const AnswerFile& answer) const {
  const fs::path path = folder_ / (names_[input] + suffix + ".h5");
  std::error_code code;
  if (fs::exists(path, code) && !is_answer(path))
    throw Error("exists and is no answer of `vinci solve`; give another folder with --solution",
                path.string());
  Hdf5File out(path, Hdf5File::Mode::create);
  const auto write = [&](const char* name, const std::string& text) {
    out.write_attribute("/", name, text, Hdf5File::Length::variable);
  };
  write("source", answer.source);
  write("class", problem_class(problem));
  write("solver", answer.solver);
  write("status", answer.status);
  out.write_attribute("/", "residual", answer.residual);
  out.write_attribute("/", "tolerance", answer.tolerance);
  if (answer.certificate.size() > 0)
    out.write_reals("certificate", answer.certificate);
  else
    write_numbers(out, problem, answer);
  out.commit();
  return path.string();
}

}  // namespace vinci
