#include "runtime/config/Document.h"

#include "runtime/config/PlainText.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;
using nlohmann::json;

namespace {

/// No configuration nests deeper; bounds the recursion over what is read.
constexpr size_t kDeepest = 32;

/// No configuration has more values.
constexpr size_t kMostValues = 10000;

/// Hands characters to the parser and leaves behind how far it has read.
class Cursor {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  Cursor(const char *at, const char **furthest) : at(at), furthest(furthest) {}

  reference operator*() const { return *at; }
  Cursor &operator++() {
    *furthest = ++at;
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor &other) const { return at == other.at; }
  bool operator!=(const Cursor &other) const { return at != other.at; }

private:
  const char *at;
  const char **furthest;
};

/// As a segment of a JSON pointer.
std::string escaped(const std::string &key) {
  std::string out;
  for (char c : key)
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

/// Builds the tree from the parser's events. Each token begins where the one
/// before ended, behind blanks, commas and colons.
class TreeBuilder : public nlohmann::json_sax<json> {
public:
  TreeBuilder(const std::string &text, const std::string &name,
              const std::string &what)
      : text(text), name(name), what(what), furthest(text.data()),
        end(text.data()) {}

  Result<ConfigDocument> build() {
    // The parser knows no byte-order mark in the middle of its own counting.
    const char *begin = text.data();
    if (text.starts_with("\xEF\xBB\xBF"))
      begin += 3;
    end = begin;
    bool parsed =
        json::sax_parse(Cursor(begin, &furthest),
                        Cursor(text.data() + text.size(), &furthest), this);
    if (!failure.ok())
      return failure;
    if (!parsed || document.root.kind != ConfigNode::Kind::Object)
      return inputError(name, ":1:1: ", what, " is a JSON object, and this is ",
                        document.root.describe());
    document.name = name;
    return std::move(document);
  }

  bool null() override { return add(ConfigNode::Kind::Null) != nullptr; }
  bool boolean(bool value) override {
    ConfigNode *node = add(ConfigNode::Kind::Boolean);
    if (node)
      node->boolean = value;
    return node;
  }
  bool number_integer(json::number_integer_t value) override {
    return addNumber(double(value));
  }
  bool number_unsigned(json::number_unsigned_t value) override {
    return addNumber(double(value));
  }
  bool number_float(double value, const std::string &) override {
    return addNumber(value);
  }
  bool string(std::string &value) override {
    ConfigNode *node = add(ConfigNode::Kind::String);
    if (node)
      node->text = std::move(value);
    return node;
  }
  bool binary(json::binary_t &) override { return false; } // JSON has none.

  bool start_object(size_t) override { return open(ConfigNode::Kind::Object); }
  bool start_array(size_t) override { return open(ConfigNode::Kind::List); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string &value) override {
    const char *begin = beginToken();
    end = furthest;
    if (++values > kMostValues)
      return fail(begin, concat("more than ", kMostValues, " values"));
    for (const ConfigNode &node : stack.back()->members)
      if (node.key == value)
        return fail(begin, concat("the key '", value,
                                  "' is there already, in "
                                  "line ",
                                  node.line, ", column ", node.column));
    stack.back()->members.emplace_back().key = value;
    keyBegin = begin;
    return true;
  }

  bool parse_error(size_t, const std::string &,
                   const json::exception &error) override {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    std::string message = error.what();
    size_t name = message.find("] ");
    if (name != std::string::npos)
      message.erase(0, name + 2);
    if (message.starts_with("parse error at line"))
      message.erase(0, message.find(": ") + 2);
    message = message.substr(0, message.find("; last read"));
    // The character that is wrong has been read.
    const char *last = furthest > text.data() ? furthest - 1 : furthest;
    return fail(last, message);
  }

private:
  bool fail(const char *at, const std::string &message) {
    auto [line, column] = placeOf(at);
    failure = inputError(name, ":", line, ":", column, ": ", message);
    return false;
  }

  std::pair<uint32_t, uint32_t> placeOf(const char *at) {
    // Tokens come in order, so the text is walked through once.
    for (; counted < at; ++counted) {
      ++column;
      if (*counted == '\n') {
        ++line;
        column = 1;
      }
    }
    return {line, column};
  }

  const char *beginToken() {
    const char *begin = end;
    while (*begin && std::strchr(" \t\r\n,:", *begin))
      ++begin;
    return begin;
  }

  /// The node for the token that has just been read; null if it is one too
  /// many.
  ConfigNode *add(ConfigNode::Kind kind) {
    const char *begin = beginToken();
    end = furthest;
    if (++values > kMostValues) {
      fail(begin, concat("more than ", kMostValues, " values"));
      return nullptr;
    }
    if (kind == ConfigNode::Kind::Number) // The parser has looked beyond it.
      for (end = begin; *end && std::strchr("+-.eE0123456789", *end);)
        ++end;
    ConfigNode *node = &document.root;
    if (stack.empty()) {
      std::tie(node->line, node->column) = placeOf(begin);
    } else if (ConfigNode &parent = *stack.back();
               parent.kind == ConfigNode::Kind::Object) {
      node = &parent.members.back();
      node->pointer = parent.pointer + "/" + escaped(node->key);
      std::tie(node->line, node->column) = placeOf(keyBegin);
    } else {
      node = &parent.items.emplace_back();
      node->pointer = concat(parent.pointer, "/", parent.items.size() - 1);
      std::tie(node->line, node->column) = placeOf(begin);
    }
    node->kind = kind;
    if (kind == ConfigNode::Kind::Number)
      node->text.assign(begin, end);
    return node;
  }

  bool addNumber(double value) {
    ConfigNode *node = add(ConfigNode::Kind::Number);
    if (node)
      node->number = value;
    return node;
  }

  bool open(ConfigNode::Kind kind) {
    if (stack.size() == kDeepest)
      return fail(beginToken(), concat("more than ", kDeepest,
                                       " objects and lists within another"));
    // A node moves when its parent gets the next one, but is closed by then.
    ConfigNode *node = add(kind);
    if (node)
      stack.push_back(node);
    return node;
  }

  bool close() {
    end = furthest;
    stack.pop_back();
    return true;
  }

  const std::string &text;
  const std::string &name;
  const std::string &what;
  ConfigDocument document;
  std::vector<ConfigNode *> stack; ///< The objects and lists that are open.
  const char *furthest;            ///< Behind what the parser has read.
  const char *end;                 ///< Behind the last token.
  const char *keyBegin = nullptr;
  size_t values = 0;
  const char *counted = text.data(); ///< Where `line` and `column` are.
  uint32_t line = 1, column = 1;
  Status failure;
};

} // namespace

std::string ConfigNode::describe() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return boolean ? "true" : "false";
  case Kind::Number:
    return "the number " + text;
  case Kind::String:
    return "the string \"" + text + "\"";
  case Kind::List:
    return concat("a list of ", items.size());
  case Kind::Object:
    return "an object";
  }
  return "";
}

std::string ConfigDocument::place(const ConfigNode &node) const {
  std::string at = concat(name, ":", node.line, ":", node.column);
  return node.pointer.empty() ? at : concat(at, " (", node.pointer, ")");
}

Result<ConfigDocument> dsc::runtime::parseConfig(std::string text,
                                                 const std::string &name,
                                                 const std::string &what) {
  DSC_RETURN_IF_ERROR(blankComments(text, name));
  return TreeBuilder(text, name, what).build();
}

Result<ConfigDocument> dsc::runtime::readConfig(const std::string &fileOrText) {
  std::string name;
  DSC_ASSIGN(std::string text, readConfigText(fileOrText, name));
  return parseConfig(std::move(text), name);
}
