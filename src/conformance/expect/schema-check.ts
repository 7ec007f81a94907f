import type { JsonValue } from '../../rpc/index.js'

/** What breaks the contract's schema at a JSON pointer such as `#/components/schemas/Block`; empty where nothing does. */
export type SchemaCheck = (
  pointer: string,
  value: JsonValue,
) => readonly { readonly path: string; readonly message: string }[]
