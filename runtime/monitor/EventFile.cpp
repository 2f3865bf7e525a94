#include "runtime/monitor/EventFile.h"

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

using namespace dsc::runtime;

namespace {

static_assert(std::endian::native == std::endian::little,
              "records and messages are little-endian");

/// Kinds of fields on protobuf's wire.
enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += char(value | 0x80);
  out += char(value);
}

void appendKey(std::string &out, unsigned field, Wire wire) {
  appendVarint(out, field << 3 | wire);
}

void appendVarint(std::string &out, unsigned field, uint64_t value) {
  appendKey(out, field, kVarint);
  appendVarint(out, value);
}

void appendBytes(std::string &out, unsigned field, std::string_view bytes) {
  appendKey(out, field, kBytes);
  appendVarint(out, bytes.size());
  out += bytes;
}

template <typename T> void appendRaw(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

constexpr std::array<uint32_t, 256> makeCrcTable() {
  constexpr uint32_t kCastagnoli = 0x82f63b78; // Bits reversed.
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit)
      rest = rest >> 1 ^ (rest & 1 ? kCastagnoli : 0);
    table[byte] = rest;
  }
  return table;
}

} // namespace

uint32_t dsc::runtime::maskedCrc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> table = makeCrcTable();
  uint32_t crc = ~0u;
  for (unsigned char byte : bytes)
    crc = table[(crc ^ byte) & 0xff] ^ crc >> 8;
  return std::rotr(~crc, 15) + 0xa282ead8u;
}

Result<EventFile> EventFile::create(const std::string &path) {
  std::FILE *stream = std::fopen(path.c_str(), "wxe");
  if (!stream)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  EventFile file(path, stream);
  std::string version;
  appendBytes(version, 3, "brain.Event:2"); // file_version
  DSC_RETURN_IF_ERROR(file.writeEvent(0, version));
  return file;
}

/// A record of an Event: its time, `x` as its step, and one more field.
Status EventFile::writeEvent(uint64_t x, const std::string &what) {
  std::chrono::duration<double> now =
      std::chrono::system_clock::now().time_since_epoch();
  std::string event;
  appendKey(event, 1, kFixed64); // wall_time
  appendRaw(event, now.count());
  appendVarint(event, 2, x); // step
  event += what;

  std::string record;
  appendRaw(record, uint64_t(event.size()));
  appendRaw(record, maskedCrc32c(record));
  record += event;
  appendRaw(record, maskedCrc32c(event));
  if (std::fwrite(record.data(), 1, record.size(), file.get()) !=
          record.size() ||
      std::fflush(file.get()) != 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return {};
}

Status EventFile::writeScalars(uint64_t x, std::span<const Scalar> scalars) {
  std::string summary;
  for (const Scalar &scalar : scalars) {
    std::string value;
    appendBytes(value, 1, scalar.name); // tag
    appendKey(value, 2, kFixed32);      // simple_value
    appendRaw(value, float(scalar.value));
    appendBytes(summary, 1, value);
  }
  std::string what;
  appendBytes(what, 5, summary);
  return writeEvent(x, what);
}

Status EventFile::writeRestart(uint64_t x) {
  std::string session, what;
  appendVarint(session, 1, 1); // status: START
  appendBytes(what, 7, session);
  return writeEvent(x, what);
}

Status EventFile::close() {
  if (file && std::fclose(file.release()) != 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return {};
}
