#include "passes/analysis/ModelPlace.h"

using namespace mlir;

StringRef dsc::getModelPlace(Location loc) {
  StringRef place;
  loc->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    if (!name)
      return WalkResult::advance();
    place = name.getName().getValue();
    return WalkResult::interrupt();
  });
  return place;
}
