import fc from 'fast-check'
import t from 'tap'
import { parseMessage } from '../../../src/rpc/index.js'
import { runs } from '../../support/runs.js'

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
