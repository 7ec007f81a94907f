import { Ajv, type ValidateFunction } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import { ContractError, type JsonObject, type JsonValue } from '../../../../src/toolkit/contract/index.js'
import type { Change } from '../../../../src/toolkit/diff/index.js'
import { isLong } from '../../../support/runs.js'
import { schemas, sharedSchemas, values } from '../codegen/arbitrary-schemas.js'
import {
  type Components,
  componentsArbitrary,
  pairArbitrary,
  schemaArbitrary,
  valueArbitrary,
} from './arbitrary-schemas.js'
import { asParam, asResult, diffOf, lettersOf, type Parts } from './told.js'

/** The changes, or undefined when a random edit makes a document invalid. */
function changesOf(old: Parts, next: Parts) {
  try {
    return diffOf(old, next)
  } catch (error) {
    if (error instanceof ContractError) return undefined
    throw error
  }
}

/** Ajv judges the values independently of this comparison. */
function validator(schema: JsonValue, components: JsonObject | Components): ValidateFunction {
  // ajv's optimizer takes a third of the compilation time. It pays off only for validators that run often.
  const options = { strict: false, validateSchema: false, logger: false, code: { optimize: false } } as const
  const ajv = new Ajv(options)
  return ajv.compile({ allOf: [schema], components: { schemas: components } })
}

/** The same document with reordered members and sets. */
function shuffled(value: JsonValue, keyword = ''): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffled(item))
    return ['required', 'enum', 'type', 'anyOf', 'allOf', 'oneOf'].includes(keyword) ? items.reverse() : items
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(
    ([name, item]) => [name, shuffled(item as JsonValue, name)] as const,
  )
  return Object.fromEntries(members.reverse())
}

/** Schemas with every keyword of draft-07. */
const anySchema = schemas({ names: ['a', 'b', 'c', 'next'], texts: ['t'] })

/** A schema in which one keyword is removed, or copied from another schema. */
function edited(schema: JsonValue, other: JsonValue, at: number): JsonValue {
  const copy = structuredClone(schema)
  const objects = keywordObjects(copy)
  const chosen = objects[at % Math.max(objects.length, 1)]
  if (!chosen) return other
  const names = Object.keys(chosen)
  const name = names[at % Math.max(names.length, 1)]
  if (at % 2 === 0 && name !== undefined) delete chosen[name]
  else if (typeof other === 'object') Object.assign(chosen, other)
  return copy
}

/** The schema and all its nested object schemas. */
function keywordObjects(value: JsonValue | undefined): readonly Record<string, JsonValue>[] {
  if (Array.isArray(value)) return value.flatMap((item) => keywordObjects(item))
  if (typeof value !== 'object' || value === null) return []
  const own = value as Record<string, JsonValue>
  const maps = ['properties', 'patternProperties', 'dependencies']
  const none = ['enum', 'const', 'default', 'examples', 'required', 'type']
  return [
    own,
    ...Object.entries(own).flatMap(([name, inner]) => {
      if (none.includes(name)) return []
      return maps.includes(name) ? Object.values(inner ?? {}).flatMap(keywordObjects) : keywordObjects(inner)
    }),
  ]
}

const often = { numRuns: isLong ? 30 : 15 }

t.test('a document does not differ from itself in any order of members', async () => {
  fc.assert(
    fc.property(schemaArbitrary, componentsArbitrary, (schema, components) => {
      for (const document of [asParam(schema, components), asResult(schema, components)]) {
        const other = shuffled(document as JsonObject) as Parts
        const changes = [diffOf(document, document), diffOf(document, other)]
        if (changes.some((found) => found.length > 0)) throw new Error(JSON.stringify(changes))
      }
    }),
    often,
  )
})

t.test('the order of members does not affect the report', async () => {
  fc.assert(
    fc.property(pairArbitrary, componentsArbitrary, ([old, next], components) => {
      const [before, after] = [asResult(old, components), asResult(next, components)]
      const told = (changes: readonly Change[]) =>
        JSON.stringify(changes.map(({ kind, breaks, pointer, reason }) => [kind, breaks, pointer, reason]))
      const reversed = (document: Parts) => JSON.parse(JSON.stringify(document), reverseMembers) as Parts
      const [plain, other] = [diffOf(before, after), diffOf(reversed(before), reversed(after))]
      if (told(plain) !== told(other)) throw new Error(`${told(plain)}\n${told(other)}`)
    }),
    often,
  )
})

