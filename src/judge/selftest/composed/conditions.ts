import type { JsonValue } from '@concordat/rpc'
import { isObject } from '../../../toolkit/contract/index.js'
import type { FaultHooks } from '../fault.js'
import type { HttpReply, HttpRequest } from '../http-message.js'
import { type CallAnswer, isList } from '../rpc-message.js'

/** A condition under which a fault shows. */
export interface Condition {
  /** Name in kebab-case. */
  readonly name: string
  /** The condition in words, which follow "Only". */
  readonly words: string
  /** True for a fault that the condition can restrict. By default, each can be. */
  readonly fits?: (hooks: FaultHooks) => boolean
  /** Creates the condition with fresh state, once for each run. */
  readonly begin: () => Restriction
}

/** Decides where a fault shows. Parts that are absent restrict nothing. */
export interface Restriction {
  /** False to leave an exchange alone. */
  readonly exchange?: (request: HttpRequest) => boolean
  /** False to leave an item alone. The position counts the calls of a message from 0. */
  readonly item?: (position: number) => boolean
  /** False to discard a change. Without an answer, the change is one of the request. */
  readonly change?: (right: HttpReply | undefined, wrong: HttpReply | undefined) => boolean
  /** Replaces a changed answer to a call. */
  readonly answer?: (right: CallAnswer, wrong: CallAnswer) => CallAnswer
}

const changesCalls = (hooks: FaultHooks) => hooks.call !== undefined || hooks.answer !== undefined

/** Milliseconds in which a fault that depends on the time shows, and as many in which it does not. */
const turn = 250

/** One change of this number shows. */
const intermittent = 3

/** A body counts as larger if it has this many times the bytes of the smallest one. */
const larger = 1.2

/** Conditions of composed faults: position, key, size, time, now and then, and hidden data. */
export const conditions: readonly Condition[] = [
  {
    name: 'later-in-batch',
    words: 'in items of a batch after the first',
    fits: changesCalls,
    begin: () => ({ item: (position) => position > 0 }),
  },
  {
    name: 'not-at-first',
    words: 'from the second change on',
    begin: () => ({ change: counted((number) => number > 1) }),
  },
  {
    name: 'other-key',
    words: 'for other keys or paths than that of the first request',
    begin() {
      let first: string | undefined
      return {
        exchange({ path }) {
          first ??= path
          return path !== first
        },
      }
    },
  },
  {
    name: 'larger',
    words: `in messages with ${larger} times the bytes of the smallest one that it would change`,
    begin() {
      let smallest = Number.POSITIVE_INFINITY
      let sent = 0
      return {
        exchange({ body }) {
          sent = body.length
          return true
        },
        change(right) {
          const bytes = sent + (right?.body.length ?? 0)
          smallest = Math.min(smallest, bytes)
          return bytes > smallest * larger
        },
      }
    },
  },
  {
    name: 'at-times',
    words: `in every second period of ${turn} ms`,
    begin: () => ({ exchange: () => Math.floor(performance.now() / turn) % 2 === 1 }),
  },
  {
    name: 'now-and-then',
    words: `one time in ${intermittent}`,
    begin: () => ({ change: counted((number) => number % intermittent === 0) }),
  },
  {
    name: 'hidden',
    words: 'where it cannot be seen: what it would change is missing instead',
    fits: ({ answer }) => answer !== undefined,
    begin: () => ({ answer: withoutEvidence }),
  },
]

/** Decides by the number of a change, from 1. */
function counted(isShown: (number: number) => boolean): () => boolean {
  let number = 0
  return () => isShown(++number)
}

/** Removes the part of a result that a fault would change: entries of lists, or the whole object. */
function withoutEvidence(right: CallAnswer, wrong: CallAnswer): CallAnswer {
  const result = remainder(right.result, wrong.result)
  return result === undefined ? wrong : { ...right, result }
}

function remainder(right: JsonValue | undefined, wrong: JsonValue | undefined): JsonValue | undefined {
  if (isList(right) && isList(wrong)) {
    const same = right.filter((entry, at) => isEqual(entry, wrong[at]))
    return same.length < right.length ? same : undefined
  }
  if (!isObject(right)) return undefined
  const lists = Object.entries(right).filter(([name, value]) => {
    const other = isObject(wrong) ? wrong[name] : undefined
    return isList(value) && isList(other) && !isEqual(value, other)
  })
  if (!isObject(wrong) || lists.length === 0) return null
  const rest = lists.map(([name, value]) => [name, remainder(value, wrong[name]) ?? value])
  return { ...right, ...Object.fromEntries(rest) }
}

/** True for equal JSON, which may name members in another order. */
export function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
