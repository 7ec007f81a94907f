import {
  areDisjoint,
  type Contract,
  ContractError,
  documentOf,
  followed,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  valueAt,
} from '../../contract/index.js'
import { tokensOf } from '../places.js'
import { isPureReference, onlyItem } from './schema-view.js'

/** A contract as a source of schemas. */
export interface SchemaSource {
  /**
   * Returns a place with methods by name, such as `#/methods/getPet/result`. It is the same in both
   * documents.
   */
  readonly named: (pointer: string) => string
  /** Resolves one reference. Returns undefined without a reference, or if its target does not exist. */
  readonly target: (located: LocatedSchema) => LocatedSchema | undefined
  /**
   * Returns a schema and its chain of reference targets. A list with one item counts as a reference to the
   * item.
   */
  readonly chain: (located: LocatedSchema) => readonly LocatedSchema[]
  /** Returns the last schema of that chain. */
  readonly end: (located: LocatedSchema) => LocatedSchema
  /** Returns the value at a place of its documents, with methods by index. */
  readonly value: (pointer: string) => JsonValue | undefined
  /** Returns true if no value can have the types of two of the schemas. */
  readonly areDisjoint: (schemas: readonly LocatedSchema[]) => boolean
  /** Returns true if the place exists. */
  readonly has: (pointer: string) => boolean
}

/** Creates a source that resolves references one step at a time. */
export function createSchemaSource(contract: Contract): SchemaSource {
  const names = new Map(contract.methods.map(({ pointer, name }) => [pointer, name]))

  function target(located: LocatedSchema): LocatedSchema | undefined {
    try {
      return followed(located, contract)
    } catch (error) {
      // Schemas in extensions may contain dangling references.
      if (error instanceof ContractError) return undefined
      throw error
    }
  }

  function value(pointer: string): JsonValue | undefined {
    const root = rootOf(documentOf(pointer))
    return root && valueAt(root, tokensOf(pointer))
  }

  /** Returns the content of a file: the main document, or another file by name. */
  function rootOf(file: string): JsonValue | undefined {
    if (file === '') return contract.document
    return target({ pointer: '#', schema: { $ref: `${file}#` } })?.schema
  }

  function chain(located: LocatedSchema): readonly LocatedSchema[] {
    const found = new Map<string, LocatedSchema>()
    let here: LocatedSchema | undefined = located
    while (here && !found.has(here.pointer)) {
      found.set(here.pointer, here)
      here = isPureReference(here) ? target(here) : onlyItem(here)
    }
    return [...found.values()]
  }

  return {
    target,
    named: (pointer) => {
      const [list = '', at = '', ...rest] = tokensOf(pointer)
      const isMethod = list === 'methods' && documentOf(pointer) === ''
      const name = isMethod ? names.get(joinPointer('#', list, at)) : undefined
      return name === undefined ? pointer : joinPointer('#/methods', name, ...rest)
    },
    chain,
    end: (located) => chain(located).at(-1) ?? located,
    value,
    areDisjoint: (schemas) => areDisjoint(contract, schemas),
    has: (pointer) => value(pointer) !== undefined,
  }
}
