#pragma once

#include "wire/text.hpp"

#include <CLI/CLI.hpp>

#include <limits>
#include <optional>
#include <string>

namespace cli {

/// An option that takes a size with k, m or g. `value` is an unsigned integer or an optional of
/// one.
template <class T>
CLI::Option* add_size(CLI::App& command, const std::string& name, T& value,
                      const std::string& help) {
  return command
      .add_option_function<std::string>(
          name,
          [&value, name](const std::string& text) {
            const auto size = wire::parse_size(text);
            if (!size) throw CLI::ValidationError(name, size.error());
            if (*size > std::numeric_limits<wire::u32>::max())
              throw CLI::ValidationError(name, "'" + text + "' is 4 GiB or more");
            value = static_cast<wire::u32>(*size);
          },
          help)
      ->type_name("SIZE");
}

} // namespace cli
