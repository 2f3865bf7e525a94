#ifndef DSC_RUNTIME_BASE_STATUS_H
#define DSC_RUNTIME_BASE_STATUS_H

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace dsc::runtime {

/// What kind of failure it is; the values are dsrun's exit codes and the
/// statuses of dsrt.h.
enum class ErrorKind { Input = 1, Usage = 2, Internal = 3 };

/// Success, or a kind and one sentence that says what is wrong and what to do.
/// Success is one null word; the sentence is paid for on failure only.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(ErrorKind kind, std::string message)
      : detail(std::make_shared<const Detail>(kind, std::move(message))) {}

  bool ok() const { return !detail; }
  ErrorKind kind() const { return detail->kind; }
  const std::string &message() const { return detail->message; }

  /// The same failure with `context` and a colon before its sentence.
  Status in(const std::string &context) const {
    return ok() ? *this : Status(kind(), context + ": " + message());
  }

private:
  struct Detail {
    Detail(ErrorKind kind, std::string message)
        : kind(kind), message(std::move(message)) {}
    ErrorKind kind;
    std::string message;
  };
  std::shared_ptr<const Detail> detail;
};

/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {}

  bool ok() const { return value.has_value(); }
  const Status &status() const { return failure; }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

private:
  std::optional<T> value;
  Status failure;
};

/// Joins anything that a stream can print.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

template <typename... Parts> Status inputError(const Parts &...parts) {
  return Status(ErrorKind::Input, concat(parts...));
}
template <typename... Parts> Status usageError(const Parts &...parts) {
  return Status(ErrorKind::Usage, concat(parts...));
}
template <typename... Parts> Status internalError(const Parts &...parts) {
  return Status(ErrorKind::Internal, concat(parts...));
}

/// The text of an errno value.
std::string errnoText(int error);

} // namespace dsc::runtime

/// Leaves the function with the failure of `expression`, a Status.
#define DSC_RETURN_IF_ERROR(expression)                                        \
  do {                                                                         \
    if (::dsc::runtime::Status status_ = (expression); !status_.ok())          \
      return status_;                                                          \
  } while (false)

#define DSC_JOIN_(a, b) a##b
#define DSC_JOIN(a, b) DSC_JOIN_(a, b)

/// Declares or assigns `target` from `expression`, a Result, or leaves the
/// function with its failure.
#define DSC_ASSIGN(target, expression)                                         \
  auto DSC_JOIN(result_, __LINE__) = (expression);                             \
  if (!DSC_JOIN(result_, __LINE__).ok())                                       \
    return DSC_JOIN(result_, __LINE__).status();                               \
  target = std::move(*DSC_JOIN(result_, __LINE__))

#endif // DSC_RUNTIME_BASE_STATUS_H
