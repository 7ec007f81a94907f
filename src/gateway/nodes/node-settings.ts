/** One node of a network, as configuration names it. */
export interface NodeSettings {
  /** http or https, with path, query and credentials where the node wants them; never told to anybody. */
  readonly url: string
  /** What the node is called in logs, metrics and on the status page: `test-1` where configuration gives no name. */
  readonly name: string
  /** Share of the calls among healthy nodes; a node of weight 0 is asked only when no other can be. */
  readonly weight: number
  /** Headers of every request to it, such as an authorization; never told to anybody. */
  readonly headers: Readonly<Record<string, string>>
  /** How long a call to it may take, in milliseconds; the contract's `nodeTimeoutSeconds` at most. */
  readonly timeoutMs: number
}
