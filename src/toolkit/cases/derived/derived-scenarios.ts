import type { Contract, JsonObject } from '../../contract/index.js'
import { segment } from '../case-text.js'
import { literalTemplate } from '../literal-template.js'
import { deriveCases } from './derive-cases.js'
import type { DerivedCase } from './derived-case.js'

/**
 * Returns the derived cases of a contract in the form of a case file, each with its `id`.
 * @param startsAlike true if each run begins with the same state of the service, so that examples are exact
 */
export function derivedScenarios(contract: Contract, startsAlike = false): readonly JsonObject[] {
  const ids = new Map<string, number>()
  return deriveCases(contract, startsAlike).map((found) => scenario(found, uniqueId(caseId(found), ids)))
}

function scenario(found: DerivedCase, id: string): JsonObject {
  const { method, rules, network, params, expect, tolerate } = found
  return {
    id,
    scenario: found.scenario,
    ...(rules.length > 0 ? { rule: rules.length === 1 ? (rules[0] ?? null) : rules } : {}),
    effect: method.extensions['x-effect'] === 'write' ? 'write' : 'read',
    ...(network === undefined ? {} : { network }),
    steps: [
      {
        call: literalTemplate(method.name),
        params: literalTemplate(params),
        ...(expect ? { expect } : {}),
        ...(tolerate.length > 0
          ? { tolerate: tolerate.map((one) => ({ ...one, 'depends-on': 'implementation' })) }
          : {}),
      },
    ],
  }
}

function caseId({ method, name }: DerivedCase): string {
  return `derived/${segment(method.name)}/${segment(name)}`
}

/** Appends a number to ids that are already taken, because examples can share a name. */
function uniqueId(id: string, taken: Map<string, number>): string {
  const count = (taken.get(id) ?? 0) + 1
  taken.set(id, count)
  return count === 1 ? id : uniqueId(`${id}-${count}`, taken)
}
