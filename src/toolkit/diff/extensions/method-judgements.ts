import { isArray, isObject, type JsonValue, listChanges } from '../../contract/index.js'
import type { ChangeKind } from '../change-kinds.js'
import { everybody } from '../diff-context.js'
import type { Party } from '../effect.js'
import { counted, shown } from '../words.js'

/** A judged change: its kind, the parties that it breaks, and the reason. */
export interface Judgement {
  readonly kind: ChangeKind
  readonly breaks: readonly Party[]
  readonly reason: string
}

/** Judges a changed extension. Returns undefined for values of unknown form. */
type Judge = (before: JsonValue | undefined, after: JsonValue | undefined) => readonly Judgement[] | undefined

/** The parties that one direction of a change breaks, and the reason. */
type Meaning = readonly [breaks: readonly Party[], reason: string]

/**
 * Judgements of method extensions by what callers observe. A weaker promise breaks clients, and a stronger
 * requirement breaks servers. Extensions that only concern the service and its nodes break neither party.
 */
export const methodJudgements: Readonly<Record<string, Judge>> = {
  'x-effect': ordered('effect-changed', ['read', 'write'], {
    rise: [['clients'], 'writes now: a call is no longer safe to repeat'],
    fall: [['servers'], 'only reads now'],
  }),
  'x-cost': ordered('cost-changed', 'numbers', {
    rise: [['clients'], 'a call costs more'],
    fall: [['servers'], 'a call costs less'],
  }),
  'x-lookup': ordered('lookup-changed', [false, true], {
    rise: [everybody, 'a missing object is null instead of an error'],
    fall: [everybody, 'a missing object is an error instead of null'],
  }),
  'x-contract-addresses': listed('contract-addresses-changed', 'place', {
    more: [['clients'], 'lists of allowed contracts apply to'],
    fewer: [['servers'], 'lists of allowed contracts no longer apply to'],
  }),
  'x-volatile': listed('volatility-changed', 'place', {
    more: [['clients'], 'two answers may differ at'],
    fewer: [['servers'], 'two answers may no longer differ at'],
  }),
  'x-beyond-schemas': listed('refusals-changed', 'rule', {
    more: [['clients'], 'parameters that fit their schemas may be refused by'],
    fewer: [['servers'], 'parameters that fit their schemas may no longer be refused by'],
  }),
  'x-scopes': listed('scopes-changed', 'scope', {
    more: [['clients'], 'callers need'],
    fewer: [['servers'], 'callers no longer need'],
  }),
  'x-result-order': listed('order-changed', 'order', {
    more: [['servers'], 'a result promises'],
    fewer: [['clients'], 'a result no longer promises'],
  }),
  'x-laws': listed('laws-changed', 'law', {
    more: [['servers'], 'results obey'],
    fewer: [['clients'], 'results no longer promise to obey'],
  }),
  'x-empty': (before, after) => [
    {
      kind: 'empty-changed',
      breaks: everybody,
      reason: `the result for missing data changed (${became(before, after)})`,
    },
  ],
  'x-answer': judgeAnswer,
  'x-cancels': ofSession('the method cancels calls in another way'),
  'x-direction': ofSession('the method is called by another side'),
  'x-subscription': ofSession('the subscription has other methods'),
  'x-batchable': ordered('batching-changed', [true, false], {
    rise: [[], 'is no longer sent to nodes in batches'],
    fall: [[], 'may be sent to nodes in batches'],
  }),
  'x-about': unobserved,
  'x-cache': unobserved,
  'x-latency': unobserved,
}

/** Judges an extension that both sides of a connection must read alike. */
function ofSession(words: string): Judge {
  return (before, after) => [
    { kind: 'session-changed', breaks: everybody, reason: `${words} (${became(before, after)})` },
  ]
}

/** Judges an extension with ordered values. An absent flag is false. */
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

/** Judges an extension with an unordered list. An absent list is empty. */
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

/** Judges `x-answer`. Callers do not observe who answers, but they observe a fixed value. */
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
      ? 'the fixed answer of every call changed'
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
