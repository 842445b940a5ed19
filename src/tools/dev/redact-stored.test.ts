/** Redaction of stored texts. How rows use it is tested with the rows. */
import { expect, test } from 'vitest'
import { hidesValue, redactArray, redactStoredText } from './redact-stored.ts'

test.each(['remember_hash', 'previousHash', 'code_hash', 'token_digest', 'password'])(
  'values of %s are hidden',
  (name) => {
    expect(hidesValue(name)).toBe(true)
    expect(hidesValue('hash_tags')).toBe(false)
  },
)

test('a text without secrets stays the same, also JSON with its spaces', () => {
  for (const text of [
    '',
    'Ann',
    'password_reset',
    'Forgot your password?',
    '[draft] a note',
    '{ "a": [1, null], "b": "c" }',
    '{',
  ]) {
    expect(redactStoredText(text)).toBe(text)
  }
})

test.each([
  ['{ "token": "HUSH", "token": null }', '{"token":null}'],
  ['{ "codeHash": "HUSH", "codeHash": true }', '{"codeHash":true}'],
  ['{ "a": { "t\\u006fken": "HUSH" }, "a": ":" }', '{"a":":"}'],
  ['[{ "name": "otp", "value": ["HUSH"] }]', '[{"name":"[redacted]","value":"[redacted]"}]'],
  [
    '["password", { "value": "HUSH" }, 7, true, null]',
    '["[redacted]","[redacted]","[redacted]",true,null]',
  ],
  ['{ "token": { "value": "HUSH" } }', '{"token":"[redacted]"}'],
  ['"password=HUSH"', '"[redacted]"'],
])('the secret in the JSON %s is redacted', (text, shown) => {
  expect(redactStoredText(text)).toBe(shown)
})

test('of a secret name, null and booleans stay', () => {
  const text = '{ "password": null, "hasToken": false }'
  expect(redactStoredText(text)).toBe(text)
})

test('JSON of any depth has a redacted form', () => {
  const text = '['.repeat(50_000) + '"DEEP"' + ']'.repeat(50_000)
  expect(redactStoredText(text)).toContain('[redacted]')
  expect(redactStoredText(text)).not.toContain('DEEP')
  expect(redactArray(`{"${text.replaceAll('"', '\\"')}"}`)).not.toContain('DEEP')
})
