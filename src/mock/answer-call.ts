import type { Contract, JsonValue, Method } from '../contract/index.js'
import { type MethodDescriptor, RpcError } from '../rpc/index.js'
import type { Call } from '../server/index.js'
import { createValues, NoValueError, seededValue } from '../values/index.js'
import { canonicalJson } from './canonical-json.js'
import type { ExampleTable, ShownAnswer } from './example-table.js'
import { type ParamValues, valuesKey } from './params-key.js'
import { resultSchemas } from './result-schemas.js'

/** What calls are answered from. */
export interface AnswerOptions {
  readonly contract: Contract
  /** The examples of each method, by its name. */
  readonly examples: ReadonlyMap<string, ExampleTable>
  /** Another seed gives other values, the same one the same. */
  readonly seed: string
}

const internalError = -32603

/**
 * Answers calls whose parameters are valid: as the first example with these parameters shows, or else with a value
 * that fits the result's schema, the same one for the same seed, method and parameters.
 */
export function createAnswerCall({ contract, examples, seed }: AnswerOptions): Call<unknown> {
  const methods = new Map(contract.methods.map((method) => [method.name, method]))
  const values = createValues(contract)

  function made(method: Method, descriptor: MethodDescriptor, params: ParamValues): JsonValue {
    const question = `${JSON.stringify([seed, method.name])}${valuesKey(params)}`
    const schemas = resultSchemas(method, params)
    try {
      return seededValue(values.valid(schemas), question)
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error
      return nearest(examples.get(method.name), descriptor, params) ?? fail(error.pointer, method.name)
    }
  }

  return function answerCall(descriptor, params) {
    const shown = examples.get(descriptor.name)?.answers.get(valuesKey(params))
    if (shown?.error) throw shown.error
    if (shown) return shown.result
    const method = methods.get(descriptor.name)
    return method?.result && made(method, descriptor, params)
  }
}

/** The result, if it is a valid one, of the example that has the most parameters in common with a call. */
function nearest(
  table: ExampleTable | undefined,
  descriptor: MethodDescriptor,
  params: ParamValues,
): JsonValue | undefined {
  const asked = params.map(canonicalJson)
  const common = (shown: ShownAnswer) =>
    shown.params.filter((value, at) => canonicalJson(value) === asked[at]).length
  const [best] = [...(table?.answers.values() ?? [])]
    .filter(({ result }) => result !== undefined && descriptor.validateResult(result).length === 0)
    .sort((one, other) => common(other) - common(one))
  return best?.result
}

function fail(place: string, method: string): never {
  throw new RpcError({
    code: internalError,
    message: `No value was found that fits the schema at ${place}: give the method "${method}" an example with these parameters`,
    httpStatus: 500,
  })
}
