import {
  arrayMember,
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  replacedCodes,
  stringMember,
} from '../../toolkit/contract/index.js'
import { scenariosOf } from '../load/scenarios-of.js'
import type { Scenario } from '../scenario/scenario.js'
import { type CallStyle, callStyle } from '../terms/call-style.js'
import { jsonRpcCases } from './json-rpc-cases.js'

/**
 * Returns the cases of JSON-RPC 2.0 for a contract without `x-envelope`; other contracts have their own
 * rules. The cases expect the contract's error codes (`x-failures`), and send parameters in the form that its methods
 * take (`paramStructure`). Leaves out batches if no method is batchable (`x-batchable`), and `rpc.discover` if the
 * contract declares that method.
 * @param contract the contract to test
 */
export function jsonRpcScenarios(contract: Contract): readonly Scenario[] {
  if (isObject(member(contract.info, 'x-envelope'))) return []
  const style = callStyle(contract)
  const declaresDiscover = contract.methods.some(({ name }) => name === 'rpc.discover')
  const codes = replacedCodes(contract)
  const scenarios = jsonRpcCases
    .filter((item) => !(declaresDiscover && item['id'] === 'json-rpc/discover'))
    .filter((item) => style.hasBatches || !sendsBatch(item))
    .map((item) => withCauses(inStyle(withCodes(item, codes), style)))
  // Built-in cases may always send their requests, because the method that they call does not exist.
  return scenariosOf({ scenarios }, 'JSON-RPC 2.0').map((scenario) => ({
    ...scenario,
    builtIn: true,
    origin: 'file',
  }))
}

function sendsBatch(item: JsonObject): boolean {
  return stepsOf(item).some((step) => stringMember(step, 'raw')?.startsWith('[') === true)
}

/** Replaces the codes of JSON-RPC 2.0 in expectations and sentences by those of the contract. */
function withCodes(item: JsonObject, codes: ReadonlyMap<number, number>): JsonObject {
  const text = JSON.stringify(item).replaceAll(/-32\d{3}(?!\d)/g, (code) =>
    String(codes.get(Number(code)) ?? code),
  )
  return JSON.parse(text) as JsonObject
}

/** Converts empty parameters to the form that the methods take, and merges steps that become equal. */
function inStyle(item: JsonObject, { emptyParams }: CallStyle): JsonObject {
  const steps = stepsOf(item).map((step): JsonObject => {
    const { params, raw } = step
    if (isEmpty(params)) return { ...step, params: emptyParams(params) }
    if (typeof raw !== 'string') return step
    const inForm = raw.replaceAll(/"params":(\[\]|\{\})/g, (_, empty: string) => {
      return `"params":${JSON.stringify(emptyParams(JSON.parse(empty) as JsonValue))}`
    })
    return { ...step, raw: inForm }
  })
  const distinct = new Map(steps.map((step) => [JSON.stringify(step), step]))
  return { ...item, steps: [...distinct.values()] }
}

function isEmpty(value: JsonValue | undefined): value is JsonValue {
  return (isArray(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0)
}

/** States the cause of tolerated answers: the specification leaves all of them to implementations. */
function withCauses(document: JsonObject): JsonObject {
  const steps = stepsOf(document).map((step) => {
    const tolerate = arrayMember(step, 'tolerate').filter(isObject)
    const stated = tolerate.map((one): JsonObject => ({ ...one, 'depends-on': 'implementation' }))
    return stated.length === 0 ? step : { ...step, tolerate: stated }
  })
  return { ...document, steps }
}

function stepsOf(document: JsonObject): readonly JsonObject[] {
  return arrayMember(document, 'steps').filter(isObject)
}
