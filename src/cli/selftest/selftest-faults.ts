import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contractTerms, type Fault, matchesPattern } from '../../conformance/index.js'
import type { Contract } from '../../contract/index.js'
import { UsageError } from '../io.js'

/**
 * Loads the faults that a JavaScript module exports as `faults`. Without a module, loads those of this package's
 * contract.
 * @throws UsageError when the module cannot be loaded or does not export such a list
 */
export async function loadFaults(file: string | undefined): Promise<readonly Fault[]> {
  if (file === undefined) return (await import('../../../conformance/faults/index.js')).faults
  const { faults } = await import(pathToFileURL(resolve(file)).href).catch((cause: Error) => {
    throw new UsageError(`${file}: the faults cannot be loaded: ${cause.message.split('\n')[0]}`, { cause })
  })
  if (!Array.isArray(faults)) throw new UsageError(`${file}: no list is exported as "faults"`)
  for (const [index, fault] of faults.entries()) {
    if (!isFault(fault)) {
      throw new UsageError(
        `${file}: faults[${index}] needs name, rule and description as texts, and begin as a function`,
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
 * Selects faults by patterns of names or rules. Without a pattern, selects all of them.
 * @throws UsageError when a pattern matches nothing
 */
export function chosenFaults(faults: readonly Fault[], patterns: readonly string[]): readonly Fault[] {
  const isMeant = (pattern: string, { name, rule }: Fault) =>
    matchesPattern(pattern, name) || matchesPattern(pattern, rule)
  for (const pattern of patterns) {
    if (!faults.some((fault) => isMeant(pattern, fault))) {
      throw new UsageError(`no fault and no rule of a fault matches "${pattern}"; --list shows them`)
    }
  }
  if (patterns.length === 0) return faults
  return faults.filter((fault) => patterns.some((pattern) => isMeant(pattern, fault)))
}

/** @throws UsageError when the contract lacks the rule of a fault */
export function checkRules(faults: readonly Fault[], contract: Contract): void {
  const rules = new Set(contractTerms(contract).rules.map(({ id }) => id))
  const stray = faults.find(({ rule }) => !rules.has(rule))
  if (stray === undefined) return
  throw new UsageError(`the fault "${stray.name}" breaks "${stray.rule}", which is no rule of the contract`)
}
