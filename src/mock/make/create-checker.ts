import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import {
  type Contract,
  compilePattern,
  formats,
  type JsonValue,
  type LocatedSchema,
  schemaSet,
  useExactMultiples,
  usesNextDraft,
} from '../../contract/index.js'
import { withinReach } from './inner-schemas.js'

/** Whether a value fits a schema of the contract. */
export type Fits = (located: LocatedSchema, value: JsonValue) => boolean

/**
 * A checker of values against schemas of a contract and all within their reach, each compiled when it is first asked
 * for.
 */
export function createChecker(contract: Contract, roots: readonly LocatedSchema[]): Fits {
  const known = new Map<string, ValidateFunction>()
  let compile: ((located: LocatedSchema) => ValidateFunction) | undefined
  return (located, value) => {
    if (typeof located.schema === 'boolean') return located.schema
    compile ??= compiler(contract, roots)
    const validate = known.get(located.pointer) ?? compile(located)
    known.set(located.pointer, validate)
    return validate(value)
  }
}

function compiler(
  contract: Contract,
  start: readonly LocatedSchema[],
): (located: LocatedSchema) => ValidateFunction {
  const all = withinReach(contract, start)
  const { resource, roots } = schemaSet(contract, all)
  const references = new Map(all.map(({ pointer }, at) => [pointer, roots[at] ?? '']))
  const options: Options = {
    strict: false,
    validateSchema: false,
    logger: false,
    ownProperties: true,
    formats,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  }
  const ajv = usesNextDraft(resource) ? new Ajv2019(options) : new Ajv(options)
  useExactMultiples(ajv)
  ajv.addSchema(resource as Record<string, unknown>, undefined, false, false)
  return (located) => {
    const validate = ajv.getSchema(references.get(located.pointer) ?? '')
    if (!validate) throw new TypeError(`the schema at ${located.pointer} is not of this contract`)
    return validate
  }
}
