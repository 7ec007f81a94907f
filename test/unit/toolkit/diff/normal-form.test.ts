/** Changes that depend on what several keywords mean together, as `concordat diff` reports them. */

import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import {
  type Contract,
  createSchemaChecker,
  type JsonObject,
  type JsonValue,
  readContract,
} from '../../../../src/toolkit/contract/index.js'
import { singleDocument } from '../../../../src/toolkit/contract/load/documents.js'
import { createWitnessSearch, diffContracts } from '../../../../src/toolkit/diff/index.js'
import { documentOf } from '../codegen/fixtures.js'
import { asParam, lineOf } from './told.js'

/** A row of the table; the header of the table explains its members. */
interface Row {
  readonly old: JsonObject
  readonly new: JsonObject
  readonly components?: { readonly old: JsonObject; readonly new: JsonObject }
  readonly lost?: JsonValue
  readonly breaks?: 'servers'
}

const rows = parse(readFileSync(new URL('fixtures/normal-form.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, Row>
>

const contractWith = (schema: JsonObject, components: JsonObject = {}) =>
  readContract(singleDocument(documentOf(asParam(schema, components))))

function takes(contract: Contract, value: JsonValue): boolean {
  const schema = contract.methods[0]?.params[0]?.schema
  return schema !== undefined && createSchemaChecker(contract)(schema, value).length === 0
}

const breaksOf = (old: Contract, next: Contract) =>
  diffContracts(old, next, createWitnessSearch(old, next)).filter(({ breaks }) => breaks.length > 0)

for (const [name, { old, new: next, components, lost, breaks: others }] of Object.entries(rows))
  t.test(name, async (t) => {
    const [before, after] = [contractWith(old, components?.old), contractWith(next, components?.new)]
    const breaks = breaksOf(before, after)
    if (lost === undefined) {
      t.same(
        [...new Set(breaks.flatMap((change) => change.breaks))],
        [others ?? []].flat(),
        `${breaks.map(lineOf)}`,
      )
      return
    }
    t.same(
      [before, after].map((contract) => takes(contract, lost)),
      [true, false],
      'the lost value',
    )
    t.ok(
      breaks.some((change) => change.breaks.includes('clients')),
      `breaks clients: ${breaks.map(lineOf)}`,
    )
  })

t.test('conditions and unions with more combinations than are written out', async (t) => {
  const when = (name: string) =>
    Object.fromEntries([
      ['if', { required: [name] }],
      ['then', { required: [`${name}2`] }],
    ])
  const names = Array.from({ length: 12 }, (_, at) => `m${at}`)
  const unions = names.slice(0, 3).map((name) => ({
    anyOf: names.map((other) => ({ required: [name, other] })),
  }))
  const parts: readonly JsonObject[] = [...names.map(when), ...unions]
  const old = contractWith({ type: 'object', allOf: parts })
  const withPart = (part: JsonObject) => contractWith({ type: 'object', allOf: [...parts, part] })
  t.same(
    diffContracts(old, withPart({ required: [] })).filter(({ breaks }) => breaks.length > 0),
    [],
  )
  t.match(diffContracts(old, withPart({ required: ['x'] })), [{ breaks: ['clients'] }])
})
