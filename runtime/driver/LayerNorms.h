#ifndef DSC_RUNTIME_DRIVER_LAYERNORMS_H
#define DSC_RUNTIME_DRIVER_LAYERNORMS_H

#include "runtime/monitor/Report.h"
#include "runtime/program/Session.h"

#include <deque>
#include <span>
#include <string>
#include <vector>

namespace dsc::runtime {

/// Measures the gradients and weights of each layer every few updates, and
/// tells when gradients vanish or explode. All ranks measure, since each has a
/// part; all get the same numbers.
class LayerNorms {
public:
  /// A gradient under this part of the largest layer's vanishes.
  static constexpr double kVanishing = 1e-7;
  /// One over so many times its own running median explodes.
  static constexpr double kExploding = 1e3;
  /// Measurements that the median is of, at most and at least.
  static constexpr size_t kMostMeasured = 32, kFewestMeasured = 5;

  /// Measures every `every` updates; 0: never, and the module needs no entry
  /// for it.
  static Result<LayerNorms> create(const Manifest &manifest, uint64_t every);

  /// Whether update `step` is measured.
  bool isDue(uint64_t step) const { return every && step % every == 0; }

  /// To be called between the last micro-batch of an update and the update.
  Status measure(Session &session);

  /// As last measured.
  std::span<const LayerNorm> norms() const { return measured; }

  /// Sentences about the gradients as last measured, in the update that
  /// `report` is of. Each layer is told of once for each trouble.
  std::vector<std::string> findTroubles(const StepReport &report);

private:
  /// What is known of a layer, whose names lie in the manifest.
  struct Layer {
    std::string_view gradientOutput, weightOutput;
    std::deque<double> history; ///< Of finite gradient norms above 0.
    bool toldVanishing = false, toldExploding = false;
  };

  std::string findTrouble(Layer &layer, const LayerNorm &norm,
                          const LayerNorm &largest);

  uint64_t every = 0;
  std::vector<Layer> layers;
  std::vector<LayerNorm> measured; ///< One a layer.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_LAYERNORMS_H
