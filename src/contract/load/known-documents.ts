import * as metaSchema from '@json-schema-tools/meta-schema'
import { getExtendedMetaSchema } from '@open-rpc/schema-utils-js'
import type { JsonObject } from '../json.js'

/** The JSON Schema meta-schema that OpenRPC's refers to. The package's types omit it. */
export const { jsonSchema } = metaSchema as unknown as { readonly jsonSchema: JsonObject }

/** OpenRPC's meta-schema without its `$id`, and with the extensions that documents can declare. */
const openRpc = () => getExtendedMetaSchema() as JsonObject

const known: Readonly<Record<string, () => JsonObject>> = {
  'https://meta.open-rpc.org/': openRpc,
  'https://raw.githubusercontent.com/open-rpc/meta-schema/master/schema.json': openRpc,
  'https://meta.json-schema.tools/': () => jsonSchema,
}

/**
 * Returns a meta-schema of OpenRPC or JSON Schema by its URL. Documents refer to them in `rpc.discover`. The
 * toolkit contains them, so reading them needs no network.
 */
export function knownDocument(url: URL): JsonObject | undefined {
  return known[url.href]?.()
}
