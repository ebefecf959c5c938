/** A secret in the words of a server, in whatever form it was said back: nothing of it is left, and of the rest everything. */

import { assert, integer, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { lineWithout } from '../../../src/adapters/git/git-error.ts';
import { holdsSecret, withoutSecrets } from '../../../src/adapters/git/secret-forms.ts';

const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'twice percent-encoded': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'all of it percent-encoded': (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
  'as HTML has it': (secret) => Array.from(secret, (sign) => `&#${sign.charCodeAt(0)};`).join(''),
  'as HTML may have it, without semicolons and with zeros': (secret) =>
    Array.from(secret, (sign, at) => {
      const code = sign.charCodeAt(0);
      return at % 2 === 0 ? `&#x${'0'.repeat(20)}${code.toString(16)}` : `&#${code}`;
    }).join(''),
  'escaped as in JSON': (secret) => Array.from(secret, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join(''),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64, behind a name': (secret) => Buffer.from(`x-access-token:${secret}`).toString('base64'),
  'in base64 for addresses': (secret) => Buffer.from(`a:${secret}`).toString('base64url'),
};

/** Long enough to be one, of any printable signs: `%41` and `&#65;` as well. */
const secrets = string({
  unit: integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  minLength: 12,
});

test.each(Object.entries(FORMS))('%s', (_, said) => {
  assert(
    property(secrets, (secret) => {
      const left = withoutSecrets(`the server said < ${said(secret)} > and no more`, [secret]);
      expect(left).toBe('the server said < *** > and no more');
    }),
  );
});

test('one that is said again and again is gone, and nobody waits for that', () => {
  const secret = 'ghs_s3cretT0kenOfTheRun';
  for (const between of ['', ' ', '.', '%25', 'x'.repeat(100)]) {
    const left = withoutSecrets(`${secret}${between}`.repeat(20_000), [secret]);
    expect(left.replaceAll(between, '').replaceAll('***', '').length).toBeLessThan(100);
  }
});

test('one that looks as if it were encoded', () => {
  for (const secret of ['pass%41word%2Fx', 'pass&#65;word12', 'pass\\u0041word1'])
    expect([holdsSecret(`no: ${secret}`, [secret]), withoutSecrets(`no: ${secret}`, [secret])]).toEqual([
      true,
      'no: ***',
    ]);
});

test('what has none is as it was', () => {
  const text = 'a 100%25 word of &#65; and\tAAAAAAAA';
  expect(withoutSecrets(text, ['another-secret', ''])).toBe(text);
});

test('signs that HTML has a name for', () => {
  const said = 'the server said ghs&lowbar;a&period;b&UnderBar;c&plus;d&sol;e&equals;1234567 and no more';
  expect(withoutSecrets(said, ['ghs_a.b_c+d/e=1234567'])).toBe('the server said *** and no more');
});

test('one whose first or last signs an escape in front of it, or behind it, would take', () => {
  const ends = ['eyJhbGciOi.Cluster-s3cret_0f~Pods', '5Secret0fPods&#6', '7bSecret0fPods%', '2Secret0fPods%4'];
  for (const secret of ends)
    for (const before of ['%2', '%252', '%25252', '\\u002', '\\u00', '&#x2', '&#x000', '&#9', '&#0', '%', '&#'])
      for (const behind of ['', '1', '25', '5;', ' %41'])
        expect(withoutSecrets(`no: ${before}${secret}${behind}`, [secret]), before + secret).not.toContain('ecret');
  expect(holdsSecret('no: %2eyJhbGciOiJSUzI1NiJ9', ['eyJhbGciOiJSUzI1NiJ9'])).toBe(true);
});

test('one with a space inside of an escape', () => {
  expect(withoutSecrets('no: ghs%5 fs3cret&#x5 4;0ken', ['ghs_s3cretT0ken'])).toBe('***');
});

test('one with signs inside that nobody sees, whichever of Unicode', () => {
  const secret = 'ghs_s3cretT0kenOfTheRun';
  const unseen = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((sign) => /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Z}]/u.test(sign));
  expect(unseen.length).toBeGreaterThan(4000);
  const left = unseen.filter((sign) => {
    const said = `bad ${secret.slice(0, 9)}${sign}${secret.slice(9)} here`;
    return lineWithout(said, [secret]) !== 'bad *** here';
  });
  expect(left.map((sign) => sign.codePointAt(0)?.toString(16))).toEqual([]);
});
