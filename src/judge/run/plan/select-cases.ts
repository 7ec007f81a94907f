import type { Scenario } from '../../scenario/scenario.js'
import { matchesPattern } from './pattern.js'

/** The selection of cases is invalid. The message is one sentence. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError'
}

/** Selection of cases. An empty selection means all cases. */
export interface Selection {
  /** Patterns with `*` that match ids of cases or rules. A leading `!` excludes cases. */
  readonly only: readonly string[]
  /** Id of a single case to run. */
  readonly replay: string | undefined
}

/**
 * Selects cases together with their dependencies, in the original order.
 * @throws SelectionError for a pattern without a match, an unknown id, a duplicate id, an excluded
 * dependency, or a dependency cycle
 */
export function selectCases(scenarios: readonly Scenario[], selection: Selection): readonly Scenario[] {
  const byId = new Map<string, Scenario>()
  for (const scenario of scenarios) {
    const other = byId.get(scenario.id)
    if (other !== undefined) {
      const [one, two] = [other, scenario].map(({ source }) => `${source.file}:${source.line}`)
      throw new SelectionError(`two cases have the id "${scenario.id}": ${one} and ${two}`)
    }
    byId.set(scenario.id, scenario)
  }
  const chosen = new Set<string>()
  const add = (scenario: Scenario, path: readonly string[]): void => {
    if (path.includes(scenario.id)) {
      throw new SelectionError(`cases form a cycle: ${[...path, scenario.id].join(' after ')}`)
    }
    if (chosen.has(scenario.id)) return
    for (const id of scenario.after) {
      const before = byId.get(id)
      if (before === undefined) {
        throw new SelectionError(`${scenario.id} runs after "${id}", which is not a case`)
      }
      if (isLeftOut(before, selection.only)) {
        throw new SelectionError(
          `${scenario.id} runs after "${id}", which is not selected: select both or neither`,
        )
      }
      add(before, [...path, scenario.id])
    }
    chosen.add(scenario.id)
  }
  for (const scenario of wanted(scenarios, selection)) add(scenario, [])
  return scenarios.filter(({ id }) => chosen.has(id))
}

function wanted(scenarios: readonly Scenario[], { only, replay }: Selection): readonly Scenario[] {
  if (replay !== undefined) {
    const found = scenarios.filter(({ id }) => id === replay)
    if (found.length === 0) throw new SelectionError(`unknown case "${replay}"; --list shows all cases`)
    return found
  }
  for (const pattern of only) {
    const meant = pattern.replace(/^!/, '')
    if (!scenarios.some((scenario) => isAbout(scenario, meant))) {
      throw new SelectionError(`no case and no rule matches "${meant}"; --list shows all cases`)
    }
  }
  return scenarios.filter((scenario) => isSelected(scenario, only))
}

/** The names by which a case is selected. */
type Named = Pick<Scenario, 'id' | 'rules'>

/** True if `--only` selects the case. Patterns with `!` exclude cases; if all patterns do, the other cases are selected. */
export function isSelected(scenario: Named, only: Selection['only']): boolean {
  const within = only.filter((pattern) => !pattern.startsWith('!'))
  const isWithin = within.length === 0 || within.some((pattern) => isAbout(scenario, pattern))
  return isWithin && !isLeftOut(scenario, only)
}

function isLeftOut(scenario: Named, only: Selection['only']): boolean {
  return only.some((pattern) => pattern.startsWith('!') && isAbout(scenario, pattern.slice(1)))
}

function isAbout({ id, rules }: Named, pattern: string): boolean {
  return matchesPattern(pattern, id) || rules.some((rule) => matchesPattern(pattern, rule))
}
