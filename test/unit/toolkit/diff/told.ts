import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { readContract } from '../../../../src/toolkit/contract/index.js'
import { singleDocument } from '../../../../src/toolkit/contract/load/documents.js'
import { type Change, diffContracts } from '../../../../src/toolkit/diff/index.js'
import { documentOf, methodOf } from '../codegen/fixtures.js'

/** Parts of a document, as the fixtures state them. */
export type Parts = { readonly [name: string]: JsonValue }

/** The affected sides as letters: clients, servers, both, or neither. */
export type Letters = '' | 'C' | 'S' | 'CS'

/** The changes between two documents. Skips the slow check against the meta-schema. */
export function diffOf(old: Parts, next: Parts): readonly Change[] {
  const [before, after] = [old, next].map((parts) => readContract(singleDocument(documentOf(parts))))
  return before && after ? diffContracts(before, after) : []
}

/** All sides that the changes break. */
export function lettersOf(changes: readonly Change[]): Letters {
  const breaks = (party: 'clients' | 'servers') => changes.some((change) => change.breaks.includes(party))
  return `${breaks('clients') ? 'C' : ''}${breaks('servers') ? 'S' : ''}`
}

/** A change in one line: `C #/methods/m/params/0 became required`, with `-` for a compatible one. */
export function lineOf({ breaks, pointer, reason }: Change): string {
  const letters = breaks.map((party) => (party === 'clients' ? 'C' : 'S')).join('')
  return `${letters || '-'} ${pointer} ${reason}`
}

/** All changes between two documents, one per line. */
export function told(old: Parts, next: Parts): readonly string[] {
  return diffOf(old, next).map(lineOf)
}

/** A document with one method whose parameter has this schema. */
export function asParam(schema: JsonValue, schemas: JsonObject = {}): Parts {
  return { methods: [methodOf([{ name: 'p', schema }])], components: { schemas } }
}

/** A document with one method whose result has this schema. */
export function asResult(schema: JsonValue, schemas: JsonObject = {}): Parts {
  return { methods: [methodOf([], schema)], components: { schemas } }
}
