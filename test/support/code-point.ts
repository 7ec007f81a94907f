import fc from 'fast-check'

const SURROGATES_FROM = 0xd8_00
const SURROGATES = 0x8_00
const MOST = 0x10_ff_ff

/** Any code point that is not a surrogate. The unit `binary` of fast-check first lists all million of them in a map. */
export const codePoint = fc
  .nat(MOST - SURROGATES)
  .map((at) => String.fromCodePoint(at < SURROGATES_FROM ? at : at + SURROGATES))
