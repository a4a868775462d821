// SPDX-License-Identifier: Apache-2.0
// Keys and the memory that is kept by them.
#include <gtest/gtest.h>

#include "vinci/model/memory.h"

namespace vinci {
namespace {

TEST(EntityKey, words_lead_back_to_every_key) {
  const EntityKey keys[] = {contact_key(0, 0, 0, 0),
                            contact_key(1, 2, 3, 0xffffffff),
                            contact_key(0xfffffff0, 0xffffffff, 7, 8),
                            support_key(0, 0),
                            support_key(4, 9),
                            element_key(0),
                            element_key(1000)};
  for (const EntityKey& key : keys) EXPECT_EQ(key_of_words(key_words(key)), key);
  EXPECT_EQ(key_words(support_key(4, 9)),
            (std::array<std::uint32_t, 4>{0xffffffff, 4, 9, 0}));  // as in recordings of version 1
}

TEST(EntityKey, kinds_sort_contacts_before_supports_before_elements) {
  EXPECT_LT(contact_key(0xfffffff0, 1, 1, 1), support_key(0, 0));
  EXPECT_LT(support_key(1000, 1000), element_key(0));
}

Memory example() {
  Memory memory;
  memory.impulses = {{contact_key(0, 1, 0, 0), 0, Vector3(1, 2, 3)},
                     {contact_key(0, 1, 0, 0), 1, Vector3(4, 5, 6)},
                     {support_key(2, 0), 0, Vector3(7, 8, 9)}};
  memory.rebounds = {{contact_key(0, 1, 0, 0), 0.5}, {contact_key(0, 3, 0, 0), 0.25}};
  memory.layers = {{contact_key(0, 1, 0, 0), 1, Vector3(1, 0, 0), Vector3(2, 0, 0)}};
  return memory;
}

TEST(Memory, places_join_the_records_of_a_key_and_point_in_order) {
  const Memory memory = example();
  std::vector<std::array<bool, 3>> found;
  std::vector<EntityKey> keys;
  visit_places(memory, [&](const MemoryPlace& at) {
    found.push_back({at.impulse != nullptr, at.rebound != nullptr, at.layer != nullptr});
    keys.push_back(at.key);
  });
  const std::vector<std::array<bool, 3>> expected = {
      {true, true, false}, {true, false, true}, {false, true, false}, {true, false, false}};
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST(Memory, a_cursor_finds_what_is_there_and_nothing_else) {
  const Memory memory = example();
  MemoryCursor cursor(memory.impulses);
  EXPECT_EQ(cursor.find(contact_key(0, 0, 0, 0)), nullptr);
  ASSERT_NE(cursor.find(contact_key(0, 1, 0, 0), 1), nullptr);
  EXPECT_EQ(cursor.find(contact_key(0, 2, 0, 0)), nullptr);
  ASSERT_NE(cursor.find(support_key(2, 0)), nullptr);
  EXPECT_EQ(cursor.find(support_key(3, 0)), nullptr);
  EXPECT_EQ(records_of(memory.impulses, contact_key(0, 1, 0, 0)).size(), 2u);
}

TEST(Memory, sorting_restores_the_order_that_is_asked_for) {
  Memory memory = example();
  std::reverse(memory.impulses.begin(), memory.impulses.end());
  EXPECT_FALSE(memory.is_sorted());
  memory.sort();
  EXPECT_TRUE(memory.is_sorted());
  EXPECT_TRUE(memory == example());
}

}  // namespace
}  // namespace vinci
