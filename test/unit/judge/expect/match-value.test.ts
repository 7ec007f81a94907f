import fc from 'fast-check'
import t from 'tap'
import { matchValue } from '../../../../src/judge/expect/match-value.js'
import { ScenarioRunError } from '../../../../src/judge/scenario/scenario-run-error.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'
import { isArray, isObject } from '../../../../src/toolkit/contract/index.js'

const match = (expected: JsonValue, actual: JsonValue | undefined, where = '/result') =>
  matchValue(expected, actual, where, schemas)

/**
 * A contract whose schema `#/text` accepts texts of one character, `#/list` lists of them, and `#/object` objects with
 * the member `id`.
 */
function schemas(pointer: string, value: JsonValue) {
  if (pointer === '#/object') {
    const isMissing = isObject(value) && value['id'] === undefined
    return isMissing ? [{ path: '', message: 'must have the member "id"', member: 'id' }] : []
  }
  const items = pointer === '#/list' && isArray(value) ? value : [value]
  return items.flatMap((item, at) =>
    typeof item === 'string' && item.length === 1
      ? []
      : [{ path: pointer === '#/list' ? `/${at}` : '', message: 'must be one character' }],
  )
}

type Row = readonly [expected: JsonValue, actual: JsonValue | undefined]

const equal: readonly Row[] = [
  [null, null],
  [1, 1],
  [0, -0],
  [1.5, 1.5],
  ['', ''],
  [false, false],
  [[], []],
  [{}, {}],
  [
    { a: 1, b: [null] },
    { b: [null], a: 1 },
  ],
  [{ $has: { a: 1 } }, { a: 1, b: 2 }],
  [{ $has: { a: { $has: { b: 1 } } } }, { a: { b: 1, c: 1 } }],
  [{ $has: { a: { $absent: true } } }, { b: 1 }],
  [{ a: { $absent: true }, b: 1 }, { b: 1 }],
  [{ $is: { $has: 1 } }, { $has: 1 }],
  [{ $is: null }, null],
  [{ $schema: '#/text' }, 'a'],
  [{ $schema: '#/list' }, ['a', 'b']],
  [{ $pattern: '^0x' }, '0xf'],
  [{ $pattern: 'b' }, 'abc'],
  [{ $pattern: '^.$' }, '💥'],
  [{ $type: 'null' }, null],
  [{ $type: 'boolean' }, true],
  [{ $type: 'number' }, 1.5],
  [{ $type: 'integer' }, 1],
  [{ $type: 'string' }, ''],
  [{ $type: 'array' }, []],
  [{ $type: 'object' }, {}],
  [{ $type: ['null', 'array'] }, []],
  [{ $min: 1 }, 1],
  [{ $min: 1 }, '0x1'],
  [{ $max: 1.5 }, 1.5],
  [{ $min: '0x9' }, '0xa'],
  [{ $min: '0xff' }, '0x100'],
  [{ $max: '0xF' }, '0xf'],
  [{ $max: '0x0f' }, '0xf'],
  [{ $min: '0x20000000000001' }, '0x20000000000001'],
  [{ $min: 1, $max: 3 }, 2],
  [{ $near: { value: 100, within: 10 } }, 110],
  [{ $near: { value: 100, within: 10 } }, 90],
  [{ $near: { value: 100, within: '10%' } }, 90],
  [{ $near: { value: -100, within: '10%' } }, -110],
  [{ $near: { value: '0x64', within: '10%' } }, '0x6e'],
  [{ $near: { value: '0x64', within: '0xa' } }, '0x5a'],
  [{ $near: { value: '0x64', within: 10 } }, '0x6e'],
  [{ $near: { value: '0xde0b6b3a7640000', within: '0.5%' } }, '0xdf27a2cdf448000'],
  [{ $near: { value: '0x0', within: '10%' } }, '0x0'],
  [{ '$one-of': [1, null] }, null],
  [{ '$one-of': [{ $absent: true }, 1] }, undefined],
  [{ $not: null }, []],
  [{ $not: { $absent: true } }, null],
  [{ $not: 'a' }, 'b'],
  [{ $each: { $type: 'string' } }, ['a', 'b']],
  [{ $each: 1 }, []],
  [{ $contains: 2 }, [1, 2, 3]],
  [{ $length: 2 }, [1, 2]],
  [{ $length: 1 }, '💥'],
  [{ $length: { $min: 1 } }, [1, 2]],
  [{ $unordered: [1, 2, 2] }, [2, 1, 2]],
  [{ $unordered: [] }, []],
  [{ $empty: true }, []],
  [{ $empty: true }, {}],
  [{ $empty: true }, ''],
  [{ $absent: true }, undefined],
  [
    [{ $min: 1 }, 'a'],
    [5, 'a'],
  ],
  [
    { $price: 1, name: 2 },
    { $price: 1, name: 2 },
  ],
]

