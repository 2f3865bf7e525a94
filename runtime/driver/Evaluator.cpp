#include "runtime/driver/Evaluator.h"
#include "runtime/data/Npy.h"
#include "runtime/driver/Results.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

using namespace dsc::runtime;

namespace {

/// An output's name as a file name: names of ONNX values may hold slashes.
std::string fileName(const std::string &output) {
  std::string name = output;
  std::replace(name.begin(), name.end(), '/', '_');
  return name + ".npy";
}

/// The sums of the eval entry so far, as means.
Result<EvalReport> readReport(const Session &session, uint64_t samples) {
  EvalReport report;
  report.samples = samples;
  DSC_ASSIGN(double loss, session.getScalar("dsc.eval_loss_sum"));
  DSC_ASSIGN(double weight, session.getScalar("dsc.eval_weight"));
  report.loss = weight != 0 ? loss / weight : 0;
  if (session.module().manifest().findState("dsc.eval_correct")) {
    DSC_ASSIGN(report.correct, session.getScalar("dsc.eval_correct"));
    report.labels = weight;
    report.accuracy = weight != 0 ? report.correct / weight : 0;
  }
  return report;
}

} // namespace

Status OutputWriter::prepare(const std::string &directory,
                             const Manifest::Entry &entry) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return inputError("cannot create '", directory, "': ", error.message());
  std::map<std::string, std::string> outputOf;
  for (const Manifest::Output &output : entry.outputs) {
    std::string name = fileName(output.name);
    auto [other, isNew] = outputOf.emplace(name, output.name);
    if (!isNew)
      return inputError("--write-outputs: the outputs '", other->second,
                        "' and '", output.name, "' would both be '", name, "'");
    DSC_RETURN_IF_ERROR(checkWritable(directory + "/" + name));
  }
  return {};
}

Result<OutputWriter> OutputWriter::create(const std::string &directory,
                                          const Manifest::Entry &entry) {
  OutputWriter writer(entry);
  for (const Manifest::Output &output : entry.outputs) {
    DSC_ASSIGN(AtomicFile file,
               AtomicFile::create(directory + "/" + fileName(output.name)));
    // The row count is filled in at the end; the header's length is fixed.
    std::string header = npyHeader(output.type, output.shape);
    DSC_RETURN_IF_ERROR(file.write(header.data(), header.size()));
    bool perSample = !output.shape.empty() && output.shape[0] == entry.batch;
    writer.columns.push_back(
        {&output, perSample, std::move(file), header.size()});
  }
  return writer;
}

Status OutputWriter::append(const Session &session, uint64_t samples) {
  rows += samples;
  for (Column &column : columns) {
    DSC_ASSIGN(std::span<const std::byte> bytes,
               session.output(entry->name, column.output->name));
    if (column.perSample)
      DSC_RETURN_IF_ERROR(column.file.write(
          bytes.data(), bytes.size() / entry->batch * samples));
    else
      DSC_RETURN_IF_ERROR(
          column.file.writeAt(column.headerBytes, bytes.data(), bytes.size()));
  }
  return {};
}

Status OutputWriter::commit() {
  for (Column &column : columns) {
    Shape shape = column.output->shape;
    if (column.perSample)
      shape[0] = rows;
    std::string header = npyHeader(column.output->type, shape);
    DSC_RETURN_IF_ERROR(column.file.writeAt(0, header.data(), header.size()));
    DSC_RETURN_IF_ERROR(column.file.commit());
  }
  return {};
}

Result<EvalReport> dsc::runtime::evaluate(Session &session, const Dataset &data,
                                          OutputWriter *writer) {
  for (const char *sum :
       {"dsc.eval_loss_sum", "dsc.eval_weight", "dsc.eval_correct"})
    if (session.module().manifest().findState(sum))
      DSC_RETURN_IF_ERROR(session.setScalar(sum, 0));

  std::vector<uint64_t> order(data.samples());
  std::iota(order.begin(), order.end(), uint64_t(0));
  auto runBatch = [&](uint64_t first) -> Status {
    uint64_t size = std::min(data.batch(), data.samples() - first);
    data.fill(session, std::span(order).subspan(first, size));
    DSC_RETURN_IF_ERROR(session.run(data.entry().name));
    return writer ? writer->append(session, size) : Status();
  };
  uint64_t counted = std::min(data.batches() * data.batch(), data.samples());
  for (uint64_t first = 0; first < counted; first += data.batch())
    DSC_RETURN_IF_ERROR(runBatch(first));
  DSC_ASSIGN(EvalReport report, readReport(session, counted));
  // What the sums could not take in is still wanted as output.
  if (writer && counted < data.samples())
    DSC_RETURN_IF_ERROR(runBatch(counted));
  return report;
}
