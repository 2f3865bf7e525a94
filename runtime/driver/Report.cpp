#include "runtime/driver/Report.h"

#include <cstring>
#include <new>

using namespace dsc::runtime;

std::string dsc::runtime::sentenceOf(const Status &failure) {
  if (failure.kind() == ErrorKind::Usage)
    return failure.message() + "; see --help";
  if (failure.kind() == ErrorKind::Internal)
    return failure.message() +
           "; this is a defect of dsc, please report it with the module and "
           "this command line";
  return failure.message();
}

int dsc::runtime::report(const Log &log, const Status &status) {
  if (status.ok())
    return 0;
  log.error(sentenceOf(status));
  return int(status.kind());
}

Status dsc::runtime::guard(const std::function<Status()> &body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return inputError("out of memory");
  } catch (const std::exception &error) {
    return internalError(error.what());
  }
}

void dsc::runtime::publishEnd(RankSlot &slot, const Status &status) {
  if (!status.ok()) {
    std::strncpy(slot.message, status.message().c_str(),
                 sizeof(slot.message) - 1);
    slot.failure.store(uint32_t(status.kind()));
  }
  slot.ended.store(1);
}
