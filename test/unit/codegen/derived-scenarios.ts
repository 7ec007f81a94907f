import { generateFiles } from '../../../src/codegen/index.js'
import type { Contract, JsonObject, JsonValue } from '../../../src/contract/index.js'
import { fileOf, tool } from './fixtures.js'

/** A derived scenario, as it is written. */
export interface DerivedScenario extends JsonObject {
  readonly id: string
  readonly scenario: string
  readonly effect: string
  readonly steps: readonly [
    JsonObject & { readonly call: string; readonly params: JsonValue; readonly expect?: JsonObject },
  ]
}

/** conformance.json of a contract, parsed. */
export function conformanceOf(contract: Contract): {
  readonly generator: string
  readonly contract: { readonly title: string; readonly version: string; readonly sha256: string }
  readonly scenarios: readonly DerivedScenario[]
} {
  return JSON.parse(fileOf(generateFiles(contract, tool), 'conformance.json'))
}

/** The scenarios that are derived from a contract. */
export function derivedOf(contract: Contract): readonly DerivedScenario[] {
  return conformanceOf(contract).scenarios
}
