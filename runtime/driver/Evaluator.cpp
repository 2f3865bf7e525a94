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
  report.weight = weight;
  report.loss = weight != 0 ? loss / weight : 0;
  if (session.module().manifest().findState("dsc.eval_correct")) {
    DSC_ASSIGN(report.correct, session.getScalar("dsc.eval_correct"));
    report.accuracy = weight != 0 ? report.correct / weight : 0;
  }
  return report;
}

/// Runs the data's entry on samples [begin, end) and writes what they give.
Status runBatches(Session &session, const Dataset &data, uint64_t begin,
                  uint64_t end, OutputWriter *writer) {
  std::vector<uint64_t> batch;
  for (uint64_t first = begin; first < end; first += data.batch()) {
    batch.resize(std::min(data.batch(), end - first));
    std::iota(batch.begin(), batch.end(), first);
    DSC_RETURN_IF_ERROR(data.fill(session, batch));
    DSC_RETURN_IF_ERROR(session.run(data.entry().name));
    if (writer)
      DSC_RETURN_IF_ERROR(writer->append(session, batch.size()));
  }
  return {};
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

Status dsc::runtime::writeOutputs(Session &session, const Dataset &data,
                                  OutputWriter &writer) {
  return runBatches(session, data, 0, data.samples(), &writer);
}

Result<EvalReport> dsc::runtime::evaluate(Session &session, const Dataset &data,
                                          OutputWriter *writer) {
  for (const char *sum :
       {"dsc.eval_loss_sum", "dsc.eval_weight", "dsc.eval_correct"})
    if (session.module().manifest().findState(sum))
      DSC_RETURN_IF_ERROR(session.setScalar(sum, 0));
  uint64_t counted = std::min(data.batches() * data.batch(), data.samples());
  DSC_RETURN_IF_ERROR(runBatches(session, data, 0, counted, writer));
  DSC_ASSIGN(EvalReport report, readReport(session, counted));
  // What the sums could not take in is still wanted as output.
  if (writer)
    DSC_RETURN_IF_ERROR(
        runBatches(session, data, counted, data.samples(), writer));
  return report;
}
