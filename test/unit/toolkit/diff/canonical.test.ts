import t from 'tap'
import { canonicalText } from '../../../../src/toolkit/contract/index.js'

t.test('values that are equal in JSON have one text', async (t) => {
  const rows: readonly (readonly [one: string, other: string, areEqual: boolean])[] = [
    ['{"a":1,"b":[{"c":null,"d":""}]}', '{"b":[{"d":"","c":null}],"a":1.0}', true],
    ['0', '-0', true],
    ['[1,2]', '[2,1]', false],
    ['{"__proto__":1}', '{}', false],
    ['{"a":"1"}', '{"a":1}', false],
    ['[]', '{}', false],
    ['null', '"null"', false],
  ]
  for (const [one, other, areEqual] of rows) {
    t.equal(canonicalText(JSON.parse(one)) === canonicalText(JSON.parse(other)), areEqual, `${one} ${other}`)
  }
  t.equal(canonicalText(undefined), '')
})
