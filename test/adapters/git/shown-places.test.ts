/** Addresses that cannot be opened, with something in them that may be a password: what is printed of them. */

import { expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import { PortError } from '../../../src/ports/port-error.ts';

test.each([
  ['x-access-token:secret@example.com:team/x.git', 'example.com:team/x.git'],
  ['secret@example.com:team/x.git', 'example.com:team/x.git'],
  ['git:se@cret@example.com:x.git', 'example.com:x.git'],
  ['git@example.com:x.git', 'git@example.com:x.git'],
  ['ssh://git:se/secret@example.com/x.git', 'ssh://example.com/x.git'],
  ['ssh://git:p@secret@example.com/x.git', 'ssh://example.com/x.git'],
  ['ftp://secret@example.com/x.git', 'ftp://example.com/x.git'],
  ['file://user:secret@example.com/x.git', 'file://example.com/x.git'],
])('%s is named as %s', (location, shown) => {
  const call = (): unknown => openGit({ location });
  expect(call).toThrow(PortError);
  expect(call).toThrow(`${shown} cannot be opened`);
  expect(call).not.toThrow(/secret|cret@/);
});

test.each(['file:///tmp/x.git', 'file://localhost/tmp/x.git', 'file:/tmp/x.git', 'FILE:///tmp/x.git'])(
  '%s is a path of this machine',
  (location) => expect(() => openGit({ location })).not.toThrow(),
);
