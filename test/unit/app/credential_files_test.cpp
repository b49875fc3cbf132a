// Files with certificates, and folders of files: what counts, what is noticed, and that nothing in them ends the
// process.
#include "app/credential_files.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <unistd.h>

#include "app/api_options.h"
#include "app/certificates.h"

namespace kdsd::app {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kdsd-folder-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    // For whoever the test may become, of whatever group.
    fs::permissions(path_, fs::perms(0755));
  }
  void TearDown() override { fs::remove_all(path_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((path_ / name).parent_path());
    ASSERT_TRUE(write_file(path_ / name, text, false).ok());
  }

  fs::path path_;
  Config config_;
};

TEST_F(Folder, OfClientCertificatesIsFollowedFileByFile) {
  config_.api_server.https.enabled = true;
  config_.api_server.client_certs_dir = path_;
  write("b.pem", "1");
  write("a.crt", "1");
  write("notes.txt", "1");
  EXPECT_THAT(*client_certificate_files(path_), ElementsAre(path_ / "a.crt", path_ / "b.pem"));
  const auto stamp = [&] { return stamp_of(credential_files(config_)); };
  auto seen = stamp();
  EXPECT_EQ(stamp(), seen);
  // In place: the folder itself does not change.
  const auto folder_before = stamp_of({path_.string()});
  fs::resize_file(path_ / "b.pem", 2);
  ASSERT_EQ(stamp_of({path_.string()}), folder_before);
  EXPECT_NE(stamp(), seen);
  seen = stamp();
  write("c.pem", "1");
  EXPECT_NE(stamp(), seen);
}

TEST_F(Folder, OfClientCertificatesThatIsNotThereIsNamed) {
  const auto missing = client_certificate_files((path_ / "missing").string());
  EXPECT_EQ(missing.status().code(), Code::not_found);
  EXPECT_THAT(missing.status().text(), HasSubstr("missing"));
  EXPECT_TRUE(client_certificate_files("")->empty());
}

TEST_F(Folder, OfTheGuiMayHaveFoldersThatCannotBeRead) {
  config_.api_server.gui_directory = path_;
  write("index.html", "hello");
  write("assets/app.js", "1");
  write("locked/secret.js", "1");
  fs::permissions(path_ / "locked", fs::perms::none);
  // Nobody is kept out of a folder who is root.
  const bool is_root = ::geteuid() == 0;
  const bool is_somebody = !is_root || ::seteuid(65534) == 0;
  const auto facts = api_facts(config_, {});
  const bool is_back = !is_root || ::seteuid(0) == 0;
  ASSERT_TRUE(is_back);
  fs::permissions(path_ / "locked", fs::perms::owner_all);
  if (!is_somebody) GTEST_SKIP() << "no user other than root can be taken on here";
  ASSERT_TRUE(facts.gui_files);
  EXPECT_THAT(*facts.gui_files, ElementsAre(Key("assets/app.js"), Key("index.html")));
}

TEST_F(Folder, OfTheGuiThatIsNotThereGivesNoFiles) {
  config_.api_server.gui_directory = path_ / "missing";
  const auto facts = api_facts(config_, {});
  ASSERT_TRUE(facts.gui_files);
  EXPECT_TRUE(facts.gui_files->empty());
}

}  // namespace
}  // namespace kdsd::app
