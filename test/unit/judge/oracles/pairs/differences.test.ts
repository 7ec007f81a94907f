import t from 'tap'
import { compareAnswers } from '../../../../../src/judge/oracles/pairs/differences.js'
import { exactJson } from '../../../../../src/judge/oracles/pairs/exact-json.js'
import type { JsonValue } from '../../../../../src/toolkit/contract/index.js'

const result = (value: JsonValue) => ({ jsonrpc: '2.0', id: 1, result: value })
const error = (code: number, message: string, data?: JsonValue) => ({
  jsonrpc: '2.0',
  id: 1,
  error: { code, message, ...(data === undefined ? {} : { data }) },
})

t.test('differing places of two answers are listed with both values', async (t) => {
  const rows: readonly (readonly [name: string, a: JsonValue, b: JsonValue, expected: readonly string[]])[] =
    [
      ['the same', result({ x: [1, 'a', null] }), result({ x: [1, 'a', null] }), []],
      ['members in another order', result({ x: 1, y: 2 }), result({ y: 2, x: 1 }), []],
      ['another id', { ...result(1), id: 7 }, result(1), []],
      ['a value', result({ x: { y: '0x1' } }), result({ x: { y: '0x2' } }), ['/result/x/y "0x1" "0x2"']],
      ['another type', result('1'), result(1), ['/result "1" 1']],
      ['null and an absent member', result({ x: null }), result({}), ['/result/x null absent']],
      ['an extra member', result({}), result({ more: 1 }), ['/result/more absent 1']],
      ['a shorter list', result([1, 2]), result([1]), ['/result a list of 2 a list of 1']],
      ['an item', result([1, 2, 3]), result([1, 9, 3]), ['/result/1 2 9']],
      ['a name that JSON pointers escape', result({ 'a/b': 1 }), result({ 'a/b': 2 }), ['/result/a~1b 1 2']],
      [
        'an error instead of a result',
        result(null),
        error(-32000, 'No'),
        [' {"result":null} {"error":{"code":-32000,"message":"No"}}'],
      ],
      ['another code', error(-32602, 'No'), error(-32000, 'No'), ['/error/code -32602 -32000']],
      ['other data', error(-32602, 'No', { at: 1 }), error(-32602, 'No'), ['/error/data {"at":1} absent']],
    ]
  for (const [name, a, b, expected] of rows) {
    const { differences } = compareAnswers(a, b, [], '')
    t.same(
      differences.map(({ where, a, b }) => `${where} ${a} ${b}`),
      expected,
      name,
    )
  }
})

t.test('different error messages are shown but are not a difference', async (t) => {
  t.match(compareAnswers(error(-32000, 'No'), error(-32000, 'Never'), [], ''), {
    differences: [],
    isWording: true,
  })
  t.match(compareAnswers(error(-32000, 'No'), error(-32000, 'No'), [], ''), { isWording: false })
})

t.test('volatile values of the contract are ignored', async (t) => {
  const [a, b] = [
    result({ time: 1, list: [{ n: 1, age: 3 }] }),
    result({ time: 2, list: [{ n: 1, age: 4 }] }),
  ]
  t.same(compareAnswers(a, b, ['/time', '/list/*/age'], '').differences, [])
  t.same(
    compareAnswers(a, b, ['/time'], '').differences.map(({ where }) => where),
    ['/result/list/0/age'],
  )
  t.same(compareAnswers(a, b, [''], '').differences, [], 'the whole result')
  t.equal(
    compareAnswers(result(1), error(-1, 'No'), [''], '').differences.length,
    1,
    'but an error is still a difference',
  )
})

t.test('numbers within the tolerance are equal, also in a result that is volatile as a whole', async (t) => {
  const rows: readonly (readonly [a: JsonValue, b: JsonValue, within: JsonValue, differences: number])[] = [
    ['0x64', '0x6e', '10%', 0],
    ['0x64', '0x6f', '10%', 1],
    [{ price: 100, list: ['0x64'] }, { price: 105, list: ['0x65'] }, 5, 0],
    [{ price: 100, name: 'a' }, { price: 106, name: 'b' }, 5, 2],
    [{ price: 100 }, {}, 5, 1],
  ]
  for (const [a, b, within, expected] of rows) {
    const { differences } = compareAnswers(result(a), result(b), [''], '', within)
    t.equal(differences.length, expected, JSON.stringify([a, b, within]))
  }
})

t.test('many differences are limited to the first ones, and long values are truncated', async (t) => {
  const list = (by: number) => result(Array.from({ length: 1000 }, (_, index) => index + by))
  t.equal(compareAnswers(list(0), list(1), [], '').differences.length, 20)
  const [difference] = compareAnswers(result('x'.repeat(5000)), result('y'), [], '').differences
  t.match(difference?.a, /^"x{299}… \(5002 characters\)$/)
})

t.test('numbers are equal only with all their digits', async (t) => {
  t.strictSame(exactJson('{"a":[1,-2.5,"12345678901234567890",true]}'), {
    a: [1, -2.5, '12345678901234567890', true],
  })
  t.notSame(exactJson('12345678901234567890'), exactJson('12345678901234567891'))
  t.notSame(exactJson('1e400'), exactJson('1e401'))
  t.strictSame(exactJson('{"a\\"1e5":"\\\\"}'), { 'a"1e5': '\\' }, 'strings stay unchanged')
})
