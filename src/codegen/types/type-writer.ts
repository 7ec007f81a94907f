import type { Contract } from '../../contract/index.js'
import type { TypeNames } from './type-names.js'

/** The state of writing types: names of schemas, and the names that the file must import. */
export interface TypeWriter {
  readonly contract: Contract
  readonly names: TypeNames
  /** Names that the file uses: components and other named schemas, `JsonValue`, `JsonObject`. */
  readonly used: Set<string>
}

/** Creates the type writer of one file. */
export function createTypeWriter(contract: Contract, names: TypeNames): TypeWriter {
  return { contract, names, used: new Set() }
}
