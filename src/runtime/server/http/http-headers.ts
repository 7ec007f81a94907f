import { checkHeaders } from '../protocol/encode-answer.js'
import type { Limits } from '../protocol/limits.js'

/** CORS settings. Credentials are never allowed. */
export interface CorsOptions {
  /** The origin whose pages may read responses, `*` for all, or null for none. */
  readonly allowOrigin: string | null
  /** `*` allows all headers but `authorization`. Browsers that do not know `*` need the names. */
  readonly allowHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
}

/** The default CORS settings. */
export const defaultCors: CorsOptions = {
  allowOrigin: '*',
  allowHeaders: ['content-type', 'accept', 'authorization', '*'],
  exposeHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After'],
}

/** The verbs of an RPC path, for `Allow` and `Access-Control-Allow-Methods`. */
export const ALLOWED_VERBS = 'POST, OPTIONS'

/** Headers that are the same in every response. Lists contain names and values alternately. */
export interface FixedHeaders {
  /** Headers of responses with a body. */
  readonly json: readonly string[]
  /** Headers of responses without a body. */
  readonly empty: readonly string[]
  /** Additional headers of the OPTIONS response. */
  readonly preflight: Readonly<Record<string, string>>
}

const jsonType: readonly string[] = ['content-type', 'application/json']

/**
 * Creates the fixed headers (Fetch standard, CORS protocol).
 * @throws TypeError for a CORS setting that cannot be sent
 */
export function fixedHeaders(
  cors: Partial<CorsOptions> = {},
  { corsMaxAgeSeconds }: Pick<Limits, 'corsMaxAgeSeconds'>,
): FixedHeaders {
  const {
    allowOrigin = defaultCors.allowOrigin,
    allowHeaders = defaultCors.allowHeaders,
    exposeHeaders = defaultCors.exposeHeaders,
  } = cors
  if (allowOrigin === null) return { empty: [], json: jsonType, preflight: { allow: ALLOWED_VERBS } }
  checkHeaders({ allowOrigin, allowHeaders: allowHeaders.join(), exposeHeaders: exposeHeaders.join() })
  const empty = [
    ...['access-control-allow-origin', allowOrigin],
    ...['access-control-expose-headers', exposeHeaders.join(', ')],
  ]
  return {
    empty,
    json: [...jsonType, ...empty],
    preflight: {
      'access-control-allow-methods': ALLOWED_VERBS,
      'access-control-allow-headers': allowHeaders.join(', '),
      'access-control-max-age': String(corsMaxAgeSeconds),
    },
  }
}
