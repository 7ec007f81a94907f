import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { documentOf, methodOf } from '../codegen/fixtures.js'

/** A method without findings, with changes. */
export function good(parts: JsonObject = {}): JsonObject {
  return methodOf(
    [{ name: 'a', required: true, schema: { type: 'integer' } }],
    { type: 'integer' },
    {
      errors: [{ code: 1, message: 'One' }],
      examples: [{ name: 'e', params: [{ name: 'a', value: 1 }], result: { name: 'r', value: 2 } }],
      ...parts,
    },
  )
}
export const methods = (...all: readonly JsonObject[]) => documentOf({ methods: all })
export const param = (name: string, required: boolean, schema: JsonValue = {}) => ({ name, required, schema })
export const rules = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, text: 'It is so.', scope: 'service' }))
export const withInfo = (info: JsonObject, ...all: readonly JsonObject[]) =>
  documentOf({ info: { title: 'T', version: '1', ...info }, methods: all })
export const components = (parts: JsonObject, ...all: readonly JsonObject[]) =>
  documentOf({ methods: all.length > 0 ? all : [good()], components: parts })
export const result = (schema: JsonValue) =>
  methodOf([], schema, {
    errors: [{ code: 1, message: 'x' }],
    examples: [{ name: 'e', params: [], error: { code: 1, message: 'x' } }],
  })

export const extension = (name: string, restricted: readonly string[]) => ({
  openrpcExtension: '0.0.0-development',
  name,
  version: '1.0.0',
  restricted,
  schema: {},
})

/** An example with two parameters. */
export const both = {
  name: 'e',
  params: [
    { name: 'a', value: 1 },
    { name: 'b', value: 2 },
  ],
  result: { name: 'r', value: 2 },
}

/** Further files, by path. */
export type Files = Readonly<Record<string, string>>

/** A description, the document, the beginnings of the expected messages, and further files. */
export type Row = readonly [string, JsonValue | string, readonly string[], Files?]
