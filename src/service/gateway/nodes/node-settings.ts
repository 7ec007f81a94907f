/** Settings of one node of a network. */
export interface NodeSettings {
  /**
   * URL of the node over http or https, with its path, query and credentials. Never logged or sent to
   * callers.
   */
  readonly url: string
  /** Name in logs, metrics and on the status page; `test-1` if the configuration has no name. */
  readonly name: string
  /**
   * Share of the calls among healthy nodes; a node of weight 0 is used only when no other node is available.
   */
  readonly weight: number
  /** Headers of every request to the node, such as an authorization. Never logged or sent to callers. */
  readonly headers: Readonly<Record<string, string>>
  /** Timeout of a call to the node, in milliseconds; at most the contract's `nodeTimeoutSeconds`. */
  readonly timeoutMs: number
}
