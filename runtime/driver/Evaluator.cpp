#include "runtime/driver/Evaluator.h"
#include "runtime/data/Npy.h"
#include "runtime/driver/Results.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

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

/// Runs the data's entry on samples [begin, end), a batch on each rank in turn,
/// and writes what they give.
Status runBatches(Session &session, const Dataset &data, uint64_t begin,
                  uint64_t end, OutputWriter *writer) {
  std::vector<uint64_t> batch;
  std::vector<std::byte *> buffers;
  for (const Manifest::Input &input : data.entry().inputs)
    buffers.push_back(session.inputBuffer(input));
  const uint64_t together = data.batch() * session.ranks();
  for (uint64_t round = begin; round < end; round += together) {
    uint64_t first = std::min(round + session.rank() * data.batch(), end);
    data.list(std::nullopt, first, std::min(data.batch(), end - first), batch);
    DSC_RETURN_IF_ERROR(data.gather(batch, buffers));
    DSC_RETURN_IF_ERROR(session.run(data.entry().name));
    if (writer)
      DSC_RETURN_IF_ERROR(
          writer->append(session, std::min(together, end - round)));
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
                                          const Manifest::Entry &entry,
                                          uint32_t rank) {
  OutputWriter writer(entry);
  for (const Manifest::Output &output : entry.outputs) {
    bool perSample = !output.shape.empty() && output.shape[0] == entry.batch;
    if (rank != 0) {
      writer.columns.push_back({&output, perSample, std::nullopt, 0});
      continue;
    }
    DSC_ASSIGN(AtomicFile file,
               AtomicFile::create(directory + "/" + fileName(output.name)));
    // The row count is filled in at the end; the header's length is fixed.
    std::string header = npyHeader(output.type, output.shape);
    DSC_RETURN_IF_ERROR(file.write(header.data(), header.size()));
    writer.columns.push_back(
        {&output, perSample, std::move(file), header.size()});
  }
  return writer;
}

Status OutputWriter::append(const Session &session, uint64_t samples) {
  Channel &peers = session.peers();
  const uint64_t batch = entry->batch;
  std::vector<std::byte> received;
  // Of ranks without samples nobody wants anything.
  uint32_t writers = (samples + batch - 1) / batch;
  for (Column &column : columns) {
    DSC_ASSIGN(std::span<const std::byte> bytes,
               session.output(entry->name, column.output->name));
    const std::string label[] = {"output '" + column.output->name + "'"};
    peers.expect(label);
    for (uint32_t rank = 0; rank < writers; ++rank) {
      uint64_t here = std::min(batch, samples - rank * batch);
      if (session.rank() == 0 && rank != 0) {
        received.resize(bytes.size());
        DSC_RETURN_IF_ERROR(
            peers.receive(rank, received.data(), received.size()));
        DSC_RETURN_IF_ERROR(appendRank(column, received, here));
      } else if (session.rank() == 0) {
        DSC_RETURN_IF_ERROR(appendRank(column, bytes, here));
      } else if (session.rank() == rank) {
        DSC_RETURN_IF_ERROR(peers.send(0, bytes.data(), bytes.size()));
      }
    }
    peers.expect({});
  }
  rows += samples;
  return {};
}

Status OutputWriter::appendRank(Column &column,
                                std::span<const std::byte> bytes,
                                uint64_t samples) {
  if (column.perSample)
    return column.file->write(bytes.data(),
                              bytes.size() / entry->batch * samples);
  return column.file->writeAt(column.headerBytes, bytes.data(), bytes.size());
}

Status OutputWriter::commit() {
  for (Column &column : columns) {
    if (!column.file)
      continue;
    Shape shape = column.output->shape;
    if (column.perSample)
      shape[0] = rows;
    std::string header = npyHeader(column.output->type, shape);
    DSC_RETURN_IF_ERROR(column.file->writeAt(0, header.data(), header.size()));
    DSC_RETURN_IF_ERROR(column.file->commit());
  }
  return {};
}

Status dsc::runtime::writeOutputs(Session &session, const Dataset &data,
                                  OutputWriter &writer) {
  return runBatches(session, data, 0, data.samples(), &writer);
}

Result<EvalReport> dsc::runtime::evaluate(Session &session, const Dataset &data,
                                          OutputWriter *writer) {
  auto begin = std::chrono::steady_clock::now();
  for (const char *sum :
       {"dsc.eval_loss_sum", "dsc.eval_weight", "dsc.eval_correct"})
    if (session.module().manifest().findState(sum))
      DSC_RETURN_IF_ERROR(session.setScalar(sum, 0));
  uint64_t counted =
      std::min(data.rounds(session.ranks()) * session.ranks() * data.batch(),
               data.samples());
  DSC_RETURN_IF_ERROR(runBatches(session, data, 0, counted, writer));
  DSC_ASSIGN(EvalReport report, readReport(session, counted));
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  // What the sums could not take in is still wanted as output.
  if (writer)
    DSC_RETURN_IF_ERROR(
        runBatches(session, data, counted, data.samples(), writer));
  return report;
}

Status dsc::runtime::evaluateFirstBatch(Session &session, const Dataset &data) {
  uint64_t together = data.batch() * session.ranks();
  return runBatches(session, data, 0, std::min(together, data.samples()),
                    nullptr);
}
