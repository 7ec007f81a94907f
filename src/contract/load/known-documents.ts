import * as metaSchema from '@json-schema-tools/meta-schema'
import { getExtendedMetaSchema } from '@open-rpc/schema-utils-js'
import type { JsonObject } from '../json.js'

/** The JSON Schema meta-schema that OpenRPC's refers to. The package's types omit it. */
export const { jsonSchema } = metaSchema as unknown as { readonly jsonSchema: JsonObject }

/** The part of OpenRPC's meta-schema that is changed. */
interface MetaSchema {
  readonly definitions: {
    readonly serverObject: { readonly properties: { readonly url: { format: string } } }
  }
}

/** OpenRPC's meta-schema without its `$id`, and with the extensions that documents can declare. */
const openRpc = (): JsonObject => withRelativeServers(getExtendedMetaSchema())

/**
 * Allows relative server URLs, as the text of OpenRPC does (OpenRPC 1.3, server object). The meta-schema asks for
 * absolute ones.
 * @param metaSchema a copy of OpenRPC's meta-schema, which is changed
 */
export function withRelativeServers<Schema extends MetaSchema>(metaSchema: Schema): Schema {
  metaSchema.definitions.serverObject.properties.url.format = 'uri-reference'
  return metaSchema
}

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
