import { type JsonValue, RawJson } from '../../../../../src/runtime/rpc/index.js'
import type { AnswerCacheOptions } from '../../../../../src/service/gateway/cache/answer-cache.js'
import { type Asker, createAnswerCache } from '../../../../../src/service/gateway/cache/index.js'
import type { CallSignal, NodeCallers } from '../../../../../src/service/gateway/nodes/index.js'
import { profileOf } from '../../../../../src/service/gateway/profiles/index.js'

/** A cache in front of a network whose answers the test controls. */
export function cachedNetwork(options: Partial<AnswerCacheOptions> = {}) {
  const asked: {
    readonly method: string
    readonly params: readonly JsonValue[]
    readonly signal: CallSignal | undefined
    readonly since: number | undefined
    readonly callers: NodeCallers | undefined
    readonly answer: (result: JsonValue) => void
    readonly fail: (error: Error) => void
  }[] = []
  const state = { head: 10_000n as bigint | undefined, time: 0 }
  const outcomes: string[] = []
  const answers = createAnswerCache({
    forward: (method, params, { signal, since, callers } = {}) =>
      new Promise((answer, fail) => {
        asked.push({ method, params, signal, since, callers, answer, fail })
      }),
    head: () => state.head,
    limits: { finalityDepth: 4_000, latestAnswerSeconds: 1, nodeTimeoutSeconds: 30 },
    observe: (outcome) => outcomes.push(outcome),
    now: () => state.time,
    ...options,
  })
  const cache = (method: string, params: readonly JsonValue[], asker?: Asker) =>
    answers(profileOf(method), params, asker)
  return { asked, state, outcomes, cache }
}

/** The JSON text of an answer. */
export const textOf = async (answer: JsonValue | RawJson | Promise<JsonValue | RawJson>) => {
  const settled = await answer
  return settled instanceof RawJson ? settled.text : JSON.stringify(settled)
}
