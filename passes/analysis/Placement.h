// Where each value of an entry lies. Schedule asks what its decisions cost by
// the same code by which lower then places.

#ifndef DSC_PASSES_ANALYSIS_PLACEMENT_H
#define DSC_PASSES_ANALYSIS_PLACEMENT_H

#include "dialects/nn/NnOps.h"
#include "passes/analysis/MemoryPlan.h"
#include "passes/analysis/StateAccess.h"

namespace dsc {

/// What the size of a gathered group depends on.
struct ArenaOptions {
  /// Most ranks that the module can run on.
  int64_t maxWorld = 1024;
  /// Elements in the unit in which ranges are cut.
  int64_t unit = 64;
};

/// The memory of a value.
struct Storage {
  enum class Kind { None, Arena, Tensor, Part, Input };

  Kind kind = Kind::None;
  MemoryPlan::Buffer buffer = 0;      ///< Arena.
  mlir::FlatSymbolRefAttr state = {}; ///< Tensor and Part.
  unsigned input = 0;                 ///< Input.

  explicit operator bool() const { return kind != Kind::None; }
  bool operator==(const Storage &other) const = default;
};

/// Values of one type that travel in one all-reduce: one after the other, in a
/// buffer that is sent and one that takes the sums.
struct Message {
  mlir::Type elementType;
  int64_t elements = 0;
  MemoryPlan::Buffer sent = 0, sums = 0;
};

/// Bytes behind and between the tensors of a group's flat buffer.
struct Gap {
  MemoryPlan::Buffer buffer;
  int64_t elements;
};

/// The buffer of one gather or reduce-scatter.
struct FlatBuffer {
  MemoryPlan::Buffer buffer = 0;
  int64_t elements = 0;
  llvm::SmallVector<MemoryPlan::Buffer> slices; ///< One a segment.
  llvm::SmallVector<Gap> gaps;
};

/// Decides, in one walk over the uses and one over the ops, where values lie.
/// A value and its reshapes are one: they share their root's storage.
class Placement {
public:
  /// `states` is the map of the entry's module. Buffers are added to `plan`.
  Placement(train::EntryOp entry, const StateMap &states,
            const ArenaOptions &options, MemoryPlan &plan);

  /// Reports what has no place, and by remarks, if wanted, what has to be
  /// copied. To be called once, before the getters.
  mlir::LogicalResult compute(bool withRemarks);

  Storage getStorage(mlir::Value value) const;
  /// The state whose part gives a value tensor<?xT> its extent; null for
  /// others.
  mlir::FlatSymbolRefAttr getPartOf(mlir::Value value) const;

  /// For each result of a region the operand that it overwrites, or -1.
  llvm::SmallVector<int64_t> getInplace(nn::FusionOp fusion) const;

  /// Whether the producer of the value already puts it where `sink` would.
  bool isDoneByProducer(mlir::Operation *sink) const {
    return done.contains(sink);
  }
  /// Whether the region adds the result to what its state holds, rather than
  /// writing it there.
  bool isAccumulated(mlir::Value result) const {
    return accumulated.contains(result);
  }
  /// Whether the state is overwritten while the value read from it is in use.
  bool isCopiedAtRead(mlir::Operation *read) const {
    return copied.contains(read);
  }

  const FlatBuffer &getFlatBuffer(mlir::Operation *start) const {
    return flatBuffers.find(start)->second;
  }
  llvm::ArrayRef<Message> getMessages(mlir::Operation *start) const {
    return messages.find(start)->second;
  }
  /// The place of operand `index` of an all-reduce in its message.
  MemoryPlan::Buffer getSlot(mlir::Operation *start, unsigned index) const {
    return slots.find({start, index})->second.first;
  }

  /// A new arena buffer for a value of this type.
  MemoryPlan::Buffer makeBuffer(mlir::Value value);

private:
  mlir::Value getRoot(mlir::Value value) const;
  unsigned getPosition(mlir::Operation *op) const {
    return positions.find(op)->second;
  }
  unsigned getLastUse(mlir::Value root) const;

  int64_t getStateElements(mlir::StringAttr symbol) const;

  // Facts.
  mlir::LogicalResult collect();
  mlir::LogicalResult collectBuffers(mlir::Operation *op);
  FlatBuffer makeFlatBuffer(zero::GroupOp group);
  void collectMessages(zero::AllReduceStartOp start);
  mlir::FlatSymbolRefAttr getGradient(mlir::Operation *user,
                                      mlir::FlatSymbolRefAttr parameter) const;
  mlir::FlatSymbolRefAttr getWrittenState(mlir::Operation *op) const;

  // Decisions.
  void decideEarlyWrites(nn::FusionOp fusion);
  bool addsOntoOthers(nn::FusionOp fusion, mlir::FlatSymbolRefAttr state) const;
  bool canWriteEarly(nn::FusionOp fusion, unsigned result,
                     mlir::FlatSymbolRefAttr state,
                     mlir::Operation *sink) const;
  void decideCopiesAtRead();
  void place(mlir::Operation *op);
  void placeRead(mlir::Operation *op, mlir::FlatSymbolRefAttr state,
                 Storage::Kind kind);
  Storage placeAtSink(mlir::OpResult result);
  Storage placeInOperand(nn::FusionOp fusion, unsigned result) const;

  struct Touch {
    unsigned position;
    bool writes;
  };

  train::EntryOp entry;
  const StateMap &states;
  const ArenaOptions options;
  MemoryPlan &plan;
  bool remarks = false;

  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Value, mlir::Value> roots; ///< Of reshapes.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpOperand *, 2>> uses;
  llvm::DenseMap<mlir::Value, mlir::FlatSymbolRefAttr> parts;
  /// By state; positions ascend, and move when a write is done early.
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<Touch, 2>> touches;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::Operation *, 2>>
      reads;

  llvm::DenseMap<mlir::Value, Storage> early;
  llvm::DenseMap<mlir::Value, Storage> storages;
  llvm::DenseSet<mlir::Value> accumulated;
  llvm::DenseSet<mlir::Operation *> done, copied;
  llvm::DenseMap<mlir::Operation *, FlatBuffer> flatBuffers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Message, 1>> messages;
  /// Where an operand is sent from, and where its sum arrives.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>,
                 std::pair<MemoryPlan::Buffer, MemoryPlan::Buffer>>
      slots;
};

/// The one matrix product that a region consists of, with operands that are the
/// region's own, or null.
nn::MatmulOp getPlainContraction(nn::FusionOp fusion);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_PLACEMENT_H
