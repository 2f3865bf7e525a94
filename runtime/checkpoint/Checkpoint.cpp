#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/Agreement.h"
#include "runtime/checkpoint/SavedState.h"
#include "runtime/data/DurableFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <utility>

using namespace dsc::runtime;

namespace {

/// Adds the time of its life to a sum of seconds.
class StallClock {
public:
  explicit StallClock(double &sum) : sum(sum) {}
  ~StallClock() {
    sum += std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &sum;
  Clock::time_point begin = Clock::now();
};

/// Names the next collectives while it lives.
class Label {
public:
  Label(Channel &channel, const std::string &text) : channel(channel) {
    const std::string label[] = {text};
    channel.expect(label);
  }
  ~Label() { channel.expect({}); }

private:
  Channel &channel;
};

std::string packRecords(const PartRecords &records) {
  std::string text(
      sizeof(PartRecord) + records.pieces.size() * sizeof(PieceRecord), '\0');
  std::memcpy(text.data(), &records.part, sizeof(PartRecord));
  if (!records.pieces.empty())
    std::memcpy(text.data() + sizeof(PartRecord), records.pieces.data(),
                records.pieces.size() * sizeof(PieceRecord));
  return text;
}

PartRecords unpackRecords(const std::string &text) {
  PartRecords records;
  std::memcpy(&records.part, text.data(), sizeof(PartRecord));
  records.pieces.resize((text.size() - sizeof(PartRecord)) /
                        sizeof(PieceRecord));
  if (!records.pieces.empty())
    std::memcpy(records.pieces.data(), text.data() + sizeof(PartRecord),
                records.pieces.size() * sizeof(PieceRecord));
  return records;
}

/// The tensors of a set, from what all ranks wrote of each.
std::vector<CheckpointManifest::Tensor>
listTensors(const Manifest &manifest, const std::vector<PartRecords> &parts) {
  std::vector<std::vector<CheckpointManifest::Piece>> pieces(
      manifest.states.size());
  for (uint32_t file = 0; file < parts.size(); ++file)
    for (const PieceRecord &piece : parts[file].pieces)
      pieces[piece.state].push_back(
          {file, piece.offset, piece.begin, piece.end, piece.crc});
  std::vector<CheckpointManifest::Tensor> tensors;
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].empty())
      continue;
    std::sort(pieces[i].begin(), pieces[i].end(),
              [](const auto &a, const auto &b) { return a.begin < b.begin; });
    const Manifest::State &state = manifest.states[i];
    tensors.push_back({state.name, std::string(nameOfClass(state)), state.kind,
                       state.type, state.shape, std::move(pieces[i])});
  }
  return tensors;
}

} // namespace

Result<std::unique_ptr<CheckpointWriter>>
CheckpointWriter::create(const Session &session, const CheckpointFolder *folder,
                         const std::string &path, uint64_t keep) {
  Shard shard(session);
  Result<Arena> snapshot = Arena::allocate(shard.bytes());
  if (!snapshot.ok())
    return snapshot.status().in("the copy of the state for --save");
  return std::unique_ptr<CheckpointWriter>(new CheckpointWriter(
      session, folder, path, keep, std::move(shard), std::move(*snapshot)));
}

CheckpointWriter::CheckpointWriter(const Session &session,
                                   const CheckpointFolder *folder,
                                   const std::string &path, uint64_t keep,
                                   Shard shard, Arena snapshot)
    : session(session), folder(folder), path(path), keep(keep),
      shard(std::move(shard)), snapshot(std::move(snapshot)) {}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::start(Phase next, std::function<Status()> body) {
  phase = next;
  // What fails in the thread is an outcome like any other.
  auto guarded = [body = std::move(body)]() -> Status {
    try {
      return body();
    } catch (const std::exception &error) {
      return inputError(error.what());
    }
  };
  try {
    job = std::async(std::launch::async, guarded);
  } catch (const std::system_error &error) {
    session.endRead(); // As the job would have.
    std::promise<Status> failed;
    failed.set_value(inputError("cannot start a thread: ", error.what()));
    job = failed.get_future();
  }
}

Status CheckpointWriter::save(const CheckpointPoint &now) {
  StallClock clock(stall);
  DSC_RETURN_IF_ERROR(advance(/*waits=*/true));
  point = now;
  begin = std::chrono::steady_clock::now();
  // A step changes no more than scalars, so the rest is copied beside the next
  // one.
  shard.copyScalars(snapshot.data());
  session.beginRead();
  start(Phase::Writing, [this]() -> Status {
    shard.copyTensors(snapshot.data());
    session.endRead();
    DSC_RETURN_IF_ERROR(write());
    // Nobody is to be asked.
    return session.ranks() == 1 ? writeManifest({records}) : Status();
  });
  return {};
}

