#ifndef DSC_RUNTIME_BASE_LOG_H
#define DSC_RUNTIME_BASE_LOG_H

#include <string>

namespace dsc::runtime {

/// Sentences for the user, one a line on standard error, as
/// `<program>: <severity>: <sentence>`. Only the driver logs; the library
/// returns a Status.
class Log {
public:
  explicit Log(std::string program) : program(std::move(program)) {}

  /// One that says nothing: of several ranks, one speaks.
  static Log silent() { return Log(""); }

  void error(const std::string &sentence) const { print("error", sentence); }
  void notice(const std::string &sentence) const { print("notice", sentence); }

private:
  void print(const char *severity, const std::string &sentence) const;

  std::string program;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_BASE_LOG_H
