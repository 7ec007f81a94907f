/** A public key that verifies JSON Web Tokens (specification 5.5). */
export interface JwtKey {
  /** Unique within an API key. Tokens can refer to it as `kid`. */
  readonly id: string
  /** The only accepted algorithm, whatever a token's header says. */
  readonly algorithm: 'RS256' | 'ES256' | 'EdDSA'
  /** A JWK (RFC 7517), or PEM text (RFC 7468). */
  readonly publicKey: string | Readonly<Record<string, unknown>>
  /** Required value of `aud`; any value if absent. */
  readonly audience?: string
}

/** Access rules of an API key (specification 5.5). Absent members restrict nothing. */
export interface AccessRules {
  /** Client networks in CIDR notation. */
  readonly addresses?: readonly string[]
  /** Origins of pages, such as `https://example.com`. */
  readonly origins?: readonly string[]
  /** Contract addresses, in lower case. */
  readonly contracts?: readonly string[]
  readonly methods?: readonly string[]
  /** A token signed with one of these keys is required. */
  readonly jwt?: { readonly keys: readonly JwtKey[] }
}