double CheckpointWriter::takeStall() {
  double waited = session.secondsWaited();
  stall += waited - std::exchange(waitedBefore, waited);
  return std::exchange(stall, 0);
}

Status CheckpointWriter::poll() {
  if (phase == Phase::Idle)
    return {};
  StallClock clock(stall);
  return advance(/*waits=*/false);
}

Status CheckpointWriter::finish() {
  StallClock clock(stall);
  return advance(/*waits=*/true);
}

Status CheckpointWriter::advance(bool waits) {
  while (phase != Phase::Idle) {
    bool isDone = false;
    Status status = collectOutcome(waits, isDone);
    if (!status.ok()) {
      phase = Phase::Idle;
      return status.in(
          concat("the checkpoint of step ", point.step, " could not be saved"));
    }
    if (!isDone)
      return {};
    if (phase == Phase::Writing && session.ranks() > 1) {
      DSC_RETURN_IF_ERROR(complete());
    } else {
      phase = Phase::Idle;
      ++completedSets;
    }
    if (!waits)
      return {};
  }
  return {};
}

/// Whether the jobs of all ranks are done, and how they ended.
Status CheckpointWriter::collectOutcome(bool waits, bool &isDone) {
  using namespace std::chrono_literals;
  Channel &channel = session.peers();
  if (waits)
    job.wait();
  uint8_t done = job.wait_for(0s) == std::future_status::ready;
  std::vector<uint8_t> all(channel.size());
  Label label(channel, "whether the checkpoint is written");
  DSC_RETURN_IF_ERROR(channel.allGather(&done, all.data(), 1));
  isDone = std::find(all.begin(), all.end(), 0) == all.end();
  return isDone ? agree(channel, job.get()) : Status();
}

/// All parts are on the disk: rank 0 makes a set of them.
Status CheckpointWriter::complete() {
  Label label(session.peers(), "the checksums of the checkpoint");
  DSC_ASSIGN(std::vector<std::string> parts,
             gatherStrings(session.peers(), packRecords(records)));
  start(Phase::Completing, [this, parts = std::move(parts)] {
    if (!folder)
      return Status();
    std::vector<PartRecords> unpacked;
    for (const std::string &part : parts)
      unpacked.push_back(unpackRecords(part));
    return writeManifest(unpacked);
  });
  return {};
}

Status CheckpointWriter::write() {
  std::string aside = path + "/" + checkpointAsideName(point.step);
  if (::mkdir(aside.c_str(), 0777) != 0 && errno != EEXIST)
    return inputError("cannot create '", aside, "': ", errnoText(errno));
  DSC_ASSIGN(records,
             writePart(aside + "/" +
                           checkpointPartName(session.rank(), session.ranks()),
                       shard, snapshot.data()));
  return {};
}

Status CheckpointWriter::writeManifest(const std::vector<PartRecords> &parts) {
  const Manifest &module = session.module().manifest();
  CheckpointManifest manifest;
  manifest.writerVersion = dsrt_version();
  manifest.model = modelHashOf(module);
  manifest.step = point.step;
  manifest.seed = point.seed;
  manifest.position = point.position;
  manifest.ranks = session.ranks();
  for (const Manifest::Group &group : module.groups)
    manifest.stage = std::max(manifest.stage, group.layout.stage);
  uint64_t bytes = 0;
  for (uint32_t rank = 0; rank < parts.size(); ++rank) {
    const PartRecord &part = parts[rank].part;
    bytes += part.bytes;
    manifest.files.push_back({checkpointPartName(rank, session.ranks()),
                              part.bytes, part.crc, part.headerBytes,
                              part.headerCrc});
  }
  manifest.tensors = listTensors(module, parts);

  std::string text = printCheckpointManifest(manifest);
  std::string aside = path + "/" + checkpointAsideName(point.step);
  DSC_ASSIGN(DurableFile file, DurableFile::create(aside + "/manifest.json"));
  DSC_RETURN_IF_ERROR(file.write(text.data(), text.size()));
  DSC_RETURN_IF_ERROR(file.sync());
  DSC_RETURN_IF_ERROR(folder->publish(point.step));
  setBytes = bytes;
  setSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return folder->prune(keep);
}
