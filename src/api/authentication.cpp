#include "api/authentication.h"

#include "api/await.h"
#include "kds/tokens.h"

namespace kdsd::api {

struct Authentication::Cache {
  // Of the GlobalSecrets when the keys were collected. A key that nobody else may have leaves no trace in the log when
  // it is deleted, so the number of them counts too.
  Revision newest;
  std::size_t count = 0;
  std::shared_ptr<const kds::TokenVerifier> verifier;
};

Authentication::Authentication(Backend& backend) : backend_(backend), cache_(std::make_shared<Cache>()) {}

boost::asio::awaitable<std::optional<Caller>> Authentication::identify_caller(const Request& request,
                                                                              Tokens tokens) const {
  const auto& facts = backend_.facts();
  const auto token = token_in_question(request, facts, tokens);
  if (!token) co_return identify(request, facts, std::nullopt);
  auto look = [cache = cache_, &facts](const kds::Core& core) {
    const auto& index = core.index();
    const auto& type = *index.catalogue().find("GlobalSecret");
    if (!cache->verifier || cache->newest != index.head(type) || cache->count != index.count(type)) {
      cache->newest = index.head(type);
      cache->count = index.count(type);
      cache->verifier = std::make_shared<const kds::TokenVerifier>(
          facts.user_token_rules, kds::collect_token_keys(index, facts.control_plane, kds::TokenKind::user, ""));
    }
    return cache->verifier;
  };
  const auto verifier = co_await read_core(backend_, std::move(look));
  const auto verified = verifier->verify(*token, backend_.now());
  if (!verified.ok()) co_return std::nullopt;
  const auto user = kds::user_claims(verified->claims);
  if (!user.ok()) co_return std::nullopt;
  co_return identify(request, facts, *user);
}

}  // namespace kdsd::api
