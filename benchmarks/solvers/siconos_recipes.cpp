// SPDX-License-Identifier: Apache-2.0
#include "solvers/siconos_recipes.h"

#include <Friction_cst.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>
#include <relay_cst.h>

namespace vinci {
namespace {

using Recipes = std::vector<SiconosRecipe>;

// Enumeration visits 2^rows bases.
constexpr int largest_enumeration = 22;

Recipes lcp_recipes(int rows) {
  constexpr int pivot_rule = SICONOS_LCP_IPARAM_PIVOTING_METHOD_TYPE;
  Recipes recipes{
      {"LEMKE", SICONOS_LCP_LEMKE, true},
      {"PGS", SICONOS_LCP_PGS},
      {"PSOR 1.4", SICONOS_LCP_PSOR, false, 0, {}, {{SICONOS_LCP_DPARAM_RHO, 1.4}}},
      {"NEWTONMIN", SICONOS_LCP_NEWTONMIN, false, 0, {}, {}, 10000},
      {"CPG", SICONOS_LCP_CPG},
      {"PIVOT Lemke", SICONOS_LCP_PIVOT, true, 0, {{pivot_rule, SICONOS_LCP_PIVOT_LEMKE}}},
      {"PIVOT Bard", SICONOS_LCP_PIVOT, true, 0, {{pivot_rule, SICONOS_LCP_PIVOT_BARD}}},
      {"PIVOT least index",
       SICONOS_LCP_PIVOT,
       true,
       0,
       {{pivot_rule, SICONOS_LCP_PIVOT_LEAST_INDEX}}},
      {"BARD", SICONOS_LCP_BARD, true},
      {"MURTY", SICONOS_LCP_MURTY, true},
      {"PIVOT_LUMOD", SICONOS_LCP_PIVOT_LUMOD, true},
      {"PATHSEARCH", SICONOS_LCP_PATHSEARCH, true},
      {"AVI_CAOFERRIS", SICONOS_LCP_AVI_CAOFERRIS, true},
      {"NEWTON_FB", SICONOS_LCP_NEWTON_FB_FBLSA, false, 0, {}, {}, 10000},
      {"NEWTON_MIN_FB", SICONOS_LCP_NEWTON_MIN_FBLSA, false, 0, {}, {}, 10000},
      {"RPGS", SICONOS_LCP_RPGS},
      {"LATIN", SICONOS_LCP_LATIN},
      {"LATIN_W", SICONOS_LCP_LATIN_W},
      {"CONVEXQP_PG", SICONOS_LCP_CONVEXQP_PG},
      {"NSGS_SBM", SICONOS_LCP_NSGS_SBM},
      {"NSGS_SBM PGS", SICONOS_LCP_NSGS_SBM, false, SICONOS_LCP_PGS},
  };
  if (rows <= largest_enumeration) recipes.push_back({"ENUM", SICONOS_LCP_ENUM, true});
  return recipes;
}

Recipes mlcp_recipes(int rows) {
  Recipes recipes{
      {"LCP_LEMKE", SICONOS_MLCP_LCP_LEMKE, true},
      {"PGS", SICONOS_MLCP_PGS},
      {"RPGS", SICONOS_MLCP_RPGS},
      {"PSOR 1.4", SICONOS_MLCP_PSOR, false, 0, {}, {{SICONOS_DPARAM_MLCP_OMEGA, 1.4}}},
      {"RPSOR 1.4", SICONOS_MLCP_RPSOR, false, 0, {}, {{SICONOS_DPARAM_MLCP_OMEGA, 1.4}}},
      {"FB", SICONOS_MLCP_FB, false, 0, {}, {}, 10000},
      {"DIRECT_FB", SICONOS_MLCP_DIRECT_FB, false, 0, {}, {}, 10000},
  };
  if (rows <= 64) {  // the clock stops the longer ones
    recipes.push_back({"ENUM", SICONOS_MLCP_ENUM, true});
    recipes.push_back({"DIRECT_ENUM", SICONOS_MLCP_DIRECT_ENUM, true});
  }
  return recipes;
}

Recipes relay_recipes(int rows) {
  Recipes recipes{
      {"LEMKE", SICONOS_RELAY_LEMKE, true},
      {"PGS", SICONOS_RELAY_PGS},
      {"AVI_CAOFERRIS", SICONOS_RELAY_AVI_CAOFERRIS, true},
  };
  if (rows <= largest_enumeration) recipes.push_back({"ENUM", SICONOS_RELAY_ENUM, true});
  return recipes;
}

Recipes fc2d_recipes(int rows) {
  Recipes recipes{
      {"NSGS", SICONOS_FRICTION_2D_NSGS},
      {"NSGS light",
       SICONOS_FRICTION_2D_NSGS,
       false,
       0,
       {{SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION,
         SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT}}},
      {"CPG", SICONOS_FRICTION_2D_CPG},
      {"LEMKE", SICONOS_FRICTION_2D_LEMKE, true},
  };
  if (rows <= largest_enumeration) recipes.push_back({"ENUM", SICONOS_FRICTION_2D_ENUM, true});
  return recipes;
}

// Gauss-Seidel with each of its local solvers, kinds of error evaluation, and over-relaxation.
void add_gauss_seidel(Recipes& recipes) {
  constexpr int evaluation = SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION;
  constexpr int light = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
  const std::vector<std::pair<int, int>> relax{
      {SICONOS_FRICTION_3D_NSGS_RELAXATION, SICONOS_FRICTION_3D_NSGS_RELAXATION_TRUE}};
  const std::vector<std::pair<int, double>> by_1_4{
      {SICONOS_FRICTION_3D_NSGS_RELAXATION_VALUE, 1.4}};
  const std::pair<const char*, int> locals[] = {
      {"", 0},
      {" quartic", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC},
      {" quartic-nu", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC_NU},
      {" newton", SICONOS_FRICTION_3D_ONECONTACT_NSN},
      {" newton-gp", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP},
      {" projection", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone},
      {" projection-iterated", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration},
      {" projection-diagonal", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithDiagonalization},
      {" projection-regular", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithRegularization},
  };
  const int id = SICONOS_FRICTION_3D_NSGS;
  for (const auto& [label, inner] : locals) {
    const std::string name = std::string("NSGS") + label;
    recipes.push_back({name, id, false, inner});
    recipes.push_back({name + " light", id, false, inner, {{evaluation, light}}});
    if (inner == 0 || inner == SICONOS_FRICTION_3D_ONECONTACT_QUARTIC ||
        inner == SICONOS_FRICTION_3D_ONECONTACT_NSN)
      recipes.push_back({name + " 1.4", id, false, inner, relax, by_1_4});
  }
}

void add_newton(Recipes& recipes) {
  constexpr int formulation = SICONOS_FRICTION_3D_NSN_FORMULATION;
  constexpr int search = SICONOS_FRICTION_3D_NSN_LINESEARCH;
  constexpr int none = SICONOS_FRICTION_3D_NSN_LINESEARCH_NO;
  constexpr int iterations = 10000;
  const int id = SICONOS_FRICTION_3D_NSN_AC;
  recipes.push_back({"NSN_AC", id, false, 0, {}, {}, iterations});
  recipes.push_back({"NSN_AC no search", id, false, 0, {{search, none}}, {}, iterations});
  recipes.push_back({"NSN_AC standard",
                     id,
                     false,
                     0,
                     {{formulation, SICONOS_FRICTION_3D_NSN_FORMULATION_ALARTCURNIER_STD}},
                     {},
                     iterations});
  recipes.push_back({"NSN_AC Jean-Moreau",
                     id,
                     false,
                     0,
                     {{formulation, SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD}},
                     {},
                     iterations});
  recipes.push_back({"NSN_AC hybrid",
                     id,
                     false,
                     0,
                     {{SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY,
                       SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN}},
                     {},
                     iterations});
  recipes.push_back({"NSN_AC_TEST", SICONOS_FRICTION_3D_NSN_AC_TEST, false, 0, {}, {}, iterations});
  recipes.push_back({"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, false, 0, {}, {}, iterations});
  recipes.push_back({"NSN_NM", SICONOS_FRICTION_3D_NSN_NM, false, 0, {}, {}, iterations});
}

void add_proximal(Recipes& recipes) {
  constexpr int proximal = SICONOS_FRICTION_3D_PROXIMAL_IPARAM_STRATEGY;
  const int nsgs = SICONOS_FRICTION_3D_NSGS;
  recipes.push_back({"PROX", SICONOS_FRICTION_3D_PROX});
  recipes.push_back({"PROX NSGS", SICONOS_FRICTION_3D_PROX, false, nsgs});
  recipes.push_back({"PROX regularization",
                     SICONOS_FRICTION_3D_PROX,
                     false,
                     0,
                     {{proximal, SICONOS_FRICTION_3D_PROXIMAL_REGULARIZATION}}});
  recipes.push_back({"ADMM", SICONOS_FRICTION_3D_ADMM});
  recipes.push_back({"ADMM balancing",
                     SICONOS_FRICTION_3D_ADMM,
                     false,
                     0,
                     {{SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY,
                       SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING}}});
}

// Projections on the cone, and fixed points around a convex problem.
void add_projections(Recipes& recipes) {
  recipes.push_back({"EG", SICONOS_FRICTION_3D_EG});
  recipes.push_back({"VI_EG", SICONOS_FRICTION_3D_VI_EG});
  recipes.push_back({"FPP", SICONOS_FRICTION_3D_FPP});
  recipes.push_back({"VI_FPP", SICONOS_FRICTION_3D_VI_FPP});
  recipes.push_back({"HP", SICONOS_FRICTION_3D_HP});
  recipes.push_back({"DSFP", SICONOS_FRICTION_3D_DSFP});
  recipes.push_back({"NSGSV", SICONOS_FRICTION_3D_NSGSV});
  recipes.push_back({"TFP", SICONOS_FRICTION_3D_TFP});
  recipes.push_back({"PFP", SICONOS_FRICTION_3D_PFP});
  recipes.push_back({"ACLMFP", SICONOS_FRICTION_3D_ACLMFP});
  recipes.push_back({"SOCLCP", SICONOS_FRICTION_3D_SOCLCP});
}

Recipes global_recipes() {
  return {
      {"NSGS_WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR},
      {"NSN_AC_WR", SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, false, 0, {}, {}, 10000},
      {"ADMM_WR", SICONOS_GLOBAL_FRICTION_3D_ADMM_WR},
      {"PROX_WR", SICONOS_GLOBAL_FRICTION_3D_PROX_WR},
      {"NSGSV_WR", SICONOS_GLOBAL_FRICTION_3D_NSGSV_WR},
      {"DSFP_WR", SICONOS_GLOBAL_FRICTION_3D_DSFP_WR},
      {"TFP_WR", SICONOS_GLOBAL_FRICTION_3D_TFP_WR},
      {"NSGS", SICONOS_GLOBAL_FRICTION_3D_NSGS},
      {"NSN_AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, false, 0, {}, {}, 10000},
      {"VI_FPP", SICONOS_GLOBAL_FRICTION_3D_VI_FPP},
      {"VI_EG", SICONOS_GLOBAL_FRICTION_3D_VI_EG},
      {"ACLMFP", SICONOS_GLOBAL_FRICTION_3D_ACLMFP},
      {"ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM},
      {"IPM", SICONOS_GLOBAL_FRICTION_3D_IPM, false, 0, {}, {}, 10000},
  };
}

}  // namespace

std::vector<SiconosRecipe> siconos_recipes(const std::string& kind, int rows) {
  if (kind == "lcp") return lcp_recipes(rows);
  if (kind == "mlcp") return mlcp_recipes(rows);
  if (kind == "relay") return relay_recipes(rows);
  if (kind == "fc2d") return fc2d_recipes(rows);
  if (kind == "gfc3d") return global_recipes();
  Recipes recipes;  // the robust ones first: they set the time that the others must keep
  add_newton(recipes);
  add_proximal(recipes);
  add_gauss_seidel(recipes);
  add_projections(recipes);
  return recipes;
}

}  // namespace vinci
