#include "kds/epochs.h"

#include <gtest/gtest.h>

namespace kdsd::kds {
namespace {

Epochs of_two_starts() {
  Epochs epochs;
  epochs.begin(71, Revision{0});
  epochs.begin(72, Revision{40});
  return epochs;
}

TEST(Epochs, KnowsWhatItsOwnStartsSent) {
  const auto epochs = of_two_starts();
  EXPECT_TRUE(epochs.knows(71, Revision{40}, Revision{90}));
  EXPECT_TRUE(epochs.knows(72, Revision{90}, Revision{90}));
  EXPECT_EQ(epochs.current(), 72u);
}

TEST(Epochs, DoesNotKnowAnEpochOfALostTime) {
  const auto epochs = of_two_starts();
  EXPECT_FALSE(epochs.knows(73, Revision{10}, Revision{90}));
  EXPECT_FALSE(Epochs().knows(0, Revision{0}, Revision{0}));
}

// The backup was taken at revision 40 while epoch 71 ran on to 60; then the store was put back.
TEST(Epochs, DoesNotKnowRevisionsOfAnEpochBeyondTheBackup) {
  const auto epochs = of_two_starts();
  EXPECT_FALSE(epochs.knows(71, Revision{41}, Revision{90}));
  EXPECT_FALSE(epochs.knows(72, Revision{91}, Revision{90}));
}

TEST(Epochs, TextComesBack) {
  const auto epochs = Epochs::parse(of_two_starts().text());
  EXPECT_EQ(epochs.text(), "71@0,72@40");
  EXPECT_TRUE(epochs.knows(71, Revision{40}, Revision{90}));
}

TEST(Epochs, WhatIsNoTextOfEpochsKnowsNothing) {
  for (const char* text : {"x", "1", "1@", "@1", "1@2@3", "1@2,", "1@2,,3@4", "-1@2", "1@99999999999999999999"}) {
    const auto epochs = Epochs::parse(text);
    EXPECT_TRUE(epochs.text().empty() || epochs.text() == "1@2") << text;
  }
  EXPECT_TRUE(Epochs::parse("1@2,x").text().empty());
}

TEST(Epochs, ForgetsTheOldestOnes) {
  Epochs epochs;
  for (std::uint64_t i = 1; i <= limits::epochs_kept + 1; ++i) epochs.begin(i, Revision{i});
  EXPECT_FALSE(epochs.knows(1, Revision{1}, Revision{1000}));
  EXPECT_TRUE(epochs.knows(2, Revision{3}, Revision{1000}));
}

}  // namespace
}  // namespace kdsd::kds
