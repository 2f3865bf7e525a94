#ifndef DSC_RUNTIME_DRIVER_OPTIONTABLE_H
#define DSC_RUNTIME_DRIVER_OPTIONTABLE_H

#include "runtime/driver/Options.h"

#include <functional>

namespace dsc::runtime {

/// One row of the option table, which drives the parser, --help,
/// --print-config and the manual page.
struct Option {
  const char *group; ///< Empty: that of the row before.
  const char *name;  ///< Without dashes.
  /// Null for a switch; NAME... for one value or more, [NAME] for one that may
  /// be left out and that is given with an equals sign.
  const char *argument;
  const char *help; ///< What it does, with its unit.
  /// What holds without it, for --help and --print-config; null for an option
  /// that prints and ends.
  const char *defaultText;
  std::function<Status(RunOptions &, const std::string &)> apply;

  /// Whether it takes all words up to the next option.
  bool isList() const;
  /// Whether its value may be left out.
  bool isOptional() const;
  /// Whether a second one adds to the first instead of replacing it.
  bool repeats() const;
};

/// The rows of settingOptions().
std::vector<Option> settingRows();

/// All options of dsrun, by group.
const std::vector<Option> &optionTable();

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_OPTIONTABLE_H
