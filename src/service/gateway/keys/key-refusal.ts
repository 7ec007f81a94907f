/** What refused a request whose key is known. `rotated`: the secret was replaced, and its grace period is over. */
export type RefusingRule = 'addresses' | 'origins' | 'tokens' | 'network' | 'disabled' | 'rotated'

const reasons: Readonly<Record<RefusingRule, string>> = {
  addresses: 'the client address is not on the list',
  origins: 'the origin is not on the list',
  tokens: 'the token is missing or invalid',
  network: 'its network is not served here',
  disabled: 'it is disabled',
  rotated: 'its secret was replaced',
}

/** The cause of the error of a request that was refused although its key is known. It says which key and rule. */
export class KeyRefusal extends Error {
  override readonly name = 'KeyRefusal'
  readonly keyId: string
  readonly rule: RefusingRule

  constructor(keyId: string, rule: RefusingRule) {
    super(`${reasons[rule]}, key ${keyId}`)
    this.keyId = keyId
    this.rule = rule
  }
}
