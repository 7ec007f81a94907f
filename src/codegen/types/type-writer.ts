import type { Contract } from '../../contract/index.js'
import type { TypeNames } from './type-names.js'

/** The state of writing types: names of schemas, and the names that the file must import. */
export interface TypeWriter {
  readonly contract: Contract
  readonly names: TypeNames
  /** Names that the file uses: components and other named schemas, `JsonValue`, `JsonObject`. */
  readonly used: Set<string>
  /** True for clients with decoded values: quantities have the type that `x-decode` states. */
  readonly isDecoded: boolean
}

/** Creates the type writer of one file. */
export function createTypeWriter(contract: Contract, names: TypeNames, isDecoded = false): TypeWriter {
  return { contract, names, used: new Set(), isDecoded }
}
