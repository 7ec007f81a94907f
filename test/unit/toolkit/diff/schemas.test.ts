import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf } from '../codegen/fixtures.js'
import { asParam, asResult, diffOf, type Letters, lettersOf } from './told.js'

/** A row of the table; the header of the table explains its members. */
interface Row {
  readonly old: JsonValue
  readonly new: JsonValue
  readonly breaks: Breaks | keyof typeof words
  readonly back?: Breaks | keyof typeof words
  readonly reason?: string
  readonly 'back reason'?: string
}

interface Breaks {
  readonly params: Letters
  readonly results: Letters
}

const words = {
  widened: { params: 'S', results: 'C' },
  narrowed: { params: 'C', results: 'S' },
  both: { params: 'CS', results: 'CS' },
  none: { params: '', results: '' },
} as const

const rows = new Map(
  Object.entries(
    parse(readFileSync(new URL('fixtures/schemas.yaml', import.meta.url), 'utf8')) as Record<string, Row>,
  ),
)

function row(name: string): Row {
  const found = rows.get(name)
  if (!found) throw new Error(`the table has no row "${name}"`)
  return found
}

const mirror: Readonly<Record<Letters, Letters>> = { '': '', C: 'S', S: 'C', CS: 'CS' }
const breaksOf = (breaks: Row['breaks']): Breaks => (typeof breaks === 'string' ? words[breaks] : breaks)
const mirrored = ({ params, results }: Breaks) => ({ params: mirror[params], results: mirror[results] })

t.test('all schemas of the table are valid', async (t) => {
  const schemas = Object.fromEntries(
    [...rows].flatMap(([name, { old, new: next }]) => [
      [`${name}, old`, old],
      [`${name}, new`, next],
    ]),
  )
  t.ok(contractOf({ components: { schemas } }))
  t.ok(rows.size >= 100, `${rows.size} rows`)
})

t.test('schemas are compared by position, forwards and backwards', async (t) => {
  for (const [name, { old, new: next, breaks, back, reason, 'back reason': backReason }] of rows) {
    const wanted = breaksOf(breaks)
    const wantedBack = back === undefined ? mirrored(wanted) : breaksOf(back)
    for (const [before, after, { params, results }, words, way] of [
      [old, next, wanted, reason, 'forwards'],
      [next, old, wantedBack, backReason, 'backwards'],
    ] as const) {
      const asParams = diffOf(asParam(before), asParam(after))
      const asResults = diffOf(asResult(before), asResult(after))
      t.equal(lettersOf(asParams), params, `${name}, ${way}, as a parameter`)
      t.equal(lettersOf(asResults), results, `${name}, ${way}, as a result`)
      if (words === undefined) continue
      for (const changes of [asParams, asResults]) {
        t.ok(
          changes.some((change) => change.reason === words),
          `${name}, ${way}: ${words}`,
        )
      }
    }
  }
})

t.test('a schema does not differ from itself', async (t) => {
  for (const [name, { old, new: next }] of rows) {
    for (const schema of [old, next]) t.same(diffOf(asParam(schema), asParam(schema)), [], name)
  }
})

t.test('equivalent schemas are not reported', async (t) => {
  for (const name of [
    'the order of types',
    'integer and number are number',
    'const and an enum of one',
    'null by type and by value',
    'more than 0 is at least 1 for integers',
    'true and {}',
    'one of an anyOf',
    'alternatives in another order',
    'null as an alternative or a type',
    'the order of required',
  ]) {
    t.same(diffOf(asResult(row(name).old), asResult(row(name).new)), [], name)
  }
})

t.test('undecidable changes are reported as such, and others are decided', async (t) => {
  const undecided = (name: string) =>
    diffOf(asParam(row(name).old), asParam(row(name).new)).map((change) => change.undecided === true)
  for (const name of [
    'another pattern',
    'another format',
    'another if',
    'a keyword of nobody',
    'anyOf to oneOf that may overlap',
    'a pattern of members beside others',
  ]) {
    t.same(undecided(name), [true], name)
  }
  for (const name of ['a pattern', 'an enum value more', 'a multiple of something else', 'another type']) {
    t.same(undecided(name), [false], name)
  }
})

t.test('a change has its exact place and the short value of both sides', async (t) => {
  const [change] = diffOf(
    asParam({ type: 'array', items: { type: 'integer', minimum: 1 } }),
    asParam({ type: 'array', items: { type: 'integer', minimum: 2 } }),
  )
  t.same(change, {
    kind: 'constraint-tightened',
    breaks: ['clients'],
    pointer: '#/methods/m/params/0/schema/items',
    reason: 'minimum 1 became minimum 2',
    old: { pointer: '#/methods/0/params/0/schema/items/minimum', value: 1 },
    new: { pointer: '#/methods/0/params/0/schema/items/minimum', value: 2 },
  })
  const [added] = diffOf(asParam({ type: 'string' }), asParam({ type: 'string', pattern: '^a' }))
  t.equal(added?.old, undefined, 'a side without the keyword has no place')
  t.same(added?.new, { pointer: '#/methods/0/params/0/schema/pattern', value: '^a' })
})
