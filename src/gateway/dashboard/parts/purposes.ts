const useCases = [
  'Wallet',
  'Exchange',
  'DeFi',
  'NFTs',
  'Games',
  'Payments',
  'Analytics',
  'Infrastructure',
  'Learning',
]
/** The one that there is. */
const nodeServices = ['JSON-RPC node API']

type Options = readonly (readonly [value: string, text: string])[]

const choice = (texts: readonly string[], said: string | undefined): Options => {
  const others = said && !texts.includes(said) ? [said] : []
  return [['', 'Not said'], ...[...texts, ...others].map((text) => [text, text] as const)]
}

/**
 * What a key can be said to be for (specification 4.3).
 * @param said what was said of it before, which stays a choice
 */
export const useCaseOptions = (said?: string): Options => choice(useCases, said)

/** Which service of a node a key can be said to use (specification 4.3). */
export const nodeServiceOptions = (said?: string): Options => choice(nodeServices, said)
