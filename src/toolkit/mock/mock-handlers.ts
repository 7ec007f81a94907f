import { setTimeout as wait } from 'node:timers/promises'
import type { HandlerCall, JsonObject, MethodDescriptor } from '@concordat/rpc'
import type { Call, Methods } from '@concordat/server'
import { type Contract, isObject, type LocatedSchema, member } from '../contract/index.js'
import { createValues, seededValue } from '../values/index.js'
import type { ExampleTable } from './example-table.js'
import { paramValues, valuesKey } from './params-key.js'

/** What the handlers of a mock depend on. */
export interface MockHandlerOptions {
  readonly contract: Contract
  readonly methods: Methods
  readonly examples: ReadonlyMap<string, ExampleTable>
  /** Answers calls other than subscriptions. */
  readonly answer: Call<unknown>
  readonly seed: string
  /** Milliseconds between two notifications of a subscription. */
  readonly notifyMilliseconds: number
}

type Handler = (params: JsonObject, context: unknown, call: HandlerCall) => unknown

/**
 * Creates the handlers of a mock on a connection. A subscription (`x-subscription`) sends a generated item at once, and
 * further ones at a steady pace. They are the same for the same seed, method, parameters and position.
 */
export function createMockHandlers(options: MockHandlerOptions): Readonly<Record<string, Handler>> {
  const { contract, methods, examples, answer, seed, notifyMilliseconds } = options
  const values = createValues(contract)

  async function* items(schema: LocatedSchema, question: string, signal: AbortSignal) {
    for (let at = 0; ; at++) {
      yield seededValue(values.valid([schema]), `${question}${at}`)
      await wait(notifyMilliseconds, undefined, { signal })
    }
  }

  const handlerOf = (method: MethodDescriptor): Handler => {
    const schema = itemSchema(contract, method)
    if (schema === undefined) return (params, context) => answer(method, paramValues(method, params), context)
    return (params, _context, { signal }) => {
      const key = valuesKey(paramValues(method, params))
      const shown = examples.get(method.name)?.answers.get(key)
      if (shown?.error) throw shown.error
      return items(schema, `${JSON.stringify([seed, method.name])}${key}`, signal)
    }
  }
  return Object.fromEntries(Object.entries(methods).map(([key, method]) => [key, handlerOf(method)]))
}

/** The schema of a subscription's items: that of the second parameter of the notification. */
function itemSchema({ methods }: Contract, { extensions }: MethodDescriptor): LocatedSchema | undefined {
  const declared = extensions['x-subscription']
  if (!isObject(declared)) return undefined
  const notification = methods.find(({ name }) => name === member(declared, 'notification'))
  return notification?.params[1]?.schema
}
