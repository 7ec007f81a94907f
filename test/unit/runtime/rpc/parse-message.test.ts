import fc from 'fast-check'
import t from 'tap'
import { parseMessage } from '../../../../src/runtime/rpc/index.js'
import { runs } from '../../../support/runs.js'

const DEPTH = 64
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

t.test('an unreadable body and a body that is nested too deeply are distinguished', async (t) => {
  const cases: { name: string; text: string; want: 'parseError' | 'tooDeep' | 'read' }[] = [
    { name: 'nothing', text: '', want: 'parseError' },
    { name: 'spaces', text: ' \n', want: 'parseError' },
    { name: 'half an object', text: '{"id":1', want: 'parseError' },
    { name: 'a byte order mark', text: '\ufeff{}', want: 'parseError' },
    { name: 'two values', text: '{}{}', want: 'parseError' },
    { name: 'single quotes', text: "{'id':1}", want: 'parseError' },
    { name: 'a comment', text: '{} // x', want: 'parseError' },
    { name: 'NaN', text: '{"id":NaN}', want: 'parseError' },
    { name: 'a raw line break in a string', text: '"\n"', want: 'parseError' },
    { name: 'closing brackets only', text: ']]]', want: 'parseError' },
    { name: 'an unclosed string', text: `"${'['.repeat(DEPTH + 1)}`, want: 'parseError' },
    { name: 'a backslash at the end', text: '"\\', want: 'parseError' },
    { name: 'a scalar', text: '7', want: 'read' },
    { name: 'space around', text: ' \t\r\n[] ', want: 'read' },
    { name: 'exactly at the depth limit', text: nested(DEPTH), want: 'read' },
    { name: 'one level deeper', text: nested(DEPTH + 1), want: 'tooDeep' },
    {
      name: 'one level deeper, by objects',
      text: `${'{"a":'.repeat(DEPTH + 1)}1${'}'.repeat(DEPTH + 1)}`,
      want: 'tooDeep',
    },
    { name: 'too deep and incomplete', text: '['.repeat(DEPTH + 1), want: 'tooDeep' },
    { name: 'brackets in a string', text: `"${'['.repeat(DEPTH + 1)}"`, want: 'read' },
    { name: 'brackets after an escaped quote', text: `"\\"${'{'.repeat(DEPTH + 1)}"`, want: 'read' },
    { name: 'brackets after an escaped backslash', text: `["\\\\",${nested(DEPTH)}]`, want: 'tooDeep' },
    { name: 'many side by side', text: `[${'[],'.repeat(DEPTH * 2)}[]]`, want: 'read' },
  ]
  for (const { name, text, want } of cases) {
    const message = parseMessage(text, DEPTH)
    t.equal(typeof message === 'string' ? message : 'read', want, name)
  }
})

t.test('values and members are counted before a body is parsed', async (t) => {
  const cases: { text: string; count: number }[] = [
    { text: '7', count: 1 },
    { text: '"a,b:{[7"', count: 1 },
    { text: '-1.5e+3', count: 1 },
    { text: '[]', count: 1 },
    { text: '{}', count: 1 },
    { text: '[1,-2,0.5,1e3,1E3,true,false,null,"",[],{}]', count: 12 },
    { text: ' [ 1 ,\t2\r\n, "3" ] ', count: 4 },
    { text: '{"a":1}', count: 3 },
    { text: '{"a":{"b":[true]},"c":"\\"d"}', count: 8 },
    { text: '{"a":1,"a":1}', count: 5 },
    { text: `[${'[],'.repeat(999)}[]]`, count: 1_001 },
    { text: `[${'0,'.repeat(999)}0]`, count: 1_001 },
    { text: `{${'"":0,'.repeat(999)}"":0}`, count: 2_001 },
  ]
  for (const { text, count } of cases) {
    t.type(parseMessage(text, DEPTH, count), 'object', `${text.slice(0, 50)} at the limit`)
    t.equal(parseMessage(text, DEPTH, count - 1), 'tooManyValues', `${text.slice(0, 50)} beyond the limit`)
    t.type(parseMessage(text, DEPTH), 'object', 'without a limit')
  }
  t.equal(parseMessage('['.repeat(9), 8, 9), 'tooDeep')
  t.equal(parseMessage('['.repeat(9), 9, 8), 'tooManyValues')
  t.equal(parseMessage('['.repeat(9), 9, 9), 'parseError')
})

t.test('5 MiB of opening brackets is refused without parsing and without recursion', async (t) => {
  const begun = process.cpuUsage()
  t.equal(parseMessage('['.repeat(5_242_880), DEPTH), 'tooDeep')
  t.ok(process.cpuUsage(begun).user < 100_000, 'within a tenth of a second of processor time')
})

