#include "runtime/manual/Manual.h"

#include <algorithm>

using namespace dsc;

namespace {

/// Text that roff prints as it stands.
std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-"; // Else a hyphen, which cannot be pasted into a shell.
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '`')
      out += "\\(ga";
    else
      out += c;
  }
  return out.starts_with(".") ? "\\&" + out : out;
}

std::string bold(const std::string &text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(const std::string &text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string upperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string describe(const ManualOption &option) {
  bool isLetter = option.name.size() == 1;
  std::string tag = bold((isLetter ? "-" : "--") + option.name);
  if (option.isOptional)
    tag += "[=" + italic(option.argument) + "]";
  else if (!option.argument.empty())
    tag += (isLetter || option.isList ? " " : "=") + italic(option.argument);
  return ".TP\n" + tag + "\n" + escaped(option.help) + "\n";
}

std::string describe(const Manual &manual, const ManualCommand &command) {
  std::string out = command.name.empty()
                        ? ".SH OPTIONS\n"
                        : ".SH OPTIONS OF " +
                              upperCase(manual.program + " " + command.name) +
                              "\n";
  std::string group;
  for (const ManualOption &option : command.options) {
    if (option.group != group)
      out += ".SS " + escaped(option.group) + "\n";
    group = option.group;
    out += describe(option);
  }
  return out;
}

} // namespace

std::string dsc::manualPage(const Manual &manual) {
  std::string out = ".\\\" Printed by " + manual.program + " --manual.\n" +
                    ".TH " + upperCase(manual.program) + " 1 \"\" \"dsc " +
                    manual.version + "\" \"User Commands\"\n" + ".SH NAME\n" +
                    manual.program + " \\- " + escaped(manual.summary) +
                    "\n.SH SYNOPSIS\n.nf\n";
  for (const std::string &line : manual.usage)
    out += bold(manual.program) + " " + escaped(line) + "\n";
  out += ".fi\n.SH DESCRIPTION\n" + escaped(manual.notes) + "\n";
  for (const ManualCommand &command : manual.commands)
    out += describe(manual, command);
  return out + ".SH EXIT STATUS\n" + escaped(manual.exitCodes) + "\n" +
         ".SH SEE ALSO\n" +
         (manual.program == "dsc" ? "\\fBdsrun\\fR(1)\n" : "\\fBdsc\\fR(1)\n");
}
