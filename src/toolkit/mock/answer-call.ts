import { type MethodDescriptor, RpcError } from '@concordat/rpc'
import { type Call, discoverMethod } from '@concordat/server'
import {
  type Contract,
  canonicalText,
  compareItems,
  createSchemaChecker,
  type JsonValue,
  type Method,
  orderedLists,
  replacedAt,
} from '../contract/index.js'
import { createValues, NoValueError, seededValue } from '../values/index.js'
import type { ExampleTable, ShownAnswer } from './example-table.js'
import { type ParamValues, valuesKey } from './params-key.js'
import { resultSchemas } from './result-schemas.js'

/** Sources of the answers. */
export interface AnswerOptions {
  readonly contract: Contract
  /** Examples of each method, by method name. */
  readonly examples: ReadonlyMap<string, ExampleTable>
  /** Seed of generated values. The same seed gives the same values. */
  readonly seed: string
}

const internalError = -32603

/**
 * Creates the function that answers valid calls. The first example with the same parameters gives the answer.
 * Otherwise a declared `rpc.discover` returns the document, if its result schema permits that. Other values are
 * generated from the result's schema, and are the same for the same seed, method and parameters.
 */
export function createAnswerCall({ contract, examples, seed }: AnswerOptions): Call<unknown> {
  const methods = new Map(contract.methods.map((method) => [method.name, method]))
  const values = createValues(contract)
  const check = createSchemaChecker(contract)
  const document = contract.bundled()

  function made(method: Method, descriptor: MethodDescriptor, params: ParamValues): JsonValue {
    const question = `${JSON.stringify([seed, method.name])}${valuesKey(params)}`
    const schemas = resultSchemas(method, params, check)
    try {
      return inOrder(method, seededValue(values.valid(schemas), question))
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error
      return nearest(examples.get(method.name), descriptor, params) ?? fail(error.pointer, method.name)
    }
  }

  return function answerCall(descriptor, params) {
    const shown = examples.get(descriptor.name)?.answers.get(valuesKey(params))
    if (shown?.error) throw shown.error
    if (shown) return shown.result
    const isDiscover = descriptor.name === discoverMethod.name
    if (isDiscover && descriptor.validateResult(document).length === 0) return document
    const method = methods.get(descriptor.name)
    return method?.result && made(method, descriptor, params)
  }
}

/** Sorts the lists of a made value that have an order, without items at the same place (`x-result-order`). */
function inOrder(method: Method, value: JsonValue): JsonValue {
  return orderedLists(method, value).reduce<JsonValue>((ordered, { tokens, items, names }) => {
    const sorted = items.toSorted((one, other) => compareItems(one, other, names) || 0)
    const distinct = sorted.filter((item, at) => {
      const before = sorted[at - 1]
      return before === undefined || compareItems(item, before, names) !== 0
    })
    return replacedAt(ordered, tokens, distinct) ?? ordered
  }, value)
}

/** Result of the example with most parameters in common. Examples with invalid results are ignored. */
function nearest(
  table: ExampleTable | undefined,
  descriptor: MethodDescriptor,
  params: ParamValues,
): JsonValue | undefined {
  const asked = params.map(canonicalText)
  const common = (shown: ShownAnswer) =>
    shown.params.filter((value, at) => canonicalText(value) === asked[at]).length
  const [best] = [...(table?.answers.values() ?? [])]
    .filter(({ result }) => result !== undefined && descriptor.validateResult(result).length === 0)
    .sort((one, other) => common(other) - common(one))
  return best?.result
}

function fail(place: string, method: string): never {
  throw new RpcError({
    code: internalError,
    message: `No value could be generated for the schema at ${place}: add an example with these parameters to the method "${method}"`,
    httpStatus: 500,
  })
}
