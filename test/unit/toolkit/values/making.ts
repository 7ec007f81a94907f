import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { formats, type JsonObject, type JsonValue } from '../../../../src/toolkit/contract/index.js'
import { createValues, seededValue } from '../../../../src/toolkit/values/index.js'
import { runs } from '../../../support/runs.js'
import { contractOf, methodOf } from '../codegen/fixtures.js'

/** Generated values for one schema, and an independent validator of the original schema. */
export interface Making {
  /** The place of the schema. */
  readonly pointer: string
  readonly make: (seed: string) => JsonValue
  readonly fits: (value: JsonValue) => boolean
}

/** The schema under test; `#/components/schemas/Result` refers to it. */
export interface MakingOf {
  readonly schema: JsonValue
  /** The schema in standard JSON Schema, where it differs. */
  readonly same?: JsonValue | undefined
}

/**
 * Generates values for schemas, all in one contract.
 * @param others further components
 */
export function makingsOf(wanted: readonly MakingOf[], others: JsonObject = {}): readonly Making[] {
  const named = wanted.map(({ schema, same = schema }, at) => ({
    key: `Result${at}`,
    schema: ownReferences(schema, at),
    same: ownReferences(same, at),
  }))
  const schemas = { ...others, ...Object.fromEntries(named.map(({ key, schema }) => [key, schema])) }
  const methods = named.map(({ key }) => ({ ...methodOf([], { $ref: pointerOf(key) }), name: key }))
  const contract = contractOf({ methods, components: { schemas } })
  const roots = contract.methods.flatMap(({ result }) => (result ? [result.schema] : []))
  const values = createValues(contract)
  const judge = judgeOf({ ...others, ...Object.fromEntries(named.map(({ key, same }) => [key, same])) })
  return named.map(({ key }, at) => ({
    pointer: pointerOf(key),
    make: (seed) => seededValue(values.valid(roots.slice(at, at + 1)), seed),
    fits: (value) => judge(key, value),
  }))
}

function hasLaterKeywords(schemas: JsonObject): boolean {
  return /"(dependentRequired|dependentSchemas|minContains|maxContains|unevaluated\w+)":/.test(
    JSON.stringify(schemas),
  )
}

function judgeOf(schemas: JsonObject): (key: string, value: JsonValue) => boolean {
  const options = {
    strict: false,
    validateSchema: false,
    logger: false,
    ownProperties: true,
    formats,
    // ajv's optimizer takes a third of the compilation time. It pays off only for validators that run often.
    code: { optimize: false },
  } as const
  const ajv = hasLaterKeywords(schemas) ? new Ajv2019(options) : new Ajv(options)
  ajv.addSchema({ $id: 'document', components: { schemas } } as object, undefined, false, false)
  const validators = new Map<string, ReturnType<typeof ajv.compile>>()
  return (key, value) => {
    const validate = validators.get(key) ?? ajv.compile({ $ref: `document${pointerOf(key)}` })
    validators.set(key, validate)
    return validate(value) as boolean
  }
}

function pointerOf(key: string): string {
  return `#/components/schemas/${key}`
}

function ownReferences(schema: JsonValue, at: number): JsonValue {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/Result', `$&${at}`))
}

/** Seeds for values. */
export const seeds = Array.from({ length: runs(25) }, (_, at) => `seed ${at}`)
