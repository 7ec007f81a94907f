/** Equivalent rewrites of random schemas are silent, and changes that lose a value never are. */

import fc from 'fast-check'
import t from 'tap'
import { createSchemaChecker, type JsonObject, readContract } from '../../../../src/toolkit/contract/index.js'
import { singleDocument } from '../../../../src/toolkit/contract/load/documents.js'
import { createWitnessSearch, diffContracts } from '../../../../src/toolkit/diff/index.js'
import { isLong } from '../../../support/runs.js'
import { combinedComponents, combinedSchemas, combinedValues } from '../codegen/combined-schemas.js'
import { documentOf } from '../codegen/fixtures.js'
import { narrowings, type Rewriting, rewritings, rewritten } from './rewriting.js'
import { asParam } from './told.js'

const seed = Number(process.env['FC_SEED'] ?? 20261129)
const each = isLong ? 400 : 25

const contractWith = (schema: JsonObject) =>
  readContract(singleDocument(documentOf(asParam(schema, combinedComponents))))

/** Random schemas, some of them with keywords that the types of TypeScript do not need. */
const anySchema = fc.oneof(
  { weight: 4, arbitrary: combinedSchemas },
  { weight: 1, arbitrary: combinedSchemas.map((schema) => ({ ...schema, dependencies: { a: ['b'] } })) },
  { weight: 1, arbitrary: combinedSchemas.map((schema) => ({ anyOf: [schema, { const: { k: 1 } }] })) },
)

/** Random schemas that a rule changes, each with its changed form. */
function pairs(rule: Rewriting, numRuns: number): readonly (readonly [JsonObject, JsonObject])[] {
  const all = fc.sample(fc.tuple(anySchema, fc.nat(20)), { numRuns: numRuns * 6, seed })
  const found = all.flatMap(([schema, at]) => {
    const next = rewritten(schema, rule, at)
    return next ? [[schema, next] as const] : []
  })
  return found.slice(0, numRuns)
}

for (const [name, rule] of Object.entries(rewritings))
  t.test(`${name}: no change`, async (t) => {
    const all = pairs(rule, each)
    t.ok(all.length > 1, `${all.length} schemas`)
    const told = all.flatMap(([old, next]) => {
      const [before, after] = [contractWith(old), contractWith(next)]
      const changes = diffContracts(before, after).filter(({ breaks }) => breaks.length > 0)
      return changes.length === 0 ? [] : [JSON.stringify([old, next, changes.map(({ reason }) => reason)])]
    })
    t.same(told, [])
  })

for (const [name, rule] of Object.entries(narrowings))
  t.test(`${name}: a lost value breaks clients`, async (t) => {
    let lost = 0
    const silent = pairs(rule, each).flatMap(([old, next]) => {
      const [before, after] = [contractWith(old), contractWith(next)]
      const [one, other] = [before, after].map((contract) => {
        const schema = contract.methods[0]?.params[0]?.schema ?? { pointer: '', schema: true }
        const check = createSchemaChecker(contract)
        return combinedValues.filter((value) => check(schema, value).length === 0)
      })
      const value = one?.find((each) => !other?.includes(each))
      if (value === undefined) return []
      lost++
      const changes = diffContracts(before, after, createWitnessSearch(before, after))
      const isTold = changes.some(({ breaks }) => breaks.includes('clients'))
      return isTold ? [] : [JSON.stringify([old, next, value])]
    })
    t.same(silent, [])
    t.ok(lost > 0, `${lost} changes lose a value`)
  })
