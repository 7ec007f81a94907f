/** A public key that a caller's JSON Web Tokens may be signed with (specification 5.5). */
export interface JwtKey {
  /** What the key is called among those of one API key; a token may name it as `kid`. */
  readonly id: string
  /** Fixed here, never taken from a token. */
  readonly algorithm: 'RS256' | 'ES256' | 'EdDSA'
  /** A JWK (RFC 7517), or PEM text (RFC 7468). */
  readonly publicKey: string | Readonly<Record<string, unknown>>
  /** What a token's `aud` must hold; any when absent. */
  readonly audience?: string
}

/** Who may use an API key, and for what (specification 5.5); an absent member restricts nothing. */
export interface AccessRules {
  /** Networks of client addresses, as CIDR. */
  readonly addresses?: readonly string[]
  /** Origins of pages, such as `https://example.com`. */
  readonly origins?: readonly string[]
  /** Contract addresses, in lower case. */
  readonly contracts?: readonly string[]
  readonly methods?: readonly string[]
  /** A token signed with one of these keys is required. */
  readonly jwt?: { readonly keys: readonly JwtKey[] }
}
