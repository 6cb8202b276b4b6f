// sotto serve, sotto keys and sotto fit --owners, as a consortium calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "cli/program.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Waits for what another process does, as long as the whole test may.
constexpr const char* kConsortium = R"SH(
begin() {  # NAME: serves NAME.toml; its address then stands in NAME.json
  rm -f $1.json
  new=; [ -e books-$1 ] || new=--new-books
  "$sotto" serve --json $new $1.toml >$1.json 2>>$1.log &
  echo $! >$1.pid
  until [ -s $1.json ] || ! kill -0 $(cat $1.pid) 2>/dev/null; do sleep 0.05; done
}
end() { kill $2 $(cat $1.pid); wait $(cat $1.pid); echo "$1 ended with $?" >>ends.txt; }
address() { sed 's/.*"address":"\([^"]*\)".*/\1/' $1.json; }
owners() {  # NAME...: OWNERS.toml of those that run
  echo 'authority = "keys/authority.pem"
certificate = "keys/ada.pem"
key = "keys/ada.key"' >owners.toml
  for name in "$@"; do echo "[[owner]]
name = \"$name\"
address = \"$(address $name)\"
public_key = \"keys/$name.public\"" >>owners.toml; done
}
trap 'for f in *.pid; do kill -9 $(cat $f) 2>/dev/null; done; true' EXIT
)SH";

class Serve : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write(
        "t.schema.toml",
        "adjacency = \"substitute\"\n[[column]]\nname = \"y\"\nkind = \"binary\"\n[[column]]\nname = \"x\"\n"
        "kind = \"real\"\nlower = -1\nupper = 1\n");
    for (const std::string name : {"north", "south"}) {
      std::string table = "y,x\n";
      for (int i = 0; i < 300; ++i)
        table += std::to_string((i * 7 + (name == "north" ? 1 : 2)) % 3 == 0 ? 1 : 0) + "," +
                 std::to_string((i % 20) / 10.0 - 1) + "\n";
      write(name + ".csv", table);
      write_owner(name, 1);
    }
    ASSERT_EQ(sotto("keys keys --owners north,south --analysts ada,eve").status, 0);
  }
  void write_owner(const std::string& name, double epsilon, const std::string& more = "") const {
    write(name + ".toml",
          "name = \"" + name + "\"\nfile = \"" + name +
              ".csv\"\nschema = \"t.schema.toml\"\nlisten = \"localhost:0\"\nbooks = \"books-" + name +
              "\"\nauthority = \"keys/authority.pem\"\ncertificate = \"keys/" + name +
              ".pem\"\nkey = \"keys/" + name + ".key\"\nsigning = \"keys/" + name +
              ".signing\"\nthreads = 1\n[privacy]\nepsilon = " + std::to_string(epsilon) +
              "\ndelta = 1e-6\n" + more);
  }
  [[nodiscard]] Outcome consortium(const std::string& script) const { return shell(kConsortium + script); }
  static std::string fit(const std::string& out, const std::string& epsilon = "0.4") {
    return "\"$sotto\" fit --owners owners.toml --schema t.schema.toml --formula 'y ~ x' --epsilon " +
           epsilon + " --delta 1e-6 --draws 100 --out " + out + "\necho \"fit ended with $?\"\n";
  }
};

TEST_F(Serve, two_owners_and_an_analyst) {
  const Outcome run = consortium("begin north\nbegin south\nowners north south\n" + fit("out") +
                                 "end north\nend south -INT\n");
  EXPECT_THAT(run.out, testing::AnyOf(HasSubstr("fit ended with 0"), HasSubstr("fit ended with 75")))
      << run.err;
  EXPECT_EQ(content("ends.txt"), "north ended with 0\nsouth ended with 0\n");
  const auto privacy = nlohmann::json::parse(content("out/privacy.json"));
  EXPECT_TRUE(privacy.at("private").get<bool>());
  EXPECT_EQ(privacy.at("privacy_unit"), "one row of one owner's table");
  ASSERT_EQ(privacy.at("owners").size(), 2u);
  EXPECT_EQ(privacy.at("owners")[0].at("name"), "north");
  EXPECT_EQ(privacy.at("owners")[0].at("epsilon"), 1);
  EXPECT_THAT(privacy.at("trust_model").get<std::string>(), HasSubstr("each of 2 owners holds its rows"));
  EXPECT_THAT(content("out/report.html"), HasSubstr("The owner north"));
  // What the analyst says it spent is what each owner booked.
  for (const std::string name : {"north", "south"}) {
    const std::string books = content("books-" + name + "/charges.jsonl");
    const std::size_t closed = books.rfind("{\"closed\"");
    ASSERT_NE(closed, std::string::npos) << books;
    const auto last = nlohmann::json::parse(books.substr(closed)).at("closed");
    EXPECT_NEAR(last.at("rho").get<double>(), privacy.at("rho").get<double>(), 1e-12);
    EXPECT_THAT(content(name + ".log"), HasSubstr("ada begins: bernoulli, y ~ x"));
  }
}

