// The command line itself: exit codes, help, completion, and the commands that need no server.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/doctor.h"
#include "app/run.h"

#include "cli_support.h"

namespace kdsd::app::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::vector<std::vector<std::string>> all_commands = {{"run"},
                                                            {"version"},
                                                            {"config"},
                                                            {"config", "check"},
                                                            {"migrate"},
                                                            {"migrate", "up"},
                                                            {"apply"},
                                                            {"get"},
                                                            {"delete"},
                                                            {"plan"},
                                                            {"explain"},
                                                            {"inspect"},
                                                            {"inspect", "explicit"},
                                                            {"inspect", "rules"},
                                                            {"inspect", "rbac"},
                                                            {"policy"},
                                                            {"policy", "merge"},
                                                            {"policy", "rbac"},
                                                            {"policy", "grant"},
                                                            {"policy", "attach"},
                                                            {"zones"},
                                                            {"hash"},
                                                            {"doctor"},
                                                            {"completion"},
                                                            {"export"},
                                                            {"import"},
                                                            {"token"},
                                                            {"token", "user"},
                                                            {"token", "zone"},
                                                            {"token", "dataplane"}};

// A directory of its own for each test, removed at its end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "kdsd-cli-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

 private:
  std::string path_;
};

std::string global_config(const Folder& folder) {
  return folder.write("global.yaml",
                      "mode: global\ngeneral: {workDir: " + folder.file("work") +
                          "}\nmultizone: {global: {kds: {grpcPort: 0}}}\n"
                          "apiServer: {http: {port: 0}, https: {port: 0}}\ndiagnostics: {serverPort: 0}\n"
                          "kdsd: {store: {path: " +
                          folder.file("kdsd.db") + "}}\n");
}

TEST(CliHelp, EveryCommandHasAnExample) {
  for (auto command : all_commands) {
    command.emplace_back("--help");
    const auto outcome = Shell().run(command);
    EXPECT_EQ(outcome.code, 0) << command[0];
    EXPECT_THAT(outcome.out, HasSubstr("Example:\n  ")) << command[0];
    EXPECT_THAT(outcome.out, HasSubstr("kdsd " + command[0])) << command[0];
    EXPECT_THAT(outcome.err, IsEmpty()) << command[0];
  }
  EXPECT_THAT(Shell().run({"--help"}).out, HasSubstr("Example:"));
}

TEST(CliExitCode, WrongUseIsTwoAndSaysWhatIsWrongOnStandardError) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"nonsense"},
      {"get"},
      {"get", "MeshTimeout", "-o", "xml"},
      {"get", "Nonsense"},
      {"get", "Mesh", "-m", "shop"},
      {"get", "MeshTimeout", "a", "b"},
      {"get", "meshes", "--address", "localhost:5681"},
      {"get", "meshes", "--address", "https://localhost:1", "--client-cert", "a.pem"},
      {"apply"},
      {"delete"},
      {"delete", "MeshTimeout"},
      {"delete", "MeshTimeout", "a", "-f", "b.yaml"},
      {"config"},
      {"hash", "name"},
      {"completion", "csh"},
      {"run", "--log-level", "loud"},
      {"zones", "--unknown"},
  };
  for (const auto& arguments : wrong) {
    const auto outcome = Shell().run(arguments);
    const auto line = ::testing::PrintToString(arguments);
    EXPECT_EQ(outcome.code, 2) << line << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty()) << line;
    EXPECT_THAT(outcome.err, StartsWith("kdsd: ")) << line;
  }
}

TEST(CliExitCode, AWordThatIsNoCommandIsNamed) {
  EXPECT_THAT(Shell().run({"frobnicate", "x"}).err, StartsWith("kdsd: there is no command \"frobnicate\"\n"));
  EXPECT_THAT(Shell().run({}).err, StartsWith("kdsd: A subcommand is required\n"));
  EXPECT_THAT(Shell().run({"inspect"}).err, StartsWith("kdsd: A subcommand is required\n"));
  EXPECT_THAT(Shell().run({"apply"}).err, HasSubstr("is required"));
}

