import fc from 'fast-check'

const SURROGATES_FROM = 0xd8_00
const SURROGATES = 0x8_00
const MOST = 0x10_ff_ff

/** Any code point except surrogates. fast-check's own unit `binary` first builds a map of a million code points. */
export const codePoint = fc
  .nat(MOST - SURROGATES)
  .map((at) => String.fromCodePoint(at < SURROGATES_FROM ? at : at + SURROGATES))
