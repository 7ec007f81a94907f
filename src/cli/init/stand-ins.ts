import type { Source } from '../../codegen/generated-file.js'
import { createExampleJudge, type ValidExample } from '../../codegen/judge-examples.js'
import { pathOf } from '../../codegen/member-paths.js'
import type { Method } from '../../contract/index.js'

/** What stands in for a method until it is written. */
export interface StandIn {
  readonly method: Method
  /** Where its function is in client and handlers. */
  readonly path: readonly string[]
  /** It answers from examples, says that it is not there yet, or is a notification, which nobody answers. */
  readonly kind: 'example' | 'missing' | 'silent'
  /** Its examples that are as the contract says, in the order of the generated constant. */
  readonly examples: readonly ValidExample[]
}

/** What stands in for each method of a contract. */
export function standInsOf(source: Source): readonly StandIn[] {
  const judge = createExampleJudge(source)
  return source.contract.methods.map((method) => {
    const judged = method.examples.map((example) => judge(method, example))
    const examples = judged.flatMap((one) => ('example' in one ? [one] : []))
    const kind = method.result === undefined ? 'silent' : examples.length > 0 ? 'example' : 'missing'
    return { method, path: pathOf(source.paths, method), kind, examples }
  })
}
