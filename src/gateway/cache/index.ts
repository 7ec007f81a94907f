export { type AnswerCache, type CacheOutcome, createAnswerCache } from './answer-cache.js'
export type { Asker } from './recent-calls.js'
