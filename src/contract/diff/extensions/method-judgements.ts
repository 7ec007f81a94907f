import { isArray, isObject, type JsonValue } from '../../json.js'
import { listChanges } from '../canonical.js'
import type { ChangeKind } from '../change.js'
import { everybody } from '../diff-context.js'
import type { Party } from '../effect.js'
import { counted, shown } from '../words.js'

/** The party that a change breaks, and the reason. */
export interface Judgement {
  readonly kind: ChangeKind
  readonly breaks: readonly Party[]
  readonly reason: string
}

/** Judges the change of an extension; undefined for values of an unknown form. */
type Judge = (before: JsonValue | undefined, after: JsonValue | undefined) => readonly Judgement[] | undefined

/** The party that one direction of a change breaks, and the reason. */
type Meaning = readonly [breaks: readonly Party[], reason: string]

/**
 * The extensions of methods, by what callers observe of a change. What narrows a promise breaks clients, what asks more
 * of a service breaks servers, and what only the service and its nodes see breaks nobody.
 */
export const methodJudgements: Readonly<Record<string, Judge>> = {
  'x-effect': ordered('effect-changed', ['read', 'write'], {
    rise: [['clients'], 'writes, and only read: a call is no longer safe to repeat'],
    fall: [['servers'], 'only reads, and wrote'],
  }),
  'x-cost': ordered('cost-changed', 'numbers', {
    rise: [['clients'], 'a call costs more'],
    fall: [['servers'], 'a call costs less'],
  }),
  'x-lookup': ordered('lookup-changed', [false, true], {
    rise: [everybody, 'a missing object is null, and was an error'],
    fall: [everybody, 'a missing object is an error, and was null'],
  }),
  'x-contract-addresses': listed('contract-addresses-changed', 'place', {
    more: [['clients'], 'lists of allowed contracts apply to'],
    fewer: [['servers'], 'lists of allowed contracts no longer apply to'],
  }),
  'x-volatile': listed('volatility-changed', 'place', {
    more: [['clients'], 'two answers may differ at'],
    fewer: [['servers'], 'two answers may no longer differ at'],
  }),
  'x-result-order': listed('order-changed', 'order', {
    more: [['servers'], 'a result promises'],
    fewer: [['clients'], 'a result no longer promises'],
  }),
  'x-empty': (before, after) => [
    {
      kind: 'empty-changed',
      breaks: everybody,
      reason: `the result where nothing is there changed (${became(before, after)})`,
    },
  ],
  'x-answer': judgeAnswer,
  'x-batchable': ordered('batching-changed', [true, false], {
    rise: [[], 'no longer travels to a node in a batch'],
    fall: [[], 'may travel to a node in a batch'],
  }),
  'x-about': unobserved,
  'x-cache': unobserved,
}

/** An extension with ordered values. An absent flag is false. */
function ordered(
  kind: ChangeKind,
  order: readonly JsonValue[] | 'numbers',
  { rise, fall }: { readonly rise: Meaning; readonly fall: Meaning },
): Judge {
  const level = (value: JsonValue = false): number | undefined => {
    if (order === 'numbers') return typeof value === 'number' ? value : undefined
    const at = order.indexOf(value)
    return at < 0 ? undefined : at
  }
  return (before, after) => {
    const [from, to] = [level(before), level(after)]
    if (from === undefined || to === undefined) return undefined
    const [breaks, reason] = to === from ? ([[], 'means the same'] as const) : to > from ? rise : fall
    return [{ kind, breaks, reason: `${reason} (${became(before, after)})` }]
  }
}

/** An extension with an unordered list. An absent list is empty. */
function listed(
  kind: ChangeKind,
  noun: string,
  { more, fewer }: { readonly more: Meaning; readonly fewer: Meaning },
): Judge {
  return (before, after) => {
    const [old, next] = [before ?? [], after ?? []]
    if (!isArray(old) || !isArray(next)) return undefined
    const { added, removed } = listChanges(old, next)
    const judgement = (items: readonly JsonValue[], [breaks, reason]: Meaning) =>
      items.length === 0 ? [] : [{ kind, breaks, reason: `${reason} the ${counted(noun, items)}` }]
    const judgements = [...judgement(added, more), ...judgement(removed, fewer)]
    if (judgements.length > 0) return judgements
    return [{ kind, breaks: [], reason: `means the same (${became(before, after)})` }]
  }
}

/** Callers do not observe who answers, but they observe a value that the contract fixes. */
function judgeAnswer(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Judgement[] | undefined {
  const [old, next] = [before, after].map((answer) => (isObject(answer) ? answer : undefined))
  const kind = 'answer-changed'
  if (!old && !next) return unobserved(before, after)
  const breaks: readonly Party[] = old && next ? everybody : old ? ['clients'] : ['servers']
  const reason =
    old && next
      ? 'every call is answered otherwise'
      : old
        ? 'the answer is no longer fixed by the contract'
        : 'the answer is fixed by the contract'
  return [{ kind, breaks, reason: `${reason} (${became(before, after)})` }]
}

function unobserved(before: JsonValue | undefined, after: JsonValue | undefined): readonly Judgement[] {
  return [
    { kind: 'extension-changed', breaks: [], reason: `callers do not observe it (${became(before, after)})` },
  ]
}

function became(before: JsonValue | undefined, after: JsonValue | undefined): string {
  return `${shown(before)} became ${shown(after)}`
}
