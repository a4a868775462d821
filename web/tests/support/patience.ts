// SPDX-License-Identifier: Apache-2.0
// A net under what would never end. Nothing is measured by it: a busy machine must not come near.
export const patience = 600_000; // ms