TEST_F(Serve, a_restart_goes_on_from_its_books) {
  const Outcome run =
      consortium("begin north\nowners north\n" + fit("one", "0.8") +
                 "end north -9\nbegin north\nowners north\n" + fit("two", "0.8") + "end north\n");
  EXPECT_THAT(run.out, HasSubstr("fit ended with 75"));
  EXPECT_THAT(run.err, HasSubstr("what is left of it does not cover epsilon 0.8"));
  EXPECT_TRUE(exists("one/privacy.json"));
  EXPECT_FALSE(exists("two"));
  // Whoever keeps new books begins anew, and whoever keeps the old ones is not served by another process.
  const Outcome twice =
      consortium("begin north\n\"$sotto\" serve north.toml\necho \"second ended with $?\"\nend north\n");
  EXPECT_THAT(twice.out, HasSubstr("second ended with 73"));
  EXPECT_THAT(twice.err, HasSubstr("held by another process"));
}

TEST_F(Serve, an_owner_that_is_killed_ends_the_run_with_what_was_paid) {
  const Outcome run = consortium(
      "begin north\nowners north\n"
      "\"$sotto\" fit --owners owners.toml --schema t.schema.toml --formula 'y ~ x' --epsilon 0.5 --delta "
      "1e-6 "
      "--method penalty --draws 1000000 --warmup 10 --out out &\nanalyst=$!\n"
      "until [ -s out/charges.jsonl ] || ! kill -0 $analyst 2>/dev/null; do sleep 0.05; done\n"
      "end north -9\nwait $analyst\necho \"fit ended with $?\"\n");
  EXPECT_THAT(run.out, HasSubstr("fit ended with 69")) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the owner north at localhost:"));
  EXPECT_THAT(run.err, HasSubstr("does not answer"));
  EXPECT_THAT(run.err, HasSubstr("is spent"));
  EXPECT_THAT(content("out/charges.jsonl"), HasSubstr("\"closed\""));
  EXPECT_GT(nlohmann::json::parse(content("out/privacy.json")).at("spent_epsilon").get<double>(), 0);
}

TEST_F(Serve, who_is_not_allowed_or_declares_otherwise_is_refused_free_of_charge) {
  write_owner("north", 1, "[allow]\nanalysts = [\"eve\"]\n");
  write("other.schema.toml",
        "adjacency = \"substitute\"\n[[column]]\nname = \"y\"\nkind = \"binary\"\n[[column]]\nname = \"x\"\n"
        "kind = \"real\"\nlower = -2\nupper = 1\n");
  const Outcome run = consortium(
      "begin north\nbegin south\nowners north\n" + fit("out") + "owners south\n" +
      "sed -i s/north.public/south.public/ owners.toml\ncp keys/north.public keys/south.public.of.north\n" +
      "\"$sotto\" fit --owners owners.toml --schema other.schema.toml --formula 'y ~ x' --epsilon 0.4 "
      "--delta 1e-6 "
      "--out out\necho \"other ended with $?\"\n"
      "sed -i s/south.public/north.public/ owners.toml\n" +
      fit("out") + "end north\nend south\n");
  EXPECT_THAT(run.err, HasSubstr("the owner north does not answer you"));
  EXPECT_THAT(run.err, HasSubstr("declares other columns, bounds"));
  EXPECT_THAT(run.err, HasSubstr("the signature is not the owner's"));
  EXPECT_THAT(run.out, HasSubstr("fit ended with 78\nother ended with 78\nfit ended with 65"));
  EXPECT_THAT(content("books-north/charges.jsonl"), Not(HasSubstr("booked")));
  EXPECT_THAT(content("books-south/charges.jsonl"), Not(HasSubstr("booked")));
  EXPECT_FALSE(exists("out"));
}

TEST_F(Serve, keys_are_their_owners_alone) {
  const Outcome modes = shell("stat -c '%a %n' keys/*");
  for (const char* name : {"authority.key", "authority.pem", "north.key", "north.pem", "north.public",
                           "north.signing", "ada.key", "ada.pem", "eve.key"})
    EXPECT_THAT(modes.out, HasSubstr(std::string("600 keys/") + name + "\n"));
  EXPECT_EQ(sotto("keys keys").status, 73);  // what is there stays
  EXPECT_EQ(sotto("keys other --owners a --analysts a").status, 78);
  EXPECT_EQ(sotto("keys other --owners A").status, 78);
  EXPECT_FALSE(exists("other"));
  const Outcome open = shell("chmod 644 keys/north.signing\n\"$sotto\" serve north.toml\n");
  EXPECT_EQ(open.status, 78);
  EXPECT_THAT(open.err, HasSubstr("others may read"));
}

