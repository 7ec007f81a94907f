import type { Report } from '../report.js'
import { isCovered } from '../verdicts.js'
import { grouped, numbered } from './words.js'

/** Maximum names of untested parts of one kind. */
const NAMED = 3

/**
 * What no answer of the run showed, in one line, the most important first: rules, methods, members and branches of
 * results, fixtures that were not found, and forms of calls.
 */
export function notTestedText({
  rules,
  coverage,
  cases,
}: Pick<Report, 'rules' | 'coverage' | 'cases'>): string {
  const open = rules.filter((rule) => !isCovered(rule)).map(({ id }) => id)
  const ofAnswers = (kind: 'methods' | 'members' | 'branches', word: string) =>
    part(coverage?.[kind].never ?? [], coverage?.[kind].total ?? 0, word)
  const lacking = [...new Set(cases.flatMap(({ lacks }) => lacks?.fixture ?? []))].sort()
  const parts = [
    ...part(open, rules.length, 'rules'),
    ...ofAnswers('methods', 'methods'),
    ...ofAnswers('members', 'result members'),
    ...ofAnswers('branches', 'branches'),
    ...(lacking.length === 0 ? [] : [`${numbered(lacking.length, 'fixture')}${named(lacking)}`]),
    ...part(coverage?.forms?.never ?? [], coverage?.forms?.total ?? 0, 'forms of calls'),
  ]
  return parts.length === 0 ? 'nothing that the contract states' : parts.join(', ')
}

function part(names: readonly string[], total: number, word: string): readonly string[] {
  return names.length === 0 ? [] : [`${grouped(names.length)} of ${grouped(total)} ${word}${named(names)}`]
}

function named(names: readonly string[]): string {
  return names.length > NAMED ? '' : ` (${names.join(', ')})`
}
