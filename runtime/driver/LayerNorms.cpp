#include "runtime/driver/LayerNorms.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace dsc::runtime;

static constexpr const char *kEntry = "layer_norms";

Result<LayerNorms> LayerNorms::create(const Manifest &manifest,
                                      uint64_t every) {
  LayerNorms norms;
  norms.every = every;
  if (!every)
    return norms;
  const Manifest::Entry *entry = manifest.findEntry(kEntry);
  if (!entry)
    return usageError("--layer-norms: the module has no entry '", kEntry,
                      "'; compile it with dsc --layer-norms");
  for (const Manifest::Output &output : entry->outputs) {
    auto known = std::find_if(
        norms.measured.begin(), norms.measured.end(),
        [&](const LayerNorm &norm) { return norm.layer == output.layer; });
    if (known == norms.measured.end()) {
      norms.measured.push_back({output.layer});
      norms.layers.emplace_back();
      known = norms.measured.end() - 1;
    }
    Layer &layer = norms.layers[known - norms.measured.begin()];
    (output.normOf == "gradient" ? layer.gradientOutput : layer.weightOutput) =
        output.name;
  }
  return norms;
}

static Status read(const Session &session, std::string_view output,
                   double &value) {
  DSC_ASSIGN(std::span<const std::byte> bytes, session.output(kEntry, output));
  if (bytes.size() != sizeof(value))
    return inputError("output '", std::string(output), "' of entry '", kEntry,
                      "' is not a number in f64");
  std::memcpy(&value, bytes.data(), sizeof(value));
  return {};
}

Status LayerNorms::measure(Session &session) {
  DSC_RETURN_IF_ERROR(session.run(kEntry));
  for (size_t i = 0; i < layers.size(); ++i) {
    DSC_RETURN_IF_ERROR(
        read(session, layers[i].gradientOutput, measured[i].gradientNorm));
    DSC_RETURN_IF_ERROR(
        read(session, layers[i].weightOutput, measured[i].weightNorm));
  }
  return {};
}

/// The element that as many others are above as are below.
static double medianOf(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string LayerNorms::findTrouble(Layer &layer, const LayerNorm &norm,
                                    const LayerNorm &largest) {
  const double gradient = norm.gradientNorm;
  double median = 0;
  if (layer.history.size() >= kFewestMeasured)
    median = medianOf({layer.history.begin(), layer.history.end()});
  if (std::isfinite(gradient) && gradient > 0) {
    layer.history.push_back(gradient);
    if (layer.history.size() > kMostMeasured)
      layer.history.pop_front();
  }
  const std::string of =
      concat("the gradient of layer '", std::string(norm.layer), "' ");
  bool explodes = !std::isfinite(gradient) ||
                  (median > 0 && gradient > kExploding * median);
  if (explodes && !layer.toldExploding) {
    layer.toldExploding = true;
    if (!std::isfinite(gradient))
      return of + "is not finite";
    return concat(of, "explodes: its norm is ", gradient,
                  ", after a median of ", median);
  }
  // Where nothing is left to learn there is nothing to compare with.
  bool vanishes = gradient == 0 || gradient < kVanishing * largest.gradientNorm;
  if (vanishes && std::isfinite(largest.gradientNorm) && !layer.toldVanishing) {
    layer.toldVanishing = true;
    return concat(of, "vanishes: its norm is ", gradient, ", and that of '",
                  std::string(largest.layer), "' ", largest.gradientNorm);
  }
  return "";
}

std::vector<std::string> LayerNorms::findTroubles(const StepReport &report) {
  std::vector<std::string> troubles;
  // Without weight all gradients are 0, and without a loss none means much.
  if (report.weight == 0 || measured.empty())
    return troubles;
  LayerNorm largest = measured.front();
  for (const LayerNorm &norm : measured)
    if (!(norm.gradientNorm <= largest.gradientNorm)) // Also takes a NaN.
      largest = norm;
  for (size_t i = 0; i < layers.size(); ++i)
    if (std::string trouble = findTrouble(layers[i], measured[i], largest);
        !trouble.empty())
      troubles.push_back(concat("step ", report.step, ": ", trouble));
  return troubles;
}
