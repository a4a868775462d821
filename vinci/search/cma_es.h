// SPDX-License-Identifier: Apache-2.0
// Evolution with a covariance matrix that adapts (CMA-ES) [Hansen 2016], begun again with twice the
// population where it has settled [Auger 2005].
#pragma once

#include "vinci/search/search_random.h"
#include "vinci/search/searcher.h"

namespace vinci {

class CmaEs : public Searcher {
 public:
  explicit CmaEs(const SearchOptions& options);
  VectorX guess() const override;

 private:
  void proceed() override;
  void begin();
  void ask();
  void adapt();
  bool has_settled();

  SearchRandom random_;
  Eigen::Index population_, parents_ = 0;
  // Weights and rates, named as in the paper.
  VectorX weights_;
  double mu_effective_ = 0.0, c_sigma_ = 0.0, d_sigma_ = 0.0, c_c_ = 0.0, c_1_ = 0.0, c_mu_ = 0.0;
  double expected_length_ = 0.0;  // of a vector of normal numbers
  // The state: points are mean + sigma B D z, folded into the cube.
  VectorX mean_, path_sigma_, path_c_, lengths_;
  MatrixX covariance_, directions_, steps_;  // steps: B D z of the generation
  double sigma_ = 0.0;
  std::uint64_t generation_ = 0;
  std::vector<double> bests_;  // of the generations
};

// The point of the cube that x stands for: the faces are mirrors.
VectorX folded(const VectorX& x);

}  // namespace vinci
