import fc from 'fast-check'
import t from 'tap'
import { printable, printableIn, printableJson } from '../../../../src/toolkit/text/index.js'
import { codePoint } from '../../../support/code-point.js'

t.test('control characters are printed as their codes', async (t) => {
  t.equal(
    printable('a\u001b[2J\u009b\u202e\u2028\n\t\u{e0001}é😀'),
    'a\\u001b[2J\\u009b\\u202e\\u2028\\u000a\\u0009\\u{e0001}é😀',
  )
  t.same(printableIn({ a: ['x\u0007\ny', 1, null, { b: true }] }), {
    a: ['x\\u0007\ny', 1, null, { b: true }],
  })
})

t.test('escaped JSON keeps its meaning', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: codePoint }), (value) => {
      const json = printableJson(JSON.stringify(value, null, 2))
      t.notMatch(json.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
      t.same(JSON.parse(json), JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 100 },
  )
})