t.test('a matching value has no findings', async (t) => {
  for (const [expected, actual] of equal)
    t.strictSame(match(expected, actual), [], JSON.stringify([expected, actual]))
})

type Finding = readonly [where: string, expected: string, got: string]

const different: readonly [...Row, ...(readonly Finding[])][] = [
  [1, '1', ['/result', '1', '"1"']],
  ['0x1', 1, ['/result', '"0x1"', '1']],
  [null, undefined, ['/result', 'null', 'no result member']],
  [null, [], ['/result', 'null', 'an empty list']],
  [null, {}, ['/result', 'null', 'an empty object']],
  [null, '', ['/result', 'null', 'an empty string']],
  [null, false, ['/result', 'null', 'false']],
  [null, 0, ['/result', 'null', '0']],
  [[], null, ['/result', 'an empty list', 'null']],
  [{}, [], ['/result', 'an empty object', 'an empty list']],
  [[], {}, ['/result', 'an empty list', 'an empty object']],
  ['a', 'A', ['/result', '"a"', '"A"']],
  [{ a: 1 }, { a: 2 }, ['/result/a', '1', '2']],
  [{ a: 1 }, {}, ['/result/a', '1', 'no a member']],
  [{ a: null }, {}, ['/result/a', 'null', 'no a member']],
  [{ a: 1 }, { a: 1, b: null }, ['/result/b', 'no such member', 'null']],
  [{ 'a/b~c': 1 }, { 'a/b~c': 2 }, ['/result/a~1b~0c', '1', '2']],
  [{ a: [{ b: 1 }] }, { a: [{ b: [] }] }, ['/result/a/0/b', '1', 'an empty list']],
  [
    [1, 2],
    [1, 3],
    ['/result/1', '2', '3'],
  ],
  [[1], [1, 2], ['/result', 'a list of 1: [1]', 'a list of 2: [1,2]']],
  [[], [1], ['/result', 'an empty list', 'a list of 1: [1]']],
  [{ $has: { a: 1 } }, null, ['/result', 'an object with a: 1', 'null']],
  [{ $has: { a: null } }, {}, ['/result/a', 'null', 'no a member']],
  [{ $has: { a: { $not: null } } }, {}, ['/result/a', 'anything but null', 'no a member']],
  [{ $has: { a: { $absent: true } } }, { a: null }, ['/result/a', 'nothing', 'null']],
  [{ $not: null }, null, ['/result', 'anything but null', 'null']],
  [{ $not: { $type: 'string' } }, 'a', ['/result', 'anything but the type string', '"a"']],
  [{ $is: { $has: 1 } }, { $has: 2 }, ['/result/$has', '1', '2']],
  [{ $schema: '#/text' }, 'ab', ['/result', 'must be one character (#/text)', '"ab"']],
  [{ $schema: '#/list' }, ['a', null], ['/result/1', 'must be one character (#/list)', 'null']],
  [
    { $schema: '#/object' },
    { first: 'a'.repeat(300), second: 1 },
    ['/result', 'must have the member "id" (#/object)', 'an object of 2 members without it: first, second'],
  ],
  [{ $schema: '#/text' }, undefined, ['/result', 'what #/text of the contract allows', 'no result member']],
  [{ $pattern: '^0x' }, '1', ['/result', 'text like /^0x/', '"1"']],
  [{ $pattern: '1' }, 1, ['/result', 'text like /1/', '1']],
  [{ $pattern: 'null' }, null, ['/result', 'text like /null/', 'null']],
  [{ $near: { value: 100, within: 10 } }, 111, ['/result', 'at most 10 from 100', '111']],
  [{ $near: { value: 100, within: '10%' } }, 89, ['/result', 'at most 10% from 100', '89']],
  [{ $near: { value: '0x64', within: '10%' } }, '0x6f', ['/result', 'at most 10% from 0x64', '"0x6f"']],
  [{ $near: { value: '0x64', within: '0xa' } }, '0x59', ['/result', 'at most 0xa from 0x64', '"0x59"']],
  [
    { $near: { value: '0xde0b6b3a7640000', within: '0.5%' } },
    '0xdf27a2cdf448001',
    ['/result', 'at most 0.5% from 0xde0b6b3a7640000', '"0xdf27a2cdf448001"'],
  ],
  [{ $near: { value: '0x64', within: '10%' } }, 100, ['/result', 'at most 10% from 0x64', '100']],
  [{ $near: { value: 100, within: '10%' } }, 'a', ['/result', 'at most 10% from 100', '"a"']],
  [
    { $near: { value: 100, within: '10%' } },
    undefined,
    ['/result', 'at most 10% from 100', 'no result member'],
  ],
  [{ $type: 'integer' }, 1.5, ['/result', 'the type integer', '1.5']],
  [{ $type: ['null', 'array'] }, {}, ['/result', 'the type null or array', 'an empty object']],
  [{ $type: 'object' }, null, ['/result', 'the type object', 'null']],
  [{ $type: 'object' }, [], ['/result', 'the type object', 'an empty list']],
  [{ $min: 2 }, 1, ['/result', 'at least 2', '1']],
  [{ $min: 2 }, '1', ['/result', 'at least 2', '"1"']],
  [{ $min: '0xa' }, '0x9', ['/result', 'at least 0xa', '"0x9"']],
  [{ $max: '0xff' }, '0x100', ['/result', 'at most 0xff', '"0x100"']],
  [{ $min: '0x1' }, 5, ['/result', 'at least 0x1', '5']],
  [{ $min: '0x0' }, '0x', ['/result', 'at least 0x0', '"0x"']],
  [{ $min: 0 }, null, ['/result', 'at least 0', 'null']],
  [{ $min: 1, $max: 3 }, 4, ['/result', 'at most 3', '4']],
  [{ '$one-of': [1, { $pattern: '^a' }] }, 2, ['/result', 'one of 1, text like /^a/', '2']],
  [{ '$one-of': [1] }, undefined, ['/result', 'one of 1', 'no result member']],
  [{ $each: { $min: 2 } }, [1, 2, 0], ['/result/0', 'at least 2', '1'], ['/result/2', 'at least 2', '0']],
  [{ $each: 1 }, null, ['/result', 'a list whose every item is 1', 'null']],
  [{ $contains: { $min: 2 } }, [1], ['/result', 'a list with an item that is at least 2', '[1]']],
  [{ $contains: 1 }, 1, ['/result', 'a list with an item that is 1', '1']],
  [{ $length: 1 }, [], ['/result', 'length 1', 'length 0: an empty list']],
  [{ $length: { $min: 3 } }, 'ab', ['/result', 'length at least 3', 'length 2: "ab"']],
  [{ $length: 0 }, {}, ['/result', 'length 0', 'an empty object']],
  [{ $length: 0 }, null, ['/result', 'length 0', 'null']],
  [{ $unordered: [1] }, null, ['/result', 'in any order 1', 'null']],
  [{ $unordered: [] }, {}, ['/result', 'an empty list', 'an empty object']],
  [{ $empty: true }, [1], ['/result', 'an empty list, object, text or body', '[1]']],
  [{ $empty: true }, null, ['/result', 'an empty list, object, text or body', 'null']],
  [{ $empty: true }, undefined, ['/result', 'an empty list, object, text or body', 'no result member']],
  [{ $absent: true }, null, ['/result', 'nothing', 'null']],
]

