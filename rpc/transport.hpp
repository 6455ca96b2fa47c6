#pragma once

#include "wire/bytes.hpp"

namespace rpc {

enum class transport : wire::u8 { tcp, udp };

} // namespace rpc
