#pragma once

#include "wire/net/async.hpp"

#include <asio/associated_cancellation_slot.hpp>

#include <functional>

namespace wire::net {

/// Suspends the coroutine until somebody calls `resume`, which it sets. When the coroutine is
/// cancelled, `cancelled(context)` is called; it must see to it that `resume` is.
/// · lifetime: both live until then, usually in the frame of the coroutine itself.
inline awaitable<void> suspend(std::move_only_function<void()>& resume, void (*cancelled)(void*),
                               void* context) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [](auto handler, std::move_only_function<void()>* to, void (*on_cancel)(void*), void* with) {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected())
          slot.assign([on_cancel, with](asio::cancellation_type) { on_cancel(with); });
        *to = [h = std::move(handler), slot]() mutable {
          if (slot.is_connected()) slot.clear();
          std::move(h)();
        };
      },
      asio::use_awaitable, &resume, cancelled, context);
}

/// Waits for a call of a connection: it has a `resume`, and an `owner` whose cancel(call) gives it
/// up.
template <class Call>
awaitable<void> wait_for(Call& call) {
  return suspend(
      call.resume,
      [](void* waiting) {
        auto& cancelled = *static_cast<Call*>(waiting);
        cancelled.owner->cancel(cancelled);
      },
      &call);
}

} // namespace wire::net
