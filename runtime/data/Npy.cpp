#include "runtime/data/Npy.h"

#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>

using namespace dsc::runtime;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// Reads the Python dictionary literal of a .npy header, of which numpy writes
/// only strings, booleans and tuples of integers.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  bool parse() {
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!quoted(key) || !take(':') || !value(key))
        return false;
      take(',');
    }
    return hasDescr && hasOrder && hasShape;
  }

  std::string descr;
  bool fortranOrder = false;
  Shape shape;

private:
  bool value(const std::string &key) {
    if (key == "descr")
      return hasDescr = quoted(descr);
    if (key == "fortran_order")
      return hasOrder = boolean(fortranOrder);
    if (key == "shape")
      return hasShape = tuple(shape);
    return false;
  }

  void skipSpace() {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])))
      text.remove_prefix(1);
  }

  bool take(char c) {
    skipSpace();
    if (text.empty() || text[0] != c)
      return false;
    text.remove_prefix(1);
    return true;
  }

  bool quoted(std::string &out) {
    skipSpace();
    if (text.empty() || (text[0] != '\'' && text[0] != '"'))
      return false;
    size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos)
      return false;
    out = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }

  bool boolean(bool &out) {
    skipSpace();
    for (bool candidate : {true, false}) {
      std::string_view word = candidate ? "True" : "False";
      if (text.starts_with(word)) {
        text.remove_prefix(word.size());
        out = candidate;
        return true;
      }
    }
    return false;
  }

  bool tuple(Shape &out) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      int64_t size;
      auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc())
        return false;
      text.remove_prefix(end - text.data());
      out.push_back(size);
      take(',');
    }
    return true;
  }

  std::string_view text;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};

/// `<f4` → float32, `|u1` → uint8; what is not a plain number stays as it is.
std::string numpyName(const std::string &descr) {
  constexpr unsigned kLargest = 64; // Bytes; numpy has none that is larger.
  if (descr.size() < 3)
    return descr;
  const char *last = descr.data() + descr.size();
  unsigned bytes = 0;
  if (std::from_chars(descr.data() + 2, last, bytes).ptr != last ||
      bytes > kLargest)
    return descr;
  std::string bits = std::to_string(8 * bytes);
  switch (descr[1]) {
  case 'f':
    return "float" + bits;
  case 'i':
    return "int" + bits;
  case 'u':
    return "uint" + bits;
  case 'b':
    return "bool";
  default:
    return descr;
  }
}

} // namespace

Result<Array> dsc::runtime::parseNpy(std::span<const std::byte> bytes,
                                     const std::string &location,
                                     std::shared_ptr<const void> owner) {
  auto fail = [&](const auto &...parts) {
    return inputError("'", location, "': ", parts...);
  };
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(kMagic) || text.size() < 10)
    return fail("not a .npy file; write it with numpy.save");

  // Versions 2 and 3 widened the header's length from 2 to 4 bytes.
  size_t lengthBytes = text[6] == 1 ? 2 : 4;
  uint32_t length = 0;
  if (text[6] < 1 || text[6] > 3 || text.size() < 8 + lengthBytes)
    return fail("unknown version of the .npy format");
  std::memcpy(&length, text.data() + 8, lengthBytes);
  size_t start = 8 + lengthBytes;
  if (length > text.size() - start)
    return fail("truncated in its header");

  HeaderParser header(text.substr(start, length));
  if (!header.parse())
    return fail("the .npy header cannot be read");
  if (header.fortranOrder && header.shape.size() > 1)
    return fail("stored in Fortran order; save numpy.ascontiguousarray(a)");

  Array array{location,     std::nullopt, numpyName(header.descr),
              header.shape, {},           std::move(owner),
              nullptr};
  for (const ElementTypeInfo &type : elementTypes())
    if (header.descr == type.npy)
      array.type = type.type;
  if (header.descr.starts_with('>'))
    array.typeName = "big-endian " + array.typeName;
  if (!array.type) // The caller says which type it wants instead.
    return array;

  Result<uint64_t> size = byteCount(*array.type, array.shape);
  if (!size.ok())
    return size.status().in("'" + location + "'");
  size_t available = bytes.size() - start - length;
  if (*size > available)
    return fail("truncated: ", toString(array.shape), " ", array.typeName,
                " needs ", *size, " bytes, the file has ", available);
  array.bytes = bytes.subspan(start + length, *size);
  return array;
}

std::string dsc::runtime::npyHeader(ElementType type, const Shape &shape) {
  std::string sizes;
  for (int64_t size : shape)
    sizes += std::to_string(size) + ", ";
  std::string text =
      concat("{'descr': '", info(type).npy,
             "', 'fortran_order': False, 'shape': (", sizes, "), }");
  // Room for 20 digits a dim, rounded up so that the data starts on 64 bytes.
  size_t length = 10 + 64 + 22 * shape.size();
  length += (64 - length % 64) % 64;
  text.resize(length - 11, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\1', '\0', char(text.size() & 0xff), char(text.size() >> 8)};
  return header + text;
}
