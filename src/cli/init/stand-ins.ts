import type { Source } from '../../toolkit/codegen/index.js'
import { type ConnectionRoles, exampleJudge, pathOf, type ValidExample } from '../../toolkit/codegen/index.js'
import { arrayMember, type Method } from '../../toolkit/contract/index.js'

/** How a method is implemented until the user writes a handler. */
export interface StandIn {
  readonly method: Method
  /** The path of its function in client and handlers. */
  readonly path: readonly string[]
  /**
   * `example` returns examples, `missing` throws an error, `silent` is a notification without a result, and
   * `subscription` sends the items that the examples of its notification show.
   */
  readonly kind: 'example' | 'missing' | 'silent' | 'subscription'
  /** The valid examples of the method, in the order of the generated constant. */
  readonly examples: readonly ValidExample[]
  /** The notification with the items of a subscription. */
  readonly notification?: Method | undefined
}

/** Returns the stand-in for each method of a contract that needs a handler. */
export function standInsOf(
  source: Source,
  { implemented, subscriptions }: ConnectionRoles,
): readonly StandIn[] {
  const judge = exampleJudge(source)
  const validExamples = (method: Method) =>
    method.examples.flatMap((example) => {
      const judged = judge(method, example)
      return 'example' in judged ? [judged] : []
    })
  return implemented.map((method) => {
    const path = pathOf(source.paths, method)
    const notification = subscriptions.get(method)?.notification
    if (notification !== undefined) {
      const kind = validExamples(notification).length > 0 ? 'subscription' : 'missing'
      return { method, path, kind, examples: [], notification }
    }
    const examples = validExamples(method)
    const kind = method.result === undefined ? 'silent' : examples.length > 0 ? 'example' : 'missing'
    return { method, path, kind, examples }
  })
}

/** Returns true if the method requires scopes. */
export function needsScopes({ method }: StandIn): boolean {
  return arrayMember(method.extensions, 'x-scopes').length > 0
}

/** Returns false for names that every object inherits, such as `constructor`. Clients have no function for them. */
export function isCallable({ path }: StandIn): boolean {
  return path.every((part) => !(part in {}))
}

/** Returns true if a method can be called without parameters. */
export function needsNothing({ method }: StandIn): boolean {
  return method.params.every(({ required }) => !required)
}

/** Returns true if the stand-in answers a call with the first example. */
export function isShown({ kind, method, examples: [first] }: StandIn): boolean {
  if (kind !== 'example' || !first?.example.result) return false
  // Items of a list become arguments; an object is one argument, of a method whose parameters are sent by name.
  return Array.isArray(first.params)
    ? method.paramStructure !== 'by-name'
    : method.paramStructure === 'by-name'
}
