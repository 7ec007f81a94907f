import { contractTerms, invariantsOf, matchesPattern, transportOf } from '../../judge/index.js'
import type { ConformOptions } from './conform-options.js'
import type { Suite } from './conform-suite.js'

/** The invariants that options select. */
export interface ChosenInvariants {
  readonly invariants: ReturnType<typeof invariantsOf>
  /** True if only invariants are selected. All cases then run, and only the invariants are reported. */
  readonly isAlone: boolean
  /** Patterns of `--only` that are about cases. */
  readonly patterns: readonly string[]
}

/** Separates the invariants that `--only` selects from the cases. Without a selection, all are selected. */
export function chosenInvariants(
  { contract, scenarios, invariants }: Pick<Suite, 'contract' | 'scenarios' | 'invariants'>,
  { url, only, replay }: Pick<ConformOptions, 'only'> & Partial<Pick<ConformOptions, 'replay' | 'url'>>,
): ChosenInvariants {
  const isConnection = url === undefined ? isForConnections(contract) : transportOf(url) !== 'http'
  const all = invariantsOf(contract, invariants, isConnection)
  const namesOnlyInvariants = (text: string) => {
    const pattern = text.replace(/^!/, '')
    const namesCase = scenarios.some(({ id, rules }) =>
      [id, ...rules].some((name) => matchesPattern(pattern, name)),
    )
    return !namesCase && all.some(({ id }) => matchesPattern(pattern, id))
  }
  const patterns = only.filter((pattern) => !namesOnlyInvariants(pattern))
  const within = only.filter((pattern) => !pattern.startsWith('!'))
  const without = only.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const isChosen = ({ id }: { readonly id: string }) =>
    !without.some((pattern) => matchesPattern(pattern, id)) &&
    (within.length === 0 ? replay === undefined : within.some((pattern) => matchesPattern(pattern, id)))
  return {
    invariants: all.filter(isChosen),
    isAlone: within.length > 0 && within.every(namesOnlyInvariants),
    patterns,
  }
}

/** Returns true for a contract that needs a connection: for subscriptions, calls by the service, or a session. */
function isForConnections(contract: Suite['contract']): boolean {
  const { subscriptions, clientMethods, openingMethods } = contractTerms(contract).connectionMethods
  return subscriptions.size + clientMethods.size + openingMethods.size > 0
}
