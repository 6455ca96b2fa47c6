#pragma once

#include "wire/bytes.hpp"

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Decimal, 0x hexadecimal, 0 and octal digits, or with k, m, g. The error says what was expected.
[[nodiscard]] std::expected<wire::u64, std::string> parse_number(std::string_view text);

/// One `name=value` that an operation takes, and what it is when it is not given.
struct op_argument {
  enum class kind : wire::u8 {
    byte,  ///< a number of 8 bits: decimal, 0x hexadecimal, 0 and octal digits, or with k, m, g
    half,  ///< one of 16
    word,  ///< of 32
    large, ///< of 64
    time,  ///< 500ms, 2s
    text,
    code, ///< one of the choices, or a number of 32 bits; must be given
  };

  std::string_view name;
  kind what;
  std::string_view otherwise;
  /// The only values that text may have; none: any.
  std::vector<std::string_view> (*choices)() = nullptr;
};

/// The arguments of one operation, checked: each is there, and numbers are numbers.
class op_arguments {
 public:
  /// Errors: a sentence that names what was given and what may be.
  [[nodiscard]] static std::expected<op_arguments, std::string>
  parse(std::span<const op_argument> takes, const std::vector<std::string>& given);

  /// Empty for an argument that the operation does not have.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  /// Not the empty text, which stands for "not given" where that is what an argument is otherwise.
  [[nodiscard]] bool has(std::string_view name) const { return !text(name).empty(); }
  [[nodiscard]] wire::u64 number(std::string_view name) const;
  [[nodiscard]] wire::nanos time(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// "offset=0 length=64k"
[[nodiscard]] std::string text_of(std::span<const op_argument> takes);

/// "class: A, B, C", of each argument that has choices.
[[nodiscard]] std::vector<std::string> choices_of(std::span<const op_argument> takes);

} // namespace cli
