import type { JsonValue } from '@concordat/rpc'
import type { Methods } from '../protocol/protocol-options.js'
import type { HandlersOf } from '../service/handlers-to-call.js'

/**
 * One function with positional parameters for each method. `@open-rpc/server-js` calls this a method mapping.
 */
export type PositionalHandlers<M extends Methods> = {
  readonly [Name in keyof M]: (...params: never[]) => unknown
}

/**
 * Adapts functions with positional parameters to handlers. Omitted parameters without default are undefined.
 * Missing functions are reported when the handlers are used.
 */
export function byPosition<M extends Methods>(
  methods: M,
  mapping: PositionalHandlers<M>,
): HandlersOf<M, undefined> {
  const named = Object.entries(methods).flatMap(([key, { params }]) => {
    const handler: unknown = Reflect.get(mapping, key)
    if (typeof handler !== 'function' || handler === Reflect.get(Object.prototype, key)) return []
    const byName = (given: Readonly<Record<string, JsonValue>>): unknown =>
      handler.apply(
        mapping,
        params.map(({ name }) => (Object.hasOwn(given, name) ? given[name] : undefined)),
      )
    return [[key, byName] as const]
  })
  return Object.fromEntries<unknown>(named) as HandlersOf<M, undefined>
}
