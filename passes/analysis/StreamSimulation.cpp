#include "passes/analysis/StreamSimulation.h"

#include <algorithm>

using namespace dsc;

StreamSimulation::Span StreamSimulation::issue(unsigned stream,
                                               double seconds) {
  Span span{times[stream], times[stream] + seconds};
  if (stream != 0) {
    if (seconds > 0)
      others.push_back(span);
  } else {
    // What it loses while another stream works comes behind.
    while (firstOther < others.size() && others[firstOther].end <= span.begin)
      ++firstOther;
    for (size_t i = firstOther; i < others.size(); ++i) {
      double begin = std::max(span.begin, others[i].begin);
      if (begin >= span.end)
        break;
      double gained = (others[i].end - begin) * (1 - share);
      double left = span.end - begin;
      if (gained >= left) {
        span.end = begin + left / (1 - share);
        break;
      }
      span.end = others[i].end + left - gained;
    }
  }
  times[stream] = span.end;
  return span;
}

bool StreamSimulation::record(unsigned stream, int64_t event) {
  return events.try_emplace(event, times[stream]).second;
}

bool StreamSimulation::wait(unsigned stream, int64_t event) {
  auto it = events.find(event);
  if (it == events.end())
    return false;
  times[stream] = std::max(times[stream], it->second);
  return true;
}

double StreamSimulation::finish() const {
  return *std::max_element(times.begin(), times.end());
}
