/**
 * The kinds of changes that OpenRPC and JSON Schema define, for programs. New kinds may be added; existing kinds keep
 * their meaning. `docs/compatibility.md` has rows for each kind, which a test proves.
 */
export const contractChangeKinds = [
  ...(['method-added', 'method-removed', 'method-deprecated', 'method-restored'] as const),
  ...(['param-added', 'param-removed', 'param-required', 'param-optional'] as const),
  ...(['param-moved', 'param-renamed', 'param-structure-changed'] as const),
  ...(['result-added', 'result-removed'] as const),
  ...(['error-added', 'error-removed', 'error-code-changed', 'error-message-changed'] as const),
  ...(['type-widened', 'type-narrowed', 'type-changed'] as const),
  ...(['values-added', 'values-removed', 'values-limited', 'values-unlimited'] as const),
  ...(['constraint-added', 'constraint-removed'] as const),
  ...(['constraint-tightened', 'constraint-loosened', 'constraint-changed'] as const),
  ...(['member-added', 'member-removed', 'member-required', 'member-optional'] as const),
  ...(['members-closed', 'members-opened'] as const),
  ...(['alternative-added', 'alternative-removed'] as const),
  ...(['schema-limited', 'schema-unlimited', 'schema-closed', 'schema-opened'] as const),
  ...(['default-added', 'default-removed', 'default-changed'] as const),
  ...(['reference-changed', 'documentation-changed'] as const),
  ...(['component-added', 'component-removed', 'component-renamed', 'component-changed'] as const),
  ...(['server-added', 'server-removed', 'server-changed'] as const),
] as const

/** The kinds of changes of extensions, whose meaning generated code does not know. */
export const extensionChangeKinds = [
  ...(['limit-added', 'limit-removed', 'limit-lowered', 'limit-raised', 'limit-changed'] as const),
  ...([
    'rule-added',
    'rule-removed',
    'rule-level-changed',
    'rule-scope-changed',
    'rule-text-changed',
  ] as const),
  ...(['network-added', 'network-removed', 'network-changed'] as const),
  ...(['failure-added', 'failure-removed', 'failure-changed'] as const),
  ...(['http-changed', 'envelope-changed', 'session-changed', 'extension-changed'] as const),
  ...(['effect-changed', 'cost-changed', 'batching-changed', 'lookup-changed', 'answer-changed'] as const),
  ...(['empty-changed', 'order-changed', 'volatility-changed', 'contract-addresses-changed'] as const),
  ...(['refusals-changed', 'laws-changed', 'scopes-changed', 'error-status-changed'] as const),
] as const

/** All kinds of changes. */
export const changeKinds = [...contractChangeKinds, ...extensionChangeKinds] as const

/** The kind of a change. */
export type ChangeKind = (typeof changeKinds)[number]
