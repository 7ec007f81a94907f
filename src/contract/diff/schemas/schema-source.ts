import { ContractError } from '../../contract-error.js'
import type { JsonValue } from '../../json.js'
import { joinPointer, valueAt } from '../../json-pointer.js'
import { documentOf } from '../../load/documents.js'
import type { Contract } from '../../model/contract.js'
import { followed } from '../../model/reachable-schemas.js'
import type { LocatedSchema } from '../../model/schema.js'
import { tokensOf } from '../places.js'
import { isPureReference, onlyItem } from './schema-view.js'

/** One contract as a source of schemas. */
export interface SchemaSource {
  /** The place of a value with methods by name: `#/methods/getPet/result`; the same in both documents. */
  readonly named: (pointer: string) => string
  /** One step along a reference; undefined without one, or where it leads nowhere. */
  readonly target: (located: LocatedSchema) => LocatedSchema | undefined
  /** A schema, what it refers to, and so on to the end; a list of one item refers to the item. */
  readonly chain: (located: LocatedSchema) => readonly LocatedSchema[]
  /** The end of that chain. */
  readonly end: (located: LocatedSchema) => LocatedSchema
  /** What stands at a place of its documents, methods by index. */
  readonly value: (pointer: string) => JsonValue | undefined
  /** True where something stands there. */
  readonly has: (pointer: string) => boolean
}

/** The schemas of a contract, references followed a step at a time. */
export function createSchemaSource(contract: Contract): SchemaSource {
  const names = new Map(contract.methods.map(({ pointer, name }) => [pointer, name]))

  function target(located: LocatedSchema): LocatedSchema | undefined {
    try {
      return followed(located, contract)
    } catch (error) {
      // Extensions may hold schemas that nobody has checked.
      if (error instanceof ContractError) return undefined
      throw error
    }
  }

  function value(pointer: string): JsonValue | undefined {
    const root = rootOf(documentOf(pointer))
    return root && valueAt(root, tokensOf(pointer))
  }

  /** What a file holds: the contract's own document, or another that it refers to, by its name. */
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
    has: (pointer) => value(pointer) !== undefined,
  }
}
