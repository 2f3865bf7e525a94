#ifndef DSC_RUNTIME_CALIBRATE_MEDIAN_H
#define DSC_RUNTIME_CALIBRATE_MEDIAN_H

#include <algorithm>
#include <vector>

namespace dsc::runtime {

/// The element that as many others are above as are below. Not of none.
inline double median(std::vector<double> values) {
  auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CALIBRATE_MEDIAN_H
