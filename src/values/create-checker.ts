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
} from '../contract/index.js'

/** Creates a function that checks values by schemas of a contract. Each schema is compiled on first use. */
export function createChecker(contract: Contract): (located: LocatedSchema, value: JsonValue) => boolean {
  const compiled = new Map<string, ValidateFunction>()
  return (located, value) => {
    if (typeof located.schema === 'boolean') return located.schema
    const validate = compiled.get(located.pointer) ?? compile(contract, located)
    compiled.set(located.pointer, validate)
    return validate(value)
  }
}

function compile(contract: Contract, located: LocatedSchema): ValidateFunction {
  const { resource, roots } = schemaSet(contract, [located])
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
  const validate = ajv.getSchema(roots[0] ?? '')
  if (!validate) throw new TypeError(`the schema at ${located.pointer} was not compiled`)
  return validate
}
