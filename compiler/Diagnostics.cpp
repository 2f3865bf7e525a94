#include "compiler/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace dsc;
using namespace mlir;

/// "FILE: PLACE: " of the innermost ONNX place in `location`.
static std::string describe(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (name) {
      place = (name.getName().getValue() + ": ").str();
      if (auto child = dyn_cast<FileLineColLoc>(name.getChildLoc()))
        place = (child.getFilename().getValue() + ": ").str() + place;
      return WalkResult::interrupt();
    }
    if (!file)
      return WalkResult::advance();
    place = file.getFilename().str();
    if (file.getLine())
      place += ":" + std::to_string(file.getLine()) + ":" +
               std::to_string(file.getColumn());
    place += ": ";
    return WalkResult::interrupt();
  });
  return place.empty() ? "dsc: " : place;
}

/// Prints the calls through which a node of a function came into the graph,
/// innermost first.
static void printCallers(Location location, llvm::raw_ostream &os) {
  while (auto call = dyn_cast<CallSiteLoc>(location)) {
    location = call.getCaller();
    os << "  " << describe(location);
    llvm::WithColor::note(os) << "called from here\n";
  }
}

void dsc::printDiagnostic(Diagnostic &diagnostic) {
  llvm::raw_ostream &os = llvm::errs();
  os << describe(diagnostic.getLocation());
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    llvm::WithColor::error(os);
    break;
  case DiagnosticSeverity::Warning:
    llvm::WithColor::warning(os);
    break;
  case DiagnosticSeverity::Remark:
    llvm::WithColor::remark(os);
    break;
  case DiagnosticSeverity::Note:
    llvm::WithColor::note(os);
    break;
  }
  os << diagnostic.str() << '\n';
  printCallers(diagnostic.getLocation(), os);
  for (Diagnostic &note : diagnostic.getNotes()) {
    os << "  ";
    printDiagnostic(note);
  }
}
