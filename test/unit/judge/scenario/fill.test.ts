import fc from 'fast-check'
import t from 'tap'
import { fill, fillText } from '../../../../src/judge/scenario/fill.js'
import { BelowZero, ScenarioRunError } from '../../../../src/judge/scenario/scenario-run-error.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'

const variables = new Map<string, JsonValue>([
  ['hash', '0xab'],
  ['empty', ''],
  ['zero', '0x0'],
  ['upper', '0x0FF'],
  ['count', 7],
  ['negative', -5],
  ['nothing', null],
  ['yes', true],
  ['list', [1, '2', null]],
  ['object', { a: { b: 1 } }],
  ['fraction', 1.5],
  ['text', 'ten'],
  ['safe', Number.MAX_SAFE_INTEGER],
  ['large', `0x${'f'.repeat(64)}`],
  ['network.chainId', '0x1f'],
  ['limit.body-bytes', 5],
])

const given: readonly [template: JsonValue, want: JsonValue][] = [
  ['no variable', 'no variable'],
  ['', ''],
  [null, null],
  [7, 7],
  [false, false],
  ['$', '$'],
  ['$x', '$x'],
  ['{hash}', '{hash}'],
  ['${hash}', '0xab'],
  ['${ hash }', '0xab'],
  ['${count}', 7],
  ['${nothing}', null],
  ['${yes}', true],
  ['${list}', [1, '2', null]],
  ['${object}', { a: { b: 1 } }],
  ['${network.chainId}', '0x1f'],
  ['${limit.body-bytes + 1}', 6],
  ['${hash + 1}', '0xac'],
  ['${hash+1}', '0xac'],
  ['${hash - 1}', '0xaa'],
  ['${hash + 0}', '0xab'],
  ['${zero + 0}', '0x0'],
  ['${zero + 16}', '0x10'],
  ['${upper + 1}', '0x100'],
  ['${upper}', '0x0FF'],
  ['${count - 7}', 0],
  ['${large + 1}', `0x1${'0'.repeat(64)}`],
  ['a${hash}b', 'a0xabb'],
  ['${hash}${hash}', '0xab0xab'],
  ['${empty}', ''],
  ['[${empty}]', '[]'],
  ['n=${count}', 'n=7'],
  ['n=${count + 1}!', 'n=8!'],
  ['v=${nothing}', 'v=null'],
  ['v=${list}', 'v=[1,"2",null]'],
  ['v=${object}', 'v={"a":{"b":1}}'],
  ['$${hash}', '${hash}'],
  ['$$${hash}', '$${hash}'],
  ['$${', '${'],
  ['a$${b}${count}', 'a${b}7'],
  [
    ['${count}', { x: '${hash}', '${hash}': 1 }],
    [7, { x: '0xab', '0xab': 1 }],
  ],
]

t.test('variables are replaced, and keep their type when they are the whole value', async (t) => {
  for (const [template, want] of given)
    t.strictSame(fill(template, variables), want, JSON.stringify(template))
})

const refused: readonly [template: string, message: string][] = [
  ['${unknown}', '${unknown}: no variable "unknown" is known here; capture it first'],
  ['x ${unknown - 1}', '${unknown - 1}: no variable "unknown" is known here; capture it first'],
  ['${zero - 1}', '${zero - 1}: 0x0 moved by -1 falls below zero'],
  ['${count - 8}', '${count - 8}: 7 moved by -8 falls below zero'],
  ['${negative + 1}', '${negative + 1}: -5 moved by 1 falls below zero'],
  ['${nothing + 1}', '${nothing + 1}: null is neither an integer nor a hexadecimal quantity'],
  ['${text + 1}', '${text + 1}: ten is neither an integer nor a hexadecimal quantity'],
  ['${fraction + 1}', '${fraction + 1}: 1.5 is neither an integer nor a hexadecimal quantity'],
  ['${list + 1}', '${list + 1}: [1,"2",null] is neither an integer nor a hexadecimal quantity'],
  ['${safe + 1}', '${safe + 1}: 9007199254740992 is beyond 2^53 - 1, where numbers lose digits'],
  ['${count', '"${" is not closed; write "$${" for a literal "${"'],
  ['${count * 2}', '"${count * 2}" is not a variable: write "${name}", "${name + 1}" or "${name - 1}"'],
  ['${}', '"${}" is not a variable: write "${name}", "${name + 1}" or "${name - 1}"'],
  ['${count + 0x1}', '"${count + 0x1}" is not a variable: write "${name}", "${name + 1}" or "${name - 1}"'],
]

t.test('invalid variables are reported in words', async (t) => {
  for (const [template, message] of refused) {
    const Refused = message.endsWith('below zero') ? BelowZero : ScenarioRunError
    t.throws(() => fill(template, variables), new Refused(message), template)
  }
})

t.test('a long value is truncated in errors', async (t) => {
  const long = new Map([['long', 'x'.repeat(1000)]])
  t.throws(() => fill('${long + 1}', long), { message: /^\$\{long \+ 1\}: x{80}… is neither/ })
})

t.test('the name __proto__ is a normal name', async (t) => {
  const template = JSON.parse('{"__proto__":"${count}"}') as JsonValue
  const filled = fill(template, variables)
  t.equal(JSON.stringify(filled), '{"__proto__":7}')
  t.equal(Object.getPrototypeOf(filled), Object.prototype)
})

t.test('inside a text, a number becomes its digits', async (t) => {
  t.equal(fillText('${count}', variables), '7')
  t.equal(fillText('/v2/${hash}', variables), '/v2/0xab')
})

const quantity = fc.bigInt({ min: 0n, max: 2n ** 256n })
const amount = fc.nat()

t.test('a moved quantity is minimal, in lower case, and off by the exact amount', async () => {
  fc.assert(
    fc.property(quantity, amount, (value, add) => {
      const known = new Map<string, JsonValue>([['q', `0x${value.toString(16).toUpperCase()}`]])
      return (
        fill(`\${q + ${add}}`, known) ===
        (add === 0 ? known.get('q') : `0x${(value + BigInt(add)).toString(16)}`)
      )
    }),
  )
})

t.test('moved up and down again it is the same', async () => {
  fc.assert(
    fc.property(quantity, amount, (value, add) => {
      const text = `0x${value.toString(16)}`
      const up = fill(`\${q + ${add}}`, new Map([['q', text]]))
      return fill(`\${q - ${add}}`, new Map([['q', up]])) === text
    }),
  )
  fc.assert(
    fc.property(fc.nat(), amount, (value, add) => {
      const up = fill(`\${n + ${add}}`, new Map([['n', value]]))
      return fill(`\${n - ${add}}`, new Map([['n', up]])) === value
    }),
  )
})

t.test('escaped JSON of any kind is restored exactly', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const escaped = JSON.parse(JSON.stringify(value).replaceAll('${', () => '$${')) as JsonValue
      t.strictSame(fill(escaped, new Map()), JSON.parse(JSON.stringify(value)))
    }),
  )
})

t.test('a captured value is not filled again', async (t) => {
  const known = new Map<string, JsonValue>([
    ['a', '${b}'],
    ['b', 'no'],
  ])
  t.equal(fill('${a}', known), '${b}')
  t.equal(fill('x${a}', known), 'x${b}')
})
