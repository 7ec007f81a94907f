import { type Contract, type JsonValue, type Method, schemaSet } from '../../contract/index.js'
import { createAjv } from '../validators/compile.js'

/** Says of a value whether the schema of the parameter at a position takes it. */
export type Accepts = (position: number, value: JsonValue) => boolean

/** A judge of a method's parameters by their schemas. */
export function paramsJudge(contract: Contract, { params }: Method): Accepts {
  const set = schemaSet(
    contract,
    params.map(({ schema }) => schema),
  )
  const ajv = createAjv(set, false)
  ajv.addSchema(set.resource as Record<string, unknown>, undefined, false, false)
  return (position, value) => ajv.getSchema(set.roots[position] ?? '')?.(value) === true
}
