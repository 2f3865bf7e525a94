#ifndef DSC_COMPILER_EXPORT_ONNX_ONNXEXPORTER_H
#define DSC_COMPILER_EXPORT_ONNX_ONNXEXPORTER_H

#include <string>

namespace dsc {

/// `dsc export MODULE --weights=TRAINED -o OUTPUT`.
struct ExportOptions {
  /// A module that dsc wrote: its manifest says which ONNX file it came from
  /// and where each parameter lies in it.
  std::string module;
  /// Trained weights by logical tensor name, as `dsrun --save` writes them.
  std::string weights;
  /// ONNX file to write; never the model file itself.
  std::string output;
  /// The user's ONNX file, if it is no longer where the manifest says.
  std::string model;
};

/// Writes the user's graph with trained weights in place of the old ones:
/// every byte outside the initializers' data stays as it was. A parameter that
/// has no initializer of its own in the file (a graph input, or one that
/// shares another's initializer through an Identity) gets one. Returns the
/// process's exit code; prints located messages to standard error; leaves no
/// output file on failure.
int exportModel(const ExportOptions &options);

} // namespace dsc

#endif // DSC_COMPILER_EXPORT_ONNX_ONNXEXPORTER_H