// The owner's, and the analyst's.
TEST_F(Serve, keys_of_certificates_that_others_may_read_are_refused) {
  write("owners.toml",
        "authority = \"keys/authority.pem\"\ncertificate = \"keys/ada.pem\"\nkey = \"keys/ada.key\"\n"
        "[[owner]]\nname = \"north\"\naddress = \"localhost:1\"\npublic_key = \"keys/north.public\"\n");
  for (const char* mode : {"640", "604"}) {
    const Outcome owner =
        shell(std::string("chmod ") + mode + " keys/north.key\n\"$sotto\" serve north.toml\n");
    EXPECT_EQ(owner.status, 78) << mode << owner.err;
    EXPECT_THAT(owner.err, HasSubstr("keys/north.key, which is secret")) << mode;
    const Outcome analyst = shell(std::string("chmod ") + mode + " keys/ada.key\n" +
                                  "\"$sotto\" fit --owners owners.toml --schema t.schema.toml --formula "
                                  "'y ~ x' --epsilon 0.4 --delta 1e-6 --out out\n");
    EXPECT_EQ(analyst.status, 78) << mode << analyst.err;
    EXPECT_THAT(analyst.err, HasSubstr("keys/ada.key, which is secret")) << mode;
  }
}

// An owner that has read its keys and its rows, and ends, as no books are there.
TEST_F(Serve, is_never_dumped) {
  const auto scanned = [&](const std::string& command) {
    return shell("SOTTO_SCAN_RESULT=seen.txt LD_PRELOAD='" SOTTO_SCAN "' $sotto " + command);
  };
  const auto seen = [&] {
    std::size_t found = 0, kilobytes = 0;
    std::pair<int, int> dumpable_and_core{-1, -1};
    std::istringstream(content("seen.txt")) >> found >> kilobytes >> dumpable_and_core.first >>
        dumpable_and_core.second;
    return dumpable_and_core;
  };
  const Outcome run = scanned("serve north.toml");
  EXPECT_EQ(run.status, 66);
  EXPECT_THAT(run.err, HasSubstr("there are no books"));
  EXPECT_EQ(seen(), std::pair(0, 0));
  EXPECT_EQ(scanned("schema north.csv").status, 0);
  EXPECT_EQ(seen().first, 1) << "the scan sees nothing";
}

TEST_F(Serve, what_is_wrong_is_said_before_anybody_asks) {
  const auto status = [&](const std::string& name, const std::string& from, const std::string& to) {
    std::string text = content("north.toml");
    text.replace(text.find(from), from.size(), to);
    write(name, text);
    return sotto("serve --new-books " + name).status;
  };
  EXPECT_EQ(sotto("serve none.toml").status, 66);
  EXPECT_EQ(sotto("serve north.toml").status, 66);  // no books yet
  EXPECT_EQ(status("a.toml", "north.csv", "none.csv"), 66);
  EXPECT_EQ(status("b.toml", "epsilon", "epsilom"), 78);
  EXPECT_EQ(status("c.toml", "delta = 1e-6", "delta = 0.1"), 78);  // above one over the number of rows
  EXPECT_EQ(status("d.toml", "keys/north.pem", "keys/ada.key"), 69);
  EXPECT_EQ(status("e.toml", "books = \"books-north\"", ""), 78);
  EXPECT_EQ(status("f.toml", "[privacy]", "[allow]\nanalysts = []\n[privacy]"),
            78);                                                // nobody is not everybody
  EXPECT_EQ(sotto("serve --new-books north.toml").status, 73);  // those of d.toml
  write("owners.toml",
        "[[owner]]\nname = \"north\"\naddress = \"localhost:1\"\npublic_key = \"keys/north.public\"\n");
  const std::string rest = " --schema t.schema.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6";
  EXPECT_EQ(sotto("fit --owners owners.toml" + rest).status, 78);  // no certificate of one's own
  write("owners.toml",
        "authority = \"keys/authority.pem\"\ncertificate = \"keys/ada.pem\"\nkey = \"keys/ada.key\"\n" +
            content("owners.toml"));
  EXPECT_EQ(sotto("fit --owners owners.toml" + rest).status, 69);  // nobody is there
  EXPECT_EQ(sotto("fit --owners owners.toml --data north.csv" + rest).status, 78);
  EXPECT_EQ(sotto("fit --owners owners.toml --not-private" + rest).status, 78);
}

}  // namespace
}  // namespace sotto
