#include "runtime/config/Config.h"

#include <map>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;

namespace {

const char *nameOf(ConfigAnswer answer) {
  switch (answer) {
  case ConfigAnswer::Honoured:
    return "honoured";
  case ConfigAnswer::Approximated:
    return "approximated";
  case ConfigAnswer::Ignored:
    return "ignored";
  case ConfigAnswer::Refused:
    return "refused";
  }
  return "";
}

std::string optionText(const ConfigOption &option) {
  return "--" + option.name + (option.value.empty() ? "" : "=" + option.value);
}

std::vector<std::string> optionTexts(const std::vector<ConfigOption> &options) {
  std::vector<std::string> texts;
  for (const ConfigOption &option : options)
    texts.push_back(optionText(option));
  return texts;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += " " + word;
  return text;
}

/// "dsc --zero=3", "dsc and dsrun --lr=1e-3", ...
std::string becomes(const ConfigKey &key) {
  std::vector<std::string> compile = optionTexts(key.compile),
                           run = optionTexts(key.run);
  if (compile.empty() && run.empty())
    return "";
  if (compile == run)
    return "dsc and dsrun" + joined(run);
  std::string text = compile.empty() ? "" : "dsc" + joined(compile);
  if (!run.empty())
    text += (text.empty() ? "dsrun" : ", dsrun") + joined(run);
  return text;
}

} // namespace

std::string dsc::runtime::describeConfig(const Config &config) {
  std::string out;
  std::map<ConfigAnswer, size_t> counts;
  for (const ConfigKey &key : config.keys) {
    ++counts[key.answer];
    out += concat(config.file, ":", key.line, ":", key.column, ": ",
                  key.pointer, ": ", nameOf(key.answer));
    for (const std::string &part : {becomes(key), key.reason})
      if (!part.empty())
        out += ": " + part;
    out += "\n";
  }
  for (const std::string &notice : config.notices)
    out += "notice: " + notice + "\n";
  out += concat(config.file, ": ", config.keys.size(),
                config.keys.size() == 1 ? " key" : " keys");
  for (auto [answer, count] : counts)
    out += concat(", ", count, " ", nameOf(answer));
  return out + "\n";
}

std::string dsc::runtime::describeConfigAsJson(const Config &config) {
  using nlohmann::ordered_json;
  ordered_json keys = ordered_json::array();
  for (const ConfigKey &key : config.keys)
    keys.push_back({{"line", key.line},
                    {"column", key.column},
                    {"pointer", key.pointer},
                    {"answer", nameOf(key.answer)},
                    {"dsc", optionTexts(key.compile)},
                    {"dsrun", optionTexts(key.run)},
                    {"reason", key.reason}});
  ordered_json whole = {{"file", config.file},
                        {"honoured", config.check().ok()},
                        {"keys", keys},
                        {"notices", config.notices}};
  // A file's name need not be UTF-8.
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}