t.test('a difference is described at the smallest place, in words', async (t) => {
  for (const [expected, actual, ...findings] of different) {
    const want = findings.map(([where, expected, got]) => ({ where, expected, got }))
    t.strictSame(match(expected, actual), want, JSON.stringify([expected, actual]))
  }
})

t.test('a missing header is a difference', async (t) => {
  t.strictSame(match('a', undefined, 'header RateLimit'), [
    { where: 'header RateLimit', expected: '"a"', got: 'no such header' },
  ])
})

t.test('findings are limited and counted', async (t) => {
  const list = Array.from({ length: 1_234 }, (_, at) => at)
  const findings = match({ $each: 'x' }, list)
  t.equal(findings.length, 10)
  t.strictSame(findings[9], { where: '/result', expected: 'no further differences', got: '1,225 more' })
  const object = Object.fromEntries(list.map((at) => [`m${at}`, at]))
  t.equal(match({}, object).length, 10)
})

t.test('descriptions of any value have a limited length', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (expected, actual) => {
      for (const finding of match({ $is: expected }, actual)) {
        t.ok(finding.expected.length <= 200 && finding.got.length <= 200, JSON.stringify(finding))
      }
    }),
  )
})

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>

t.test('every value equals itself in any order of members', async () => {
  fc.assert(fc.property(json, (value) => match({ $is: value }, reversed(value)).length === 0))
})

