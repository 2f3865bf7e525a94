#include "runtime/device/host/CpuFeatures.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace dsc::runtime;

namespace {

/// LLVM's names of x86 features that emit instructions, and the kernel's.
const std::map<std::string_view, std::string_view> &kernelNames() {
  static const std::map<std::string_view, std::string_view> names = {
      {"cmov", "cmov"},
      {"cx8", "cx8"},
      {"cx16", "cx16"},
      {"mmx", "mmx"},
      {"fxsr", "fxsr"},
      {"sse", "sse"},
      {"sse2", "sse2"},
      {"sse3", "pni"},
      {"ssse3", "ssse3"},
      {"sse4.1", "sse4_1"},
      {"sse4.2", "sse4_2"},
      {"crc32", "sse4_2"},
      {"sse4a", "sse4a"},
      {"popcnt", "popcnt"},
      {"sahf", "lahf_lm"},
      {"lzcnt", "abm"},
      {"bmi", "bmi1"},
      {"bmi2", "bmi2"},
      {"tbm", "tbm"},
      {"movbe", "movbe"},
      {"adx", "adx"},
      {"rdrnd", "rdrand"},
      {"rdseed", "rdseed"},
      {"fsgsbase", "fsgsbase"},
      {"prfchw", "3dnowprefetch"},
      {"xsave", "xsave"},
      {"xsaveopt", "xsaveopt"},
      {"xsavec", "xsavec"},
      {"xsaves", "xsaves"},
      {"clflushopt", "clflushopt"},
      {"clwb", "clwb"},
      {"clzero", "clzero"},
      {"aes", "aes"},
      {"vaes", "vaes"},
      {"pclmul", "pclmulqdq"},
      {"vpclmulqdq", "vpclmulqdq"},
      {"gfni", "gfni"},
      {"sha", "sha_ni"},
      {"f16c", "f16c"},
      {"fma", "fma"},
      {"fma4", "fma4"},
      {"xop", "xop"},
      {"avx", "avx"},
      {"avx2", "avx2"},
      {"avxvnni", "avx_vnni"},
      {"avxifma", "avx_ifma"},
      {"avxvnniint8", "avx_vnni_int8"},
      {"avxneconvert", "avx_ne_convert"},
      {"avx512f", "avx512f"},
      {"avx512cd", "avx512cd"},
      {"avx512bw", "avx512bw"},
      {"avx512dq", "avx512dq"},
      {"avx512vl", "avx512vl"},
      {"avx512ifma", "avx512ifma"},
      {"avx512vbmi", "avx512vbmi"},
      {"avx512vbmi2", "avx512_vbmi2"},
      {"avx512vnni", "avx512_vnni"},
      {"avx512bitalg", "avx512_bitalg"},
      {"avx512vpopcntdq", "avx512_vpopcntdq"},
      {"avx512bf16", "avx512_bf16"},
      {"avx512fp16", "avx512_fp16"},
      {"amx-tile", "amx_tile"},
      {"amx-int8", "amx_int8"},
      {"amx-bf16", "amx_bf16"},
  };
  return names;
}

} // namespace

std::vector<std::string>
dsc::runtime::missingCpuFeatures(std::string_view required,
                                 std::string_view cpuinfoFlags) {
  std::istringstream words{std::string(cpuinfoFlags)};
  std::set<std::string, std::less<>> present;
  for (std::string word; words >> word;)
    present.insert(word);

  std::vector<std::string> missing;
  std::istringstream features{std::string(required)};
  for (std::string feature; std::getline(features, feature, ',');) {
    if (feature.empty() || feature[0] != '+')
      continue;
    auto name = kernelNames().find(std::string_view(feature).substr(1));
    if (name != kernelNames().end() && !present.contains(name->second))
      missing.push_back(feature.substr(1));
  }
  return missing;
}

std::string dsc::runtime::readCpuFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags"))
      return line.substr(line.find(':') + 1);
  return "";
}

const char *dsc::runtime::hostArchitecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
#error "the host target knows x86-64 and AArch64"
#endif
}
