export { type AnswerCache, type Asker, type CacheOutcome, createAnswerCache } from './answer-cache.js'
