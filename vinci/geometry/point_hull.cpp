// SPDX-License-Identifier: Apache-2.0
// By reentrant qhull [Barber 1996], on the points moved to their middle and scaled to unit size.
#include "vinci/geometry/point_hull.h"

#include <cstdio>
#include <memory>
#include <string>

#include <Eigen/SVD>
#include <fmt/format.h>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include "vinci/base/error.h"

namespace vinci {
namespace {

class PointHullRun {
 public:
  PointHullRun() : quiet_(std::fopen("/dev/null", "w")) { qh_zero(&qh_, quiet_); }
  PointHullRun(const PointHullRun&) = delete;
  PointHullRun& operator=(const PointHullRun&) = delete;
  ~PointHullRun() {
    qh_freeqhull(&qh_, !qh_ALL);
    int current = 0, total = 0;
    qh_memfreeshort(&qh_, &current, &total);
    if (quiet_) std::fclose(quiet_);
  }
  bool run(MatrixX& points, std::string command) {
    if (!quiet_) throw Failure("cannot open the null device that keeps qhull quiet");
    return qh_new_qhull(&qh_, static_cast<int>(points.rows()), static_cast<int>(points.cols()),
                        points.data(), False, command.data(), nullptr, quiet_) == 0;
  }
  // Planes n·x = o of the scaled points, and the volume.
  void read(PointHull& hull) {
    qhT* qh = &qh_;
    qh_getarea(qh, qh->facet_list);
    hull.volume = qh->totvol;
    const int d = qh->hull_dim;
    std::vector<double> normals;
    facetT* facet;
    FORALLfacets {
      normals.insert(normals.end(), facet->normal, facet->normal + d);
      hull.offsets.push_back(-facet->offset);
    }
    hull.normals = Eigen::Map<const MatrixX>(normals.data(), d,
                                             static_cast<Eigen::Index>(hull.offsets.size()));
  }

 private:
  std::FILE* quiet_;
  qhT qh_;
};

}  // namespace

PointHull point_hull(const MatrixX& points) {
  const int d = static_cast<int>(points.rows());
  if (d < 2 || d > 8)
    throw Error(fmt::format("points of {} numbers; accepted: 2 to 8", d), "points");
  if (!points.allFinite()) throw Error("accepted: finite numbers", "points");
  PointHull hull;
  if (points.cols() <= d) return hull;
  const VectorX middle = points.rowwise().mean();
  MatrixX scaled = points.colwise() - middle;
  const double size = scaled.colwise().norm().maxCoeff();
  if (!(size > 0.0)) return hull;
  scaled /= size;
  Eigen::JacobiSVD<MatrixX> svd(scaled);
  if (svd.singularValues()[d - 1] < 1e-12 * svd.singularValues()[0]) return hull;
  // Exact merging first; where that fails on nearly flat facets, points moved by about 1e-11.
  bool found = false;
  for (const char* how : {"qhull Qx Qt Pp", "qhull Qx Qt Q12 Pp", "qhull QJ Pp"}) {
    const auto run = std::make_unique<PointHullRun>();
    MatrixX copy = scaled;
    found = run->run(copy, how);
    if (!found) continue;
    run->read(hull);
    break;
  }
  if (!found) throw Failure("the hull of the points could not be made: they are nearly degenerate");
  hull.volume *= std::pow(size, d);
  for (std::size_t i = 0; i < hull.offsets.size(); ++i)
    hull.offsets[i] =
        size * hull.offsets[i] + hull.normals.col(static_cast<Eigen::Index>(i)).dot(middle);
  return hull;
}

}  // namespace vinci
