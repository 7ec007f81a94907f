import type { MethodDescriptor } from '@concordat/rpc'
import type { Methods } from '@concordat/server'
import { isArray, isObject, type JsonValue } from '../contract/index.js'
import type { ExampleTable } from './example-table.js'
import { paramsKey } from './params-key.js'

/**
 * Wraps methods so that invalid parameters receive the error of the example with the same parameters. Without
 * such an example, the contract's own validation errors apply.
 */
export function refusingMethods(methods: Methods, examples: ReadonlyMap<string, ExampleTable>): Methods {
  return Object.fromEntries(
    Object.entries(methods).map(([key, method]) => [key, refusing(method, examples.get(method.name))]),
  )
}

function refusing(method: MethodDescriptor, table: ExampleTable | undefined): MethodDescriptor {
  if (table === undefined || table.refusals.size === 0) return method
  return {
    ...method,
    validateParams(sent) {
      const problems = method.validateParams(sent)
      if (problems.length === 0 || !isSent(sent, method.paramStructure)) return problems
      const shown = table.refusals.get(paramsKey(method, sent))
      if (shown) throw shown
      return problems
    },
  }
}

/** True for the parameter form that the method accepts. Examples do not apply to the other form. */
function isSent(
  sent: unknown,
  structure: MethodDescriptor['paramStructure'],
): sent is Parameters<typeof paramsKey>[1] {
  const value = sent as JsonValue
  return isArray(value) ? structure !== 'by-name' : isObject(value) && structure !== 'by-position'
}
