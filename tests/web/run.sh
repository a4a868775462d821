#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh unit|types|browser, in web/: tests of the viewer's page. Returns 77 where they cannot run.
skip() {
  echo "skipped: $1"
  exit 77
}

command -v npm > /dev/null || skip 'there is no npm (packages.txt, section build)'
test -d node_modules || skip 'there is no web/node_modules (npm ci makes it)'
case $1 in
  unit) exec npm test ;;
  types) exec npm run types ;;
esac
test -x "$VINCI_CHROMIUM" || skip 'there is no Chromium (packages.txt, section test)'
"$VINCI_PROGRAM" view nothing.h5 --html nothing.html 2>&1 | grep -q 'without the viewer' &&
  skip "the program is built without the viewer's page (make build)"
exec npm run test:browser
