import {
  type Contract,
  type Method,
  namesInheritedMembers,
  schemaSet,
  usesUnevaluated,
} from '../../contract/index.js'
import { createStrictAjv } from '../validators/compile.js'
import type { Accepts } from './given-params.js'

/** Creates a function that checks the parameters of a method by their schemas. */
export function paramsJudge(contract: Contract, { params }: Method): Accepts {
  const set = schemaSet(
    contract,
    params.map(({ schema }) => schema),
  )
  const ajv = createStrictAjv({
    allErrors: false,
    unevaluated: usesUnevaluated(set.resource),
    ownProperties: namesInheritedMembers(set.resource),
  })
  ajv.addSchema(set.resource as Record<string, unknown>, undefined, false, false)
  return (position, value) => ajv.getSchema(set.roots[position] ?? '')?.(value) === true
}