t.test('ids keep their notation only where parsing would change it', async (t) => {
  const cases: { text: string; want: readonly (string | undefined)[] | undefined }[] = [
    { text: '{"id":1}', want: undefined },
    { text: '{"id":9007199254740991}', want: undefined },
    { text: '{"id":9007199254740992}', want: ['9007199254740992'] },
    { text: '{"id":-9007199254740993}', want: ['-9007199254740993'] },
    { text: '{"id":12345678901234567890123}', want: ['12345678901234567890123'] },
    { text: '{"id":-0}', want: ['-0'] },
    { text: '{"id":0}', want: undefined },
    { text: '{"id":1.0}', want: ['1.0'] },
    { text: '{"id":1e2}', want: ['1e2'] },
    { text: '{"id":1E2}', want: ['1E2'] },
    { text: '{"id":1e999}', want: ['1e999'] },
    { text: '{"id":true}', want: undefined },
    { text: '{"id":"1.0"}', want: undefined },
    { text: '{"id":1,"params":["a.b","E"]}', want: undefined },
    { text: '{"id":1,"params":[1.5]}', want: ['1'] },
    { text: ' { "id" : 1.0 } ', want: ['1.0'] },
    { text: '{"\\u0069\\u0064":1.0}', want: ['1.0'] },
    { text: '{"i\\u0064":1.0,"\\u0069\\u0064x":2}', want: ['1.0'] },
    { text: '{"id":1.0,"id":2}', want: ['2'] },
    { text: '{"id":2,"id":1.0}', want: ['1.0'] },
    { text: '{"params":{"id":1.5},"id":3}', want: ['3'] },
    { text: '{"id":3,"params":{"id":1.5}}', want: ['3'] },
    { text: '{"a":"\\"id\\":1.5","id":1.0}', want: ['1.0'] },
    { text: '{"a":[{"]":"}"}],"id":1.0}', want: ['1.0'] },
    {
      text: '[{"id":1},{"id":1.0},7,[{"id":5}],{},"x",{"id":-0}]',
      want: ['1', '1.0', undefined, undefined, undefined, undefined, '-0'],
    },
    { text: '[ {"id":1e0} , {"id" :\n2 } ]', want: ['1e0', '2'] },
    { text: '{"__proto__":{"id":1.0}}', want: undefined },
    { text: '[]', want: undefined },
    { text: '1.5', want: undefined },
    { text: `{"id":"${'\\ud800'.repeat(1_000)}"}`, want: undefined },
    { text: `{"id":"${'\\ud800'.repeat(1_001)}"}`, want: [`"${'\\ud800'.repeat(1_001)}"`] },
  ]
  for (const { text, want } of cases) {
    const message = parseMessage(text, DEPTH)
    t.same(typeof message === 'string' ? message : message.rawIds, want, text)
  }
})

/** A JSON text with its raw id. The oracle never parses the text. */
interface Written {
  readonly text: string
  readonly rawId: string | undefined
}

const space = fc.constantFrom('', '', '', ' ', '\n', '\t \r')
const integer = fc
  .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^(0|[1-9][0-9]{0,40})$/))
  .map((parts) => parts.join(''))
const odd = fc.constantFrom('1.0', '-0', '1e2', '1E+2', '0.5', '10e-1', '-1.50', '1e999')
const idSpelling = fc.constantFrom('"id"', '"\\u0069d"', '"i\\u0064"', '"\\u0069\\u0064"')
const otherName = fc.oneof(
  fc.constantFrom('"ID"', '"i"', '"id "', '"__proto__"', '"constructor"', '"\\u0069"', '"\\"id\\""', '""'),
  fc
    .string()
    .filter((name) => name !== 'id')
    .map((name) => JSON.stringify(name)),
)
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  odd,
  integer,
)
const id = fc.oneof(
  integer,
  odd,
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('null', 'true', '{"id":1}', '[1.5]'),
)

const member = fc.oneof(
  fc.tuple(idSpelling, id).map(([name, value]) => ({ name, value, rawId: value as string | undefined })),
  fc.tuple(otherName, anything).map(([name, value]) => ({ name, value, rawId: undefined })),
)

const object: fc.Arbitrary<Written> = fc
  .tuple(fc.array(member, { maxLength: 6 }), space)
  .map(([members, gap]) => ({
    text: `{${gap}${members.map(({ name, value }) => `${name}${gap}:${gap}${value}${gap}`).join(`,${gap}`)}}`,
    rawId: members.findLast(({ rawId }) => rawId !== undefined)?.rawId,
  }))
const noObject: fc.Arbitrary<Written> = fc
  .oneof(fc.constantFrom('7', '"id"', 'null', '[{"id":1.0}]', '-0'), integer)
  .map((text) => ({ text, rawId: undefined }))

function isExact(raw: string | undefined): boolean {
  if (raw === undefined || !/^[-\d]/.test(raw)) return true
  const value = Number(raw)
  return Number.isSafeInteger(value) && String(value) === raw
}

function check(items: readonly Written[], text: string): void {
  const message = parseMessage(text, 64)
  if (typeof message === 'string') throw new TypeError(`${message}: ${text}`)
  const got = message.rawIds
  if (got === undefined) {
    if (!items.every(({ rawId }) => isExact(rawId))) throw new TypeError(`An id is lost: ${text}`)
    return
  }
  const want = JSON.stringify(items.map(({ rawId }) => rawId ?? null))
  if (JSON.stringify(got.map((raw) => raw ?? null)) !== want) throw new TypeError(`${want}: ${text}`)
}

t.test('the id of any request keeps its notation', async () => {
  fc.assert(
    fc.property(object, space, (written, gap) => check([written], gap + written.text + gap)),
    { numRuns: runs(5_000) },
  )
})

t.test('the ids of any batch keep their notation, in order', async () => {
  const batch = fc.array(fc.oneof({ weight: 4, arbitrary: object }, noObject), { maxLength: 8 })
  const property = fc.property(batch, space, (items, gap) => {
    check(items, `${gap}[${gap}${items.map(({ text }) => text).join(`${gap},${gap}`)}${gap}]`)
  })
  fc.assert(property, { numRuns: runs(3_000) })
})
