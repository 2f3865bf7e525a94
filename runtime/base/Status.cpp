#include "runtime/base/Status.h"

#include <system_error>

std::string dsc::runtime::errnoText(int error) {
  return std::generic_category().message(error);
}
