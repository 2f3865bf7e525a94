#include "runtime/manual/Manual.h"

#include <algorithm>
#include <cctype>

using namespace dsc;

namespace {

/// The words among the alternatives of an argument, such as `u16|u32|text`: one
/// in capitals, or with other signs, stands for what only the user has.
std::string choicesOf(const std::string &argument) {
  std::string choices;
  for (size_t begin = 0; begin < argument.size();) {
    size_t end = std::min(argument.find('|', begin), argument.size());
    std::string word = argument.substr(begin, end - begin);
    auto all = [&](auto holds) {
      return std::all_of(word.begin(), word.end(), holds);
    };
    bool isWord = all([](unsigned char c) { return isalnum(c) || c == '-'; });
    bool isCapitals = all([](unsigned char c) { return isupper(c); });
    if (isWord && !isCapitals)
      choices += (choices.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return choices;
}

/// The command that offers what an argument may be, or none.
std::string offerFor(const std::string &argument) {
  std::string choices = choicesOf(argument);
  auto names = [&](const char *what) {
    return argument.find(what) != std::string::npos;
  };
  if (names("=") || names(":")) // Bash asks again behind those.
    return "";
  if (!choices.empty())
    return "compgen -W '" + choices + "' -- \"$word\"";
  size_t dot = argument.find_last_of('.');
  bool hasEnding = dot + 1 < argument.size() && dot != std::string::npos &&
                   !names("|") && !names("...");
  if (hasEnding)
    return "_dsc_files \"$word\" '" + argument.substr(dot) + "'";
  if (names("FILE") || names("PATH"))
    return "compgen -f -- \"$word\"";
  return names("DIR") ? "compgen -d -- \"$word\"" : "";
}

/// A case of the option whose argument is wanted. Bash has its words split at
/// equals signs, and one behind the option's name is appended to it.
std::string caseOf(const ManualOption &option) {
  if (option.argument.empty())
    return "";
  std::string offer = offerFor(option.argument);
  std::string one = "-" + option.name, patterns = one + "=|-" + one + "=";
  if (!option.isOptional)
    patterns = one + "|-" + one + "|" + patterns;
  if (offer.empty())
    return "    " + patterns + ") ;;\n";
  return "    " + patterns + ")\n      offers=$(" + offer + ")\n      ;;\n";
}

/// All that depends on which subcommand the line has.
std::string branchOf(const ManualCommand &command) {
  std::string out = "  " + (command.name.empty() ? "*" : command.name) +
                    ")\n    case $option in\n",
              names;
  for (const ManualOption &option : command.options) {
    std::string text = caseOf(option);
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at) + 1;
      out += "  " + text.substr(at, end - at);
      at = end;
    }
    names += (option.name.size() == 1 ? " -" : " --") + option.name;
  }
  return out + "      *)\n        options='" + names.substr(!names.empty()) +
         "'\n        ;;\n    esac\n    ;;\n";
}

/// Finds out whether a list of files goes on, if an option has one.
std::string listSearch(const ManualCommand &command) {
  std::string patterns;
  for (const ManualOption &option : command.options)
    if (option.isList)
      patterns +=
          (patterns.empty() ? "-" : "|-") + option.name + "|--" + option.name;
  if (patterns.empty())
    return "";
  return "  for ((i = at; i > 0; i--)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      " +
         patterns +
         ")\n"
         "        list=1\n"
         "        break\n"
         "        ;;\n"
         "      -*) break ;;\n"
         "    esac\n"
         "  done\n";
}

constexpr const char *kBegin =
    R"(  local word=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1))
  local option offers= options= list= i
  # Bash has its words split at equals signs and colons.
  if [[ $word == [=:] ]]; then
    word= at=$COMP_CWORD
  fi
  option=${COMP_WORDS[at]}
  if [[ $option == = ]]; then
    option=${COMP_WORDS[at - 1]}=
  fi
)";

} // namespace

std::string dsc::bashCompletion(const Manual &manual) {
  const std::string &program = manual.program;
  std::string out = "# Completion of " + program + " for bash, printed by " +
                    program + " --completion.\n\n";
  out += "# Folders, and files with an ending.\n"
         "_dsc_files() {\n"
         "  compgen -d -- \"$1\"\n"
         "  compgen -f -X \"!*$2\" -- \"$1\"\n"
         "}\n\n_" +
         program + "() {\n" + kBegin;
  std::string subcommands;
  out += "  case ${COMP_WORDS[1]} in\n";
  for (size_t i = 1; i < manual.commands.size(); ++i) {
    out += branchOf(manual.commands[i]);
    subcommands += " " + manual.commands[i].name;
  }
  out += branchOf(manual.commands.front()) + "  esac\n";
  out += listSearch(manual.commands.front()) +
         "  if [[ -z $offers && -n $options ]]; then\n"
         "    if [[ $word == -* ]]; then\n"
         "      offers=$(compgen -W \"$options\" -- \"$word\")\n"
         "    elif [[ -n $list || ${COMP_WORDS[at]} == [=:] ]]; then\n"
         "      offers=$(compgen -f -- \"$word\")\n"
         "    else\n"
         "      offers=$(_dsc_files \"$word\" '" +
         manual.positional + "')\n";
  if (!subcommands.empty())
    out += "      if ((COMP_CWORD == 1)); then\n"
           "        offers+=$'\\n'$(compgen -W '" +
           subcommands.substr(1) +
           "' -- \"$word\")\n"
           "      fi\n";
  out +=
      "    fi\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(printf '%s\\n' \"$offers\" | sort -u | sed "
      "'/^$/d')\n"
      "}\n\n"
      "complete -o filenames -F _" +
      program + " " + program + "\n";
  return out;
}
