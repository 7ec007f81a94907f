export { createAnswerRoom } from './answers/answer-waits.js'
export { DroppedMembers } from './answers/dropped-members.js'
export { normalise, normaliseResult } from './answers/normalise-result.js'
export { type ObjectShape, resultShapes } from './answers/result-shape.js'
export { isNewest } from './head-of-call.js'
export type {
  CallSignal,
  LogFlow,
  LogReceiver,
  LogText,
  NodeAnswer,
  NodeCall,
  NodeCallers,
  NodeCallOptions,
  NodeError,
  NodeSpan,
  NodeTrace,
  WrittenParams,
} from './node-call.js'
export { NodeCallLimiter } from './node-call-limiter.js'
export type { NodeSettings } from './node-settings.js'
export { type NetworkReadiness, type NodeCallEvent, type NodeStatus, nodeStates } from './node-status.js'
export { poolSettings } from './pool/pool-settings.js'
export { createReplaceableUpstream, createUpstream, type Upstream, type UpstreamOptions } from './upstream.js'
