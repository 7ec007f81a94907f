import fc from 'fast-check'
import t from 'tap'
import { lineFinder, readJsonSource } from '../../../../../src/toolkit/contract/index.js'

t.test('invalid JSON is reported with its position', async (t) => {
  const rows: readonly [text: string, line: number, column: number, message: RegExp][] = [
    ['', 1, 1, /^expected a value, found the end of the text$/],
    ['{\n  "a": 1,\n}', 2, 9, /^trailing comma before "}"$/],
    ['[1,\n2,]', 2, 2, /^trailing comma before "]"$/],
    ['{\n  // why\n}', 2, 3, /^found a comment, which JSON does not have$/],
    ["{'a': 1}", 1, 2, /^found "'", where a value or a text in double quotes is expected$/],
    ['{1: 1}', 1, 2, /^expected a member name in double quotes, found "1"$/],
    ['{"a" 1}', 1, 6, /^expected ":", found "1"$/],
    ['{"a": 1 "b": 2}', 1, 9, /^expected a comma or the end of the object or list, found "\\""$/],
    ['{"a": 1', 1, 8, /^expected "," or "}", found the end of the text$/],
    ['[1', 1, 3, /^expected "," or "]", found the end of the text$/],
    ['["a\nb"]', 1, 2, /^unterminated string, or a line break in it$/],
    ['["\\x"]', 1, 2, /^invalid escape in a string$/],
    ['["\\u00g0"]', 1, 2, /^invalid escape in a string$/],
    ['["\u0001"]', 1, 2, /^invalid control character in a string$/],
    ['[01]', 1, 3, /^expected a comma or the end of the object or list, found "1"$/],
    ['[1.]', 1, 2, /^the number has no digit after "." or "e"$/],
    ['{} {}', 1, 4, /^unexpected text after the end of the document$/],
    ['[😀]', 1, 2, /^found "😀", where a value or a text in double quotes is expected$/],
    ['['.repeat(1_000_000), 1, 1, /^objects and lists are nested more than 500 levels deep$/],
  ]
  for (const [text, line, column, message] of rows) {
    const { root, fault } = readJsonSource(text)
    t.equal(root, undefined)
    t.match(fault?.message, message)
    t.same(lineFinder(text)(fault?.offset ?? -1), { line, column }, text.slice(0, 20))
  }
})

t.test('exactly the texts that JSON.parse accepts are accepted', async (t) => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '"a"',
    '"',
    '\\',
    '1',
    '-',
    '0',
    '.5',
    'e3',
    'true',
    'null',
  ]
  const piece = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((list) => list.join(''))
  const whole = fc.json()
  fc.assert(
    fc.property(fc.oneof(piece, whole), (text) => {
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      return (readJsonSource(text).root !== undefined) === isJson
    }),
    { numRuns: 2000 },
  )
  t.pass('2000 texts')
})
