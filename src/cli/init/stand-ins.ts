import type { Source } from '../../codegen/index.js'
import { exampleJudge, pathOf, type ValidExample } from '../../codegen/index.js'
import type { Method } from '../../contract/index.js'

/** The temporary implementation of a method. */
export interface StandIn {
  readonly method: Method
  /** The path of its function in client and handlers. */
  readonly path: readonly string[]
  /**
   * `example` returns examples, `missing` throws an error, and `silent` is a notification without a result.
   */
  readonly kind: 'example' | 'missing' | 'silent'
  /** The valid examples of the method, in the order of the generated constant. */
  readonly examples: readonly ValidExample[]
}

/** Returns the stand-in for each method of a contract. */
export function standInsOf(source: Source): readonly StandIn[] {
  const judge = exampleJudge(source)
  return source.contract.methods.map((method) => {
    const judged = method.examples.map((example) => judge(method, example))
    const examples = judged.flatMap((result) => ('example' in result ? [result] : []))
    const kind = method.result === undefined ? 'silent' : examples.length > 0 ? 'example' : 'missing'
    return { method, path: pathOf(source.paths, method), kind, examples }
  })
}
