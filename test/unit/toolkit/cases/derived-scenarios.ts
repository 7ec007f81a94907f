import { emitConformance } from '../../../../src/toolkit/codegen/index.js'
import type { Contract, JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { emitted } from '../codegen/fixtures.js'

/** A derived scenario in its written form. */
export interface DerivedScenario extends JsonObject {
  readonly id: string
  readonly scenario: string
  readonly effect: string
  readonly steps: readonly [
    JsonObject & { readonly call: string; readonly params: JsonValue; readonly expect?: JsonObject },
  ]
}

interface Conformance {
  readonly generator: string
  readonly contract: { readonly title: string; readonly version: string; readonly sha256: string }
  readonly scenarios: readonly DerivedScenario[]
}

const known = new WeakMap<Contract, Conformance>()

/** The parsed conformance.json of a contract, generated once per process. */
export function conformanceOf(contract: Contract): Conformance {
  const conformance = known.get(contract) ?? (JSON.parse(emitted(emitConformance, contract)) as Conformance)
  known.set(contract, conformance)
  return conformance
}

/** The derived scenarios of a contract. */
export function derivedOf(contract: Contract): readonly DerivedScenario[] {
  return conformanceOf(contract).scenarios
}
