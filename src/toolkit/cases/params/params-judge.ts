import { type Contract, type Method, schemaCompiler } from '../../contract/index.js'
import type { Accepts } from './given-params.js'

/** Creates a function that checks the parameters of a method by their schemas. */
export function paramsJudge(contract: Contract, { params }: Method): Accepts {
  const compile = schemaCompiler(contract, { allErrors: false })
  return (position, value) => {
    const param = params[position]
    return param !== undefined && compile(param.schema)(value) === true
  }
}