function reverseMembers(_name: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? Object.fromEntries(Object.entries(value).reverse()) : value
}

t.test('a change that some value notices is never reported as compatible', async () => {
  let noticed = 0
  fc.assert(
    fc.property(
      pairArbitrary,
      componentsArbitrary,
      componentsArbitrary,
      fc.boolean(),
      fc.array(valueArbitrary, { minLength: 40, maxLength: 60 }),
      ([old, next], oldComponents, otherComponents, isSame, values) => {
        const newComponents = isSame ? oldComponents : otherComponents
        const asParams = diffOf(asParam(old, oldComponents), asParam(next, newComponents))
        const asResults = diffOf(asResult(old, oldComponents), asResult(next, newComponents))
        const [before, after] = [validator(old, oldComponents), validator(next, newComponents)]
        for (const value of values) {
          const [was, is] = [before(value), after(value)]
          if (was === is) continue
          noticed++
          const [inParams, inResults] = was ? (['C', 'S'] as const) : (['S', 'C'] as const)
          const isTold = lettersOf(asParams).includes(inParams) && lettersOf(asResults).includes(inResults)
          if (!isTold)
            throw new Error(`${JSON.stringify(value)} was ${was} and is ${is}: ${lettersOf(asParams)}`)
        }
      },
    ),
    often,
  )
  t.ok(noticed > (isLong ? 50 : 10), `${noticed} values are valid on one side only`)
})

t.test(
  'a removed, changed or added keyword is never reported as compatible when a value notices it',
  async (t) => {
    let noticed = 0
    fc.assert(
      fc.property(
        anySchema,
        anySchema,
        fc.nat(),
        fc.array(fc.oneof(values(), valueArbitrary), { minLength: 40, maxLength: 60 }),
        (old, other, at, candidates) => {
          const next = edited(old, other, at)
          const [asParams, asResults] = [
            changesOf(asParam(old, sharedSchemas), asParam(next, sharedSchemas)),
            changesOf(asResult(old, sharedSchemas), asResult(next, sharedSchemas)),
          ]
          if (!asParams || !asResults || asParams.some(isJudgedByUse)) return
          if (isJudgedApart(old) || isJudgedApart(next)) return
          const [before, after] = [validator(old, sharedSchemas), validator(next, sharedSchemas)]
          for (const value of candidates) {
            const was = before(value)
            if (was === after(value)) continue
            noticed++
            const [inParams, inResults] = was ? (['C', 'S'] as const) : (['S', 'C'] as const)
            if (lettersOf(asParams).includes(inParams) && lettersOf(asResults).includes(inResults)) continue
            throw new Error(
              `${JSON.stringify([old, next, value])}: ${lettersOf(asParams)} ${lettersOf(asResults)}`,
            )
          }
        },
      ),
      often,
    )
    t.ok(noticed > (isLong ? 20 : 4), `${noticed} values are valid on one side only`)
  },
)

/**
 * Schemas that ajv and diff judge differently on purpose. Alternatives of `oneOf` are assumed to be exclusive, but random
 * ones overlap; the property above has exclusive ones. Ajv ignores `contains` next to a tuple for an empty list.
 */
function isJudgedApart(schema: JsonValue): boolean {
  return keywordObjects(schema).some(
    (object) => 'oneOf' in object || ('contains' in object && Array.isArray(object['items'])),
  )
}

/** A member that only one side describes is judged by common practice, which is not symmetric. */
function isJudgedByUse({ kind }: Change): boolean {
  return kind === 'member-added' || kind === 'member-removed'
}

t.test('reversing the change, or the direction, swaps clients and servers', async () => {
  const mirror = { '': '', C: 'S', S: 'C', CS: 'CS' } as const
  fc.assert(
    fc.property(pairArbitrary, componentsArbitrary, ([old, next], components) => {
      const ways = [
        diffOf(asParam(old, components), asParam(next, components)),
        diffOf(asResult(old, components), asResult(next, components)),
        diffOf(asResult(next, components), asResult(old, components)),
      ]
      if (ways.some((changes) => changes.some(isJudgedByUse))) return
      const [params, results, back] = ways.map(lettersOf)
      if (mirror[params ?? ''] !== results)
        throw new Error(`${params} as a parameter, ${results} as a result`)
      if (mirror[back ?? ''] !== results) throw new Error(`${results} forwards, ${back} backwards`)
    }),
    often,
  )
})
