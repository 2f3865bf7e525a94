#ifndef DSC_RUNTIME_CHANNEL_PEERMEMORY_H
#define DSC_RUNTIME_CHANNEL_PEERMEMORY_H

#include <cstdint>
#include <sys/types.h>

namespace dsc::runtime {

/// Lets the process that started this one, and whatever else that has started,
/// read this one's memory, where the system asks for leave (Yama).
void allowSiblingsToRead();

/// Copies at most `bytes` bytes from an address of another process to one of
/// this. Returns how many, or a negative errno: ESRCH where the process is
/// gone, EFAULT where it has nothing there, EPERM or ENOSYS where the system
/// does not let it.
int64_t readMemory(pid_t process, uint64_t address, void *dst, uint64_t bytes);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_PEERMEMORY_H
