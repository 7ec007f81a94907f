import { limits } from '@concordat/node-access-contract/contract'
import type { JsonValue } from '@concordat/rpc'
import {
  type Fault,
  type HttpReply,
  type HttpRequest,
  isList,
  isObject,
  jsonOf,
  jsonReply,
  rpcError,
  withBody,
} from 'concordat/conformance'
import { moved } from './quantities.js'

/** Changes the answer to a batch. Both bodies are parsed, which keeps small ids exact. */
const onBatch =
  (
    change: (
      answers: readonly JsonValue[],
      calls: readonly JsonValue[],
      reply: HttpReply,
    ) => HttpReply | readonly JsonValue[],
  ) =>
  () => ({
    reply(reply: HttpReply, request: HttpRequest): HttpReply {
      const answers = jsonOf(reply.body)
      const calls = jsonOf(request.body)
      if (!isList(answers) || !isList(calls)) return reply
      const changed = change(answers, calls, reply)
      if (changed === answers) return reply
      return isList(changed as JsonValue) ? withBody(reply, JSON.stringify(changed)) : (changed as HttpReply)
    },
  })

/** Faults in batches (specification 2.2 and 7.5; JSON-RPC 2.0, section 6). */
export const batchFaults: readonly Fault[] = [
  {
    name: 'batch-reversed',
    rule: 'batch.ordered',
    description: 'The answers of a batch come in the reverse order.',
    begin: onBatch((answers) => (answers.length > 1 ? answers.toReversed() : answers)),
  },
  {
    name: 'batch-answers-with-one-id-are-one',
    rule: 'batch.ordered',
    description: 'Items of a batch with the same id get one answer.',
    begin: onBatch((answers) => {
      const seen = new Set<string>()
      const kept = answers.filter((answer) => {
        const id = JSON.stringify(isObject(answer) ? answer['id'] : null)
        return !seen.has(id) && seen.add(id)
      })
      return kept.length === answers.length ? answers : kept
    }),
  },
  {
    name: 'batch-of-one-is-one-object',
    rule: 'batch.ordered',
    description: 'A batch of one request is answered with one object.',
    begin: onBatch((answers, _calls, reply) =>
      answers.length === 1 ? withBody(reply, JSON.stringify(answers[0])) : answers,
    ),
  },
  {
    name: 'reverts-of-a-batch-share-their-data',
    rule: 'batch.items-apart',
    description: 'All reverts of a batch have the data of the first one.',
    begin: onBatch((answers) => {
      const reverts = answers.flatMap((answer) => {
        const error = isObject(answer) ? answer['error'] : undefined
        return isObject(error) && error['code'] === 3 ? [error] : []
      })
      const [first] = reverts
      return reverts.length < 2 || first === undefined
        ? answers
        : answers.map((answer) =>
            isObject(answer) && reverts.some((error) => error === answer['error'])
              ? { ...answer, error: first }
              : answer,
          )
    }),
  },
  {
    name: 'too-large-batch-answered',
    rule: 'batch.limit',
    description: 'A batch of any size is processed.',
    begin: () => ({
      async reply(reply, request, forward) {
        const calls = jsonOf(request.body)
        if (reply.status !== 413 || !isList(calls)) return reply
        const answers: JsonValue[] = []
        for (let at = 0; at < calls.length; at += limits.batchItems) {
          const { body } = await forward(
            withBody(request, JSON.stringify(calls.slice(at, at + limits.batchItems))),
          )
          answers.push(...[jsonOf(body) ?? []].flat())
        }
        return jsonReply(reply, 200, JSON.stringify(answers))
      },
    }),
  },
  {
    name: 'full-batch-refused',
    rule: 'batch.limit',
    description: 'A batch with exactly the maximum number of requests is refused.',
    begin: onBatch((answers, calls, reply) =>
      calls.length === limits.batchItems
        ? jsonReply(reply, 413, rpcError(-32600, 'The batch holds too many requests'))
        : answers,
    ),
  },
  {
    name: 'empty-batch-is-an-empty-list',
    rule: 'batch.empty',
    description: 'An empty batch is answered with an empty list.',
    begin: () => ({
      reply: (reply, { body }) => {
        const calls = jsonOf(body)
        return isList(calls) && calls.length === 0 ? jsonReply(reply, 200, '[]') : reply
      },
    }),
  },
  {
    name: 'one-bad-item-refuses-the-batch',
    rule: 'batch.items-apart',
    description: 'A batch with one invalid item is refused as a whole.',
    begin: onBatch((answers, _calls, reply) =>
      answers.some((answer) => isObject(answer) && answer['error'])
        ? jsonReply(reply, 400, rpcError(-32600, 'The batch holds an invalid request'))
        : answers,
    ),
  },
  {
    name: 'every-discover-answered',
    rule: 'batch.discover-once',
    description: 'In a batch, every `rpc.discover` is answered with the document.',
    begin: onBatch((answers, calls) => {
      const isDiscover = (call: JsonValue | undefined) => isObject(call) && call['method'] === 'rpc.discover'
      const document = answers.find(
        (answer, at) => isDiscover(calls[at]) && isObject(answer) && answer['result'],
      )
      if (!isObject(document)) return answers
      return answers.map((answer, at) =>
        isDiscover(calls[at]) && isObject(answer) ? { ...document, id: answer['id'] ?? null } : answer,
      )
    }),
  },
  {
    name: 'later-items-are-a-block-behind',
    rule: 'batch.same-as-single',
    description: 'Every item of a batch but the first is answered by a node that is one block behind.',
    begin: onBatch((answers, calls) =>
      answers.map((answer, at) => (at > 0 ? behind(answer, calls[at]) : answer)),
    ),
  },
  {
    name: 'empty-list-in-a-batch-is-null',
    rule: 'batch.same-as-single',
    description: 'In a batch, an empty list of logs is null.',
    begin: onBatch((answers, calls) =>
      answers.map((answer, at) => {
        const call = calls[at]
        const isEmpty = isObject(answer) && isList(answer['result']) && answer['result'].length === 0
        return isEmpty && isObject(call) && call['method'] === 'eth_getLogs'
          ? { ...answer, result: null }
          : answer
      }),
    ),
  },
  {
    name: 'batch-is-a-block-behind',
    rule: 'batch.same-as-single',
    description: 'The items of a batch are answered by a node that is one block behind.',
    begin: onBatch((answers, calls) => answers.map((answer, at) => behind(answer, calls[at]))),
  },
]

/** Lowers the result of eth_blockNumber by one, as from a node that is one block behind. */
const behind = (answer: JsonValue, call: JsonValue | undefined): JsonValue =>
  isObject(call) && isObject(answer) && call['method'] === 'eth_blockNumber'
    ? { ...answer, result: moved(answer['result'], -1) }
    : answer
