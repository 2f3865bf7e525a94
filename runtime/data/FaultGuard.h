#ifndef DSC_RUNTIME_DATA_FAULTGUARD_H
#define DSC_RUNTIME_DATA_FAULTGUARD_H

#include <cstddef>
#include <span>

namespace dsc::runtime {

/// Copies bytes of a mapped file. False if the system cannot bring them, which
/// it says by a SIGBUS; the first call installs a handler for that signal,
/// which passes on all that others raise. Any thread; no allocation.
[[nodiscard]] bool copyGuarded(void *to, std::span<const std::byte> from);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_FAULTGUARD_H
