/** Statements that generated code passes on by their names. */
export const namedStatement =
  /^info\/(?:x-limits\/([^/]+)\/(?:value|from|prefix|each)|x-http\/(paths|pages|requestId)(?:\/|$)|x-networks\/[^/]+\/(\w+))/
