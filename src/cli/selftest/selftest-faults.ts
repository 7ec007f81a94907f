import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contractTerms, type Fault, matchesPattern, ruleGroup } from '../../judge/index.js'
import type { Contract } from '../../toolkit/contract/index.js'
import { UsageError } from '../io.js'

/**
 * Loads the faults that a JavaScript module exports as `faults`.
 * @param file the module; undefined loads the faults of this package's contract
 * @throws UsageError when the module cannot be loaded or has no such list
 */
export async function loadFaults(file: string | undefined): Promise<readonly Fault[]> {
  if (file === undefined) return (await import('../../../lab/faults/index.js')).faults
  const { faults } = await import(pathToFileURL(resolve(file)).href).catch((cause: Error) => {
    throw new UsageError(`${file}: cannot load the faults: ${cause.message.split('\n')[0]}`, { cause })
  })
  if (!Array.isArray(faults)) throw new UsageError(`${file}: the module does not export a list "faults"`)
  for (const [index, fault] of faults.entries()) {
    if (!isFault(fault)) {
      throw new UsageError(
        `${file}: faults[${index}] needs strings name, rule and description, and a function begin`,
      )
    }
  }
  return faults
}

function isFault(value: unknown): value is Fault {
  if (typeof value !== 'object' || value === null) return false
  const { name, rule, description, begin } = value as Partial<Record<keyof Fault, unknown>>
  return [name, rule, description].every((text) => typeof text === 'string') && typeof begin === 'function'
}

/**
 * Selects faults by patterns of names or rules.
 * @param faults all faults
 * @param patterns the values of --only; without any, all faults are selected
 * @throws UsageError when a pattern matches no fault
 */
export function chosenFaults(faults: readonly Fault[], patterns: readonly string[]): readonly Fault[] {
  const isMatch = (pattern: string, { name, rule }: Fault) =>
    matchesPattern(pattern, name) || matchesPattern(pattern, rule)
  for (const pattern of patterns) {
    if (!faults.some((fault) => isMatch(pattern, fault))) {
      throw new UsageError(`no fault matches "${pattern}": --list shows all faults`)
    }
  }
  if (patterns.length === 0) return faults
  return faults.filter((fault) => patterns.some((pattern) => isMatch(pattern, fault)))
}

/**
 * Chooses some faults of each group of rules, in their order.
 * @param count faults per group; all by default
 * @param seed number that decides which
 */
export function sampledFaults<One extends Fault>(
  faults: readonly One[],
  count: number | undefined,
  seed: number,
): readonly One[] {
  if (count === undefined) return faults
  const rank = ({ name }: Fault) => createHash('sha256').update(`${seed} ${name}`).digest('hex')
  const left = new Map(faults.map(({ rule }) => [ruleGroup(rule), count]))
  const ranked = [...faults].sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
  const chosen = new Set(
    ranked.filter(({ rule }) => {
      const more = left.get(ruleGroup(rule)) ?? 0
      left.set(ruleGroup(rule), more - 1)
      return more > 0
    }),
  )
  return faults.filter((fault) => chosen.has(fault))
}

/**
 * Checks that the contract has the rule of each fault.
 * @throws UsageError when a rule is missing
 */
export function checkRules(faults: readonly Fault[], contract: Contract): void {
  const rules = new Set(contractTerms(contract).rules.map(({ id }) => id))
  const stray = faults.find(({ rule }) => !rules.has(rule))
  if (stray === undefined) return
  throw new UsageError(
    `the fault "${stray.name}" breaks "${stray.rule}", which is not a rule of the contract`,
  )
}
