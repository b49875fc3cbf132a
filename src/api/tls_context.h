// TLS settings as an OpenSSL context for servers. Errors name the part that is wrong, never key material.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "api/http_server.h"
#include "model/status.h"

namespace kdsd::api {

Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const TlsOptions& options);

}  // namespace kdsd::api
