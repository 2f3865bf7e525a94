// Decides which operations of an entry share a region, and in which order
// regions and other operations run. Decides only; FormRegions.cpp rewrites.

#ifndef DSC_PASSES_FUSION_FUSIONPLAN_H
#define DSC_PASSES_FUSION_FUSIONPLAN_H

#include "dialects/interfaces/FusionOpInterface.h"
#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Operations that become one region.
struct PlannedRegion {
  /// In program order. Constants and broadcasts are not listed: each region
  /// clones those that its members use.
  llvm::SmallVector<mlir::Operation *> members;
  /// Uses of constants and broadcasts, outside of regions, that this region
  /// supplies with a further result.
  llvm::SmallVector<mlir::OpOperand *> supplied;
  FusionKind kind = FusionKind::Elementwise;
  /// The operation that a region of another kind is built around.
  mlir::Operation *core = nullptr;
  /// Where the region runs in the order that neighbours join along.
  unsigned position = 0;
};

/// One step of the planned order: a region, or an operation that stays.
struct PlannedUnit {
  PlannedRegion *region = nullptr;
  mlir::Operation *op = nullptr;
};

class FusionPlan {
public:
  /// Plans the entry. With `fuse` off, every operation gets its own region.
  FusionPlan(train::EntryOp entry, const StateMap &states, bool fuse);

  /// Regions and other operations, without the terminator, such that each
  /// follows all that it depends on.
  llvm::ArrayRef<PlannedUnit> getOrder() const { return order; }

  /// Whether there is such an order. The rules by which operations join never
  /// make a cycle; this is the check of that.
  bool isOrdered() const { return ordered; }

  /// Whether `op` is cloned into the regions that use it.
  bool isCloned(mlir::Operation *op) const;

private:
  /// What the plan knows of one operation.
  struct Node {
    mlir::Operation *op = nullptr;
    /// Nothing for operations without FusionOpInterface.
    std::optional<FusionKind> kind;
    /// Grows along every path, by one at each barrier (reductions,
    /// contractions, ...): what has one depth has no barrier in between.
    unsigned depth = 0;
    /// In update: the parameter on whose elements the operation works.
    mlir::StringAttr parameter;
    /// Works on the elements of several parameters, or on a parameter's in
    /// another shape: takes part in no rule.
    bool mixed = false;
    /// Place in an order that respects all dependences.
    unsigned position = 0;
    PlannedRegion *region = nullptr;
  };
  /// A use of a value, seen through the operations that will be cloned.
  struct Use {
    mlir::Operation *user;
    bool throughClone;
  };

  void number(train::EntryOp entry);
  void measureDepths(train::EntryOp entry, const StateMap &states);
  void inheritParameter(Node &node, const StateMap &states);
  void sinkDepths(const StateMap &states);
  void joinScalarsAndParameters();
  void formSingletons();
  void supplyBuffers(train::EntryOp entry, const StateMap &states);
  PlannedRegion *findWriterRegion(const Node &supplier, mlir::OpOperand &use,
                                  const StateMap &states);
  std::vector<PlannedUnit> sortUnits(const StateMap &states);

  // JoinNeighbours.cpp
  bool positionNodes(const StateMap &states);
  void createCores();
  void joinNeighbours();
  void collectUses(mlir::Operation *op, bool throughClone,
                   llvm::SmallVectorImpl<Use> &uses) const;
  unsigned getPosition(mlir::Operation *user) const;
  bool canSupply(const Node &node, const Node &user) const;
  bool readsThroughClone(mlir::Operation *op,
                         const PlannedRegion &region) const;
  PlannedRegion *findRegionOfAllUsers(const Node &node,
                                      llvm::ArrayRef<Use> uses,
                                      std::string &reason) const;
  PlannedRegion *findRegionOfOperand(const Node &node,
                                     llvm::ArrayRef<Use> uses) const;
  PlannedRegion *findRegionOfFirstUser(const Node &node,
                                       llvm::ArrayRef<Use> uses) const;
  bool canMoveTo(const PlannedRegion &region, const Node &joining,
                 unsigned position) const;

  bool isBarrier(const Node &node) const;
  bool isJoinable(const Node &node) const;
  bool joinsByDepth(const Node &node) const;
  unsigned getDepthLimit(mlir::Operation *user, const StateMap &states) const;
  PlannedRegion *createRegion(FusionKind kind);
  Node *lookup(mlir::Operation *op);
  const Node *lookup(mlir::Operation *op) const;

  bool fuse;
  std::vector<Node> nodes;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<std::unique_ptr<PlannedRegion>> regions;
  /// In update: the deepest region of each parameter, and its depth.
  llvm::DenseMap<mlir::StringAttr, std::pair<unsigned, PlannedRegion *>>
      deepest;
  /// Number of the last operation that reads each symbol.
  llvm::DenseMap<mlir::StringAttr, unsigned> lastReads;
  std::vector<PlannedUnit> order;
  bool ordered = false;
};

} // namespace dsc

#endif // DSC_PASSES_FUSION_FUSIONPLAN_H
