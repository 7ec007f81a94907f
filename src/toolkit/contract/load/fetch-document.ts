import * as metaSchema from '@json-schema-tools/meta-schema'
import { getExtendedMetaSchema } from '@open-rpc/schema-utils-js'
import { ContractError, contractError } from '../contract-error.js'
import type { JsonObject } from '../json.js'
import { sourceText } from './source-positions.js'

/** Limits for the documents fetched for one contract. */
export interface RemoteBounds {
  /** Milliseconds to fetch one document. */
  readonly timeout: number
  /** Milliseconds to fetch all documents together. Documents may refer to each other without end. */
  readonly timeoutOfAll: number
  /** Maximum size of one document in bytes, after decompression. */
  readonly bytes: number
}

export const remoteDefaults: RemoteBounds = {
  timeout: 10_000,
  timeoutOfAll: 60_000,
  bytes: 10 * 1024 * 1024,
}

/** A fetched document. */
export interface FetchedDocument {
  readonly text: string
  /** The final URL after redirects. References are resolved against it (RFC 3986, section 5.1.3). */
  readonly url: URL
}

/** Creates a function that fetches documents. The deadline for all of them starts with the first fetch. */
export function createFetcher(bounds: RemoteBounds): (url: URL) => Promise<FetchedDocument> {
  let deadline: AbortSignal | undefined
  return async (url) => {
    deadline ??= AbortSignal.timeout(bounds.timeoutOfAll)
    const own = AbortSignal.timeout(bounds.timeout)
    try {
      return await fetched(url, AbortSignal.any([own, deadline]), bounds.bytes)
    } catch (cause) {
      if (deadline.aborted) throw tooSlow('fetching all documents', bounds.timeoutOfAll, cause)
      if (own.aborted) throw tooSlow('fetching it', bounds.timeout, cause)
      throw cause
    }
  }
}

function tooSlow(what: string, milliseconds: number, cause: unknown) {
  return contractError('', `cannot be fetched: ${what} took longer than ${milliseconds} ms`, { cause })
}

async function fetched(url: URL, signal: AbortSignal, most: number): Promise<FetchedDocument> {
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    throw contractError('', `cannot be fetched: ${innermost(cause)}`, { cause })
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw contractError('', `cannot be fetched: the server answered with status ${response.status}`)
  }
  const text = await boundedText(response, most).catch((cause: unknown) => {
    if (!(cause instanceof ContractError)) throw cause
    throw contractError('', `cannot be fetched: ${cause.message}`, { cause })
  })
  return { text, url: new URL(response.url) }
}

/**
 * Reads the body of a response as text.
 * @param response a response whose body was not read
 * @param most the maximum size in bytes, after decompression
 * @throws ContractError when it is larger or not UTF-8
 */
export async function boundedText(response: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > most) throw contractError('', `it is larger than ${most} bytes`)
    parts.push(part)
  }
  return sourceText(Buffer.concat(parts))
}

/** Returns the innermost message: fetch itself only says "fetch failed". */
export function innermost(error: unknown): string {
  let here = error
  while (here instanceof Error && here.cause instanceof Error) here = here.cause
  if (!(here instanceof Error)) return String(here)
  return here.message || ('code' in here ? String(here.code) : here.name)
}

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
