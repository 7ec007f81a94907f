export { type AnswerCall, createAnswers, createForwarder } from './answers.js'
export { findBlock } from './known-block.js'
export type { SingleCaller } from './method-code.js'
