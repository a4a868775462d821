// SPDX-License-Identifier: Apache-2.0
// A stepper with events whose times have a closed form.
#include "tests/support/event_stepper.h"

VINCI_PLUGIN(plugins) {
  vinci::test::add_bouncer(plugins);
}
