import type { Bound, Plan, Scenario } from '../../judge/index.js'
import { numbered } from '../../judge/report/index.js'
import { tableLines } from '../../toolkit/report-formats/index.js'
import type { ChosenInvariants } from './chosen-invariants.js'

/** Formats one line for each case and invariant: its id, its effect and its description. */
export function listLines(
  scenarios: readonly Scenario[],
  invariants: ChosenInvariants['invariants'],
): readonly string[] {
  const cases = scenarios.map(({ id, effect, networks, scenario }) => {
    const marks = [...(effect === 'read' ? [] : [effect]), ...networks.map((network) => `${network} only`)]
    return [id, `${marks.length > 0 ? `[${marks.join(', ')}] ` : ''}${scenario}`]
  })
  return tableLines([...cases, ...invariants.map(({ id, invariant }) => [id, invariant])])
}

/** Formats the cost of a run by group. Invariants judge its answers and send nothing. */
export function planLines(
  { groups, discovery, total }: Plan,
  budget: number | undefined,
  invariants: ChosenInvariants['invariants'],
): readonly string[] {
  const rows = groups.map(({ group, cases, bound, notTried }) => {
    const reasons = [...notTried].map(([reason, number]) => `${number} skipped: ${reason}`)
    return [group, numbered(cases, 'case'), boundText(bound), reasons.join('; ')]
  })
  const cases = groups.reduce((sum, { cases }) => sum + cases, 0)
  const table = [
    ...rows,
    ['discovery', '', boundText(discovery)],
    ...(invariants.length === 0
      ? []
      : [['invariants', numbered(invariants.length, 'rule'), 'no requests of their own']]),
    [],
    ['total', numbered(cases, 'case'), boundText(total), budgetText(total, budget)],
  ]
  return ['', ...tableLines(table, { indent: 2, right: [1] }), '', '  Nothing was sent.', '']
}

/**
 * Formats an upper bound. Most cases need fewer requests, since repetitions end early and heads are reread
 * only on failure.
 */
function boundText({ requests, isOpen }: Bound): string {
  const text = `at most ${numbered(requests, 'request')}`
  return isOpen ? `${text}, plus requests that depend on answers` : text
}

function budgetText({ requests }: Bound, budget: number | undefined): string {
  if (budget === undefined) return 'no budget'
  const text = `budget ${numbered(budget, 'request')}`
  return requests > budget ? `${text}: cases beyond it would not run` : text
}