t.test('a value with one changed place differs, and the place is reported', async (t) => {
  fc.assert(
    fc.property(json, fc.nat(), json, (value, pick, other) => {
      const places = placesOf(value)
      const place = places[pick % places.length] ?? []
      if (JSON.stringify(at(value, place)) === JSON.stringify(other)) return
      if (match({ $is: at(value, place) ?? null }, other).length === 0) return
      const findings = match({ $is: value }, replaced(value, place, other), '')
      t.ok(findings.length > 0, JSON.stringify([value, place, other]))
      const pointer = place
        .map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')}`)
        .join('')
      t.ok(
        findings.every(({ where }) => where.startsWith(pointer)),
        JSON.stringify([pointer, findings]),
      )
    }),
  )
})

t.test('a variable that makes a matcher invalid is reported', async (t) => {
  const impossible: readonly [expected: JsonValue, message: string][] = [
    [{ $pattern: 1 }, '$pattern takes a regular expression, not 1'],
    [{ $pattern: '(' }, '$pattern takes a regular expression, not "("'],
    [{ $min: null }, '$min and $max take a number or a hexadecimal quantity, not null'],
    [{ $max: 'x' }, '$min and $max take a number or a hexadecimal quantity, not "x"'],
    [{ '$one-of': null }, '$one-of takes a list, not null'],
    [{ $unordered: 'x' }, '$unordered takes a list, not "x"'],
    [{ $has: [] }, '$has takes an object, not an empty list'],
    [{ $schema: 1 }, '$schema takes a JSON pointer into the contract, not 1'],
    [{ $like: 1 }, '"$like" is not a matcher'],
    [{ $constructor: 1 }, '"$constructor" is not a matcher'],
  ]
  for (const [expected, message] of impossible) {
    const actual = Object.hasOwn(expected as object, '$unordered') ? [] : 'a'
    t.throws(() => match(expected, actual), new ScenarioRunError(message), message)
  }
})

function reversed(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(reversed)
  if (!isObject(value)) return value
  const members = Object.entries(value).reverse()
  return Object.fromEntries(members.map(([name, inner]) => [name, reversed(inner ?? null)]))
}

/** The paths of all nested values. */
function placesOf(value: JsonValue): string[][] {
  const inner = Object.entries(isArray(value) || isObject(value) ? value : {})
  return [[], ...inner.flatMap(([name, item]) => placesOf(item ?? null).map((path) => [name, ...path]))]
}

function at(value: JsonValue, [name, ...rest]: readonly string[]): JsonValue | undefined {
  if (name === undefined) return value
  return at((value as { readonly [name: string]: JsonValue })[name] ?? null, rest)
}

function replaced(value: JsonValue, [name, ...rest]: readonly string[], other: JsonValue): JsonValue {
  if (name === undefined) return other
  const entries = Object.entries(value as object).map(([key, item]) => [
    key,
    key === name ? replaced(item as JsonValue, rest, other) : item,
  ])
  return isArray(value)
    ? entries.map(([, item]) => item as JsonValue)
    : (Object.fromEntries(entries) as JsonValue)
}
