// A ds_config.json, as launchers hand it on in base64: reading it, judging each
// key, and both reports.

#include "runtime/config/Config.h"
#include "test/fuzz/FuzzInput.h"

using namespace dsc::fuzz;
using namespace dsc::runtime;

static std::string base64(const uint8_t *data, size_t size) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < size; i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < size ? data[i + j] : 0);
    for (size_t j = 0; j < 4; ++j)
      text += i + j <= size ? kAlphabet[bits >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Config> config = loadConfig(base64(data, size));
  requireSentence(config.status());
  if (!config.ok())
    return 0;
  bool isRefused = false;
  for (const ConfigKey &key : config->keys) {
    require(key.line >= 1 && key.column >= 1);
    isRefused |= key.answer == ConfigAnswer::Refused;
    require(key.answer == ConfigAnswer::Honoured || !key.reason.empty());
  }
  requireSentence(config->check());
  require(config->check().ok() == !isRefused);
  (void)config->compileOptions();
  (void)config->runOptions();
  (void)config->ignoredNotice();
  require(!describeConfig(*config).empty());
  require(!describeConfigAsJson(*config).empty());
  return 0;
}
