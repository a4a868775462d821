// SPDX-License-Identifier: Apache-2.0
#include "vinci/base/shell.h"

#include <cstdio>

#include <gtest/gtest.h>

namespace vinci {
namespace {

TEST(ShellWord, is_one_word_whatever_it_holds) {
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("runs/a.study"), "runs/a.study");
  EXPECT_EQ(shell_word("~/a"), "'~/a'");
}

// The second route: the shell itself reads it back.
TEST(ShellWord, is_read_back_by_the_shell) {
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  for (const std::string& text : {all, std::string("sp ace/my 'study'.yaml"), std::string("plain"),
                                  std::string("$(id) `id` \\ \" * ? !")}) {
    std::FILE* shell = popen(("printf %s. " + shell_word(text)).c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string read;
    for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) read += static_cast<char>(c);
    EXPECT_EQ(pclose(shell), 0);
    EXPECT_EQ(read, text + ".");
  }
}

}  // namespace
}  // namespace vinci