TEST(CliExitCode, AFileThatIsNotThereIsAFailure) {
  const Folder folder;
  const auto outcome = Shell().run({"apply", "--dry-run", "-f", folder.file("none.yaml")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("none.yaml: cannot be opened"));
  EXPECT_EQ(Shell().run({"apply", "--dry-run", "-f", "-"}).code, 1);  // empty input
}

TEST(CliApply, ADirectoryMeansItsDocumentFilesSorted) {
  const Folder folder;
  folder.write("b.yml", "type: Mesh\nname: second\n");
  folder.write("a.json", R"({"type":"Mesh","name":"first"})");
  folder.write("notes.txt", "no document");
  const auto outcome = Shell().run({"apply", "--dry-run", "-f", folder.file("")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "# PUT /meshes/first\ntype: Mesh\nname: first\n---\n# PUT /meshes/second\ntype: Mesh\nname: second\n");
}

TEST(CliColours, OnlyWhereTheyAreWanted) {
  Shell shell;
  shell.input = "type: Nonsense\n";
  EXPECT_THAT(shell.run({"apply", "--address", "http://127.0.0.1:1", "-f", "-"}).out, Not(HasSubstr("\x1b[")));
  shell.has_colours = true;
  EXPECT_THAT(shell.run({"apply", "--address", "http://127.0.0.1:1", "-f", "-"}).out,
              HasSubstr("\x1b[31mrefused:\x1b[0m"));
}

TEST(CliVersion, HasFourParts) {
  const auto text = Shell().run({"version"});
  for (const auto* word : {"version ", "commit ", "protocol ", "kuma "}) EXPECT_THAT(text.out, HasSubstr(word));
  EXPECT_THAT(text.out, HasSubstr(kdsd_version()));
  EXPECT_THAT(Shell().run({"version", "-o", "json"}).out, HasSubstr("\"kuma\": \"2.13."));
}

TEST(CliHash, IsTheNameAwayFromHome) {
  const auto one = Shell().run({"hash", "--mesh", "mesh-1", "policy"});
  EXPECT_EQ(one.code, 0);
  EXPECT_THAT(one.out, StartsWith("policy-"));
  const auto global = Shell().run({"hash", "--mesh", "", "generator", "east"});
  EXPECT_EQ(global.code, 0) << global.err;
  EXPECT_THAT(global.out, StartsWith("generator-"));
}

TEST(CliCompletion, EveryScriptKnowsEveryCommand) {
  for (const auto* shell : {"bash", "zsh", "fish"}) {
    const auto outcome = Shell().run({"completion", shell});
    EXPECT_EQ(outcome.code, 0);
    for (const auto& command : all_commands) EXPECT_THAT(outcome.out, HasSubstr(command.back())) << shell;
    for (const auto* word : {"dry-run", "meshtimeouts", "log-level", "address"})
      EXPECT_THAT(outcome.out, HasSubstr(word)) << shell;
  }
}

// Runs bash on a script; its output.
std::string bash(const std::string& arguments) {
  std::string out;
  FILE* pipe = ::popen(("bash " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "no bash";
  char block[512];
  while (std::fgets(block, sizeof block, pipe) != nullptr) out += block;
  return ::pclose(pipe) == 0 ? out : "failed: " + out;
}

TEST(CliCompletion, BashAcceptsItsScriptAndCompletesWithIt) {
  const Folder folder;
  const auto script = folder.write("kdsd.bash", Shell().run({"completion", "bash"}).out);
  EXPECT_EQ(bash("-n " + script), "");
  const auto question =
      folder.write("ask.bash", "source " + script +
                                   "\nCOMP_WORDS=(kdsd config ch); COMP_CWORD=2; _kdsd; echo \"${COMPREPLY[@]}\"\n"
                                   "COMP_WORDS=(kdsd get meshtimeo); COMP_CWORD=2; _kdsd; echo \"${COMPREPLY[@]}\"\n"
                                   "COMP_WORDS=(kdsd ap); COMP_CWORD=1; _kdsd; echo \"${COMPREPLY[@]}\"\n");
  EXPECT_EQ(bash(question), "check\nmeshtimeouts\napply\n");
}

TEST(CliConfig, CheckShowsValuesWithTheirSource) {
  const Folder folder;
  const auto file = global_config(folder);
  Shell shell;
  shell.environment["KUMA_STORE_UNSAFE_DELETE"] = "true";
  const auto outcome = shell.run({"config", "check", "-c", file});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("mode +[^ ]*global.yaml:1 +global"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("store.unsafeDelete +KUMA_STORE_UNSAFE_DELETE +true"));
  const auto bad = Shell().run({"config", "check", "-c", folder.write("bad.yaml", "mode: sideways\n")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("sideways"));
}

TEST(CliMigrate, MakesTheStoreAndFindsItCurrentTheSecondTime) {
  const Folder folder;
  const auto file = global_config(folder);
  EXPECT_THAT(Shell().run({"migrate", "--dry-run", "-c", file}).out, HasSubstr("no schema, would be brought to"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("kdsd.db")));
  const auto first = Shell().run({"migrate", "up", "-c", file});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("from no schema to schema 2"));
  EXPECT_THAT(Shell().run({"migrate", "up", "-c", file}).out, HasSubstr("nothing was done"));
  EXPECT_THAT(Shell().run({"migrate", "up", "--dry-run", "-c", file}).out, HasSubstr("nothing to do"));
}

TEST(CliDoctor, IsContentWithAFreshGlobalAndItsStore) {
  const Folder folder;
  const auto file = global_config(folder);
  const auto fresh = Shell().run({"doctor", "-c", file});
  EXPECT_EQ(fresh.code, 0) << fresh.out;
  EXPECT_THAT(fresh.out, HasSubstr("ok   store: "));
  EXPECT_THAT(fresh.out, HasSubstr("the first start makes it"));
  ASSERT_EQ(Shell().run({"migrate", "-c", file}).code, 0);
  EXPECT_THAT(Shell().run({"doctor", "-c", file}).out, HasSubstr("ok   schema: version 2, the newest"));
}

TEST(CliDoctor, ADamagedStoreFailsAndSaysWhatToDo) {
  const Folder folder;
  const auto file = global_config(folder);
  folder.write("kdsd.db",
               "this is no database at all, but long enough to be looked at by everybody who opens it........");
  const auto outcome = Shell().run({"doctor", "-c", file});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("FAIL store: .* -> restore the file from a backup"));
}

TEST(CliDoctor, ABrokenConfigurationIsAFinding) {
  const Folder folder;
  const auto outcome = Shell().run({"doctor", "-c", folder.write("bad.yaml", "mode: sideways\n")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, StartsWith("FAIL configuration: "));
}

TEST(CliDoctor, TheClockMustBeSet) {
  EXPECT_EQ(check_clock(0).health, Health::fail);
  EXPECT_EQ(check_clock(1704067200).health, Health::ok);
}

TEST(CliDoctor, APortThatAnswersIsGoodOnlyWhileTheStoreIsInUse) {
  FakeServer server([](const FakeRequest&) { return FakeAnswer{}; });
  const auto port = static_cast<std::uint16_t>(std::stoi(server.address().substr(server.address().rfind(':') + 1)));
  EXPECT_EQ(check_port("API", "127.0.0.1", port, true).health, Health::ok);
  EXPECT_EQ(check_port("API", "127.0.0.1", port, false).health, Health::fail);
  EXPECT_EQ(check_global({true, "127.0.0.1", port}).health, Health::ok);
}

TEST(CliDoctor, AGlobalThatIsNotThereFails) {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor bound(io);
  bound.open(boost::asio::ip::tcp::v4());
  bound.bind({boost::asio::ip::make_address("127.0.0.1"), 0});  // taken, and nobody listens
  const auto finding = check_global({true, "127.0.0.1", bound.local_endpoint().port()});
  EXPECT_EQ(finding.health, Health::fail);
  EXPECT_THAT(finding.advice, HasSubstr("multizone.zone.globalAddress"));
}

TEST(CliDoctor, AWorkDirectoryMustBeADirectory) {
  const Folder folder;
  EXPECT_EQ(check_work_dir(folder.file("new/deep")).health, Health::ok);
  EXPECT_EQ(check_work_dir(folder.write("file", "")).health, Health::fail);
}

TEST(CliDoctor, CertificatesAreJudgedByTheirDates) {
  const Folder folder;
  const auto file = folder.file("c.pem");
  const auto made =
      std::system(("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 100 -subj /CN=x "
                   "-keyout " +
                   folder.file("k.pem") + " -out " + file + " >/dev/null 2>&1")
                      .c_str());
  // The dates are judged on a certificate of another maker than our own code.
  if (made != 0) GTEST_SKIP() << "needs the openssl program, which is not installed here";
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  constexpr std::int64_t day = 86400;
  EXPECT_EQ(check_certificate("c", file, false, now + 60).health, Health::ok);
  EXPECT_EQ(check_certificate("c", file, false, now + 80 * day).health, Health::warn);
  EXPECT_EQ(check_certificate("c", file, false, now + 101 * day).health, Health::fail);
  EXPECT_EQ(check_certificate("c", file, false, now - 5 * day).health, Health::fail);
  EXPECT_EQ(check_certificate("c", folder.file("none.pem"), true, now).health, Health::ok);

  const auto judged = [&](const Config& config) {
    std::string out;
    for (const auto& finding : check_certificates(config, now + 101 * day)) {
      if (finding.text.find(file) != std::string::npos && finding.health == Health::fail) out += finding.subject + "\n";
    }
    return out;
  };
  Config zone;
  zone.mode = Mode::zone;
  zone.kds_client.global = GlobalAddress{true, "localhost", 5685};
  zone.kds_client.root_ca_file = zone.zone_identity.cert_file = file;
  EXPECT_EQ(judged(zone), "authority of the global\nzone certificate\n");
  Config global;
  global.mode = Mode::global;
  global.zone_auth.client_ca_file = file;
  EXPECT_EQ(judged(global), "authority of the zones\n");
  EXPECT_EQ(check_certificate("c", folder.file("none.pem"), false, now).health, Health::fail);
}

}  // namespace
}  // namespace kdsd::app::cli
