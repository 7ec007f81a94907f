/** What browsers on other pages may do with the service. Nothing here lets them send credentials. */
export interface CorsOptions {
  readonly allowHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
}

/** CORS as every contract gets it. */
export const defaultCors: CorsOptions = {
  allowHeaders: ['content-type', 'accept', 'authorization'],
  exposeHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After'],
}

/** The verbs of an RPC path, as `Allow` and `Access-Control-Allow-Methods` name them. */
export const ALLOWED_VERBS = 'POST, OPTIONS'

/** Headers that do not change from answer to answer; the lists hold names and values in turn. */
export interface FixedHeaders {
  /** On every answer with a body. */
  readonly json: readonly string[]
  /** On every answer without one. */
  readonly empty: readonly string[]
  /** On the answer to OPTIONS, besides those. */
  readonly preflight: Readonly<Record<string, string>>
}

/** Makes the fixed headers (Fetch standard, CORS protocol). */
export function fixedHeaders(cors: CorsOptions, maxAgeSeconds: number): FixedHeaders {
  const empty = [
    ...['access-control-allow-origin', '*'],
    ...['access-control-expose-headers', cors.exposeHeaders.join(', ')],
  ]
  return {
    empty,
    json: ['content-type', 'application/json', ...empty],
    preflight: {
      'access-control-allow-methods': ALLOWED_VERBS,
      'access-control-allow-headers': cors.allowHeaders.join(', '),
      'access-control-max-age': String(maxAgeSeconds),
    },
  }
}
