import { limits } from '@concordat/node-access-contract/contract'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import {
  answered,
  type Call,
  type CallAnswer,
  codeBecomes,
  codeOf,
  type Fault,
  type FaultHooks,
  type HttpReply,
  isObject,
  jsonOf,
  jsonReply,
  onError,
  refused,
  rpcError,
  statusBecomes,
  withBody,
} from 'concordat/conformance'

/** Changes the numeric ids of answers. */
const onNumberId = (change: (idText: string) => string): FaultHooks => ({
  answer: (answer) => {
    const { idText = 'null' } = answer
    const changed = /^-?\d+$/.test(idText) ? change(idText) : idText
    return changed === idText ? answer : { ...answer, idText: changed }
  },
})

/** Rejects single requests as invalid requests. */
const refusing = (isMeant: (text: string, request: JsonObject) => boolean): FaultHooks => ({
  reply(reply, { body }) {
    const request = jsonOf(body)
    const isRefused = isObject(request) && reply.status === 200 && isMeant(textOf(body), request)
    return isRefused ? jsonReply(reply, 400, rpcError(-32600, 'Invalid request')) : reply
  },
})

/** Repairs a call that the service would reject, and answers with the client's original id. */
const letThrough = (isMeant: (call: Call) => boolean, mended: (call: Call) => Call): FaultHooks => ({
  call: (call) => (isMeant(call) ? mended(call) : call),
  answer: (answer, call) => (isMeant(call) ? { ...answer, idText: call.idText ?? 'null' } : answer),
})

/** Answers as in JSON-RPC 1.0 with both members, one of them null. */
const bothMembers = (answer: CallAnswer): CallAnswer => ({
  ...answer,
  result: answer.result ?? null,
  error: answer.error ?? null,
})

/** Faults in the envelope of requests and answers (specification 2.2; JSON-RPC 2.0, sections 4 and 5). */
export const envelopeFaults: readonly Fault[] = [
  {
    name: 'id-becomes-a-string',
    rule: 'envelope.id-echoed',
    description: 'A numeric id is echoed as a string.',
    begin: () => onNumberId((idText) => `"${idText}"`),
  },
  {
    name: 'id-digits-lost',
    rule: 'envelope.id-echoed',
    description: 'An id above 2^53 loses its last digits.',
    begin: () =>
      onNumberId((idText) =>
        Number.isSafeInteger(Number(idText)) ? idText : JSON.stringify(Number(idText)),
      ),
  },
  {
    name: 'id-of-another-request',
    rule: 'envelope.id-echoed',
    description: 'An answer has the id of the next request.',
    begin: () => onNumberId((idText) => String(BigInt(idText) + 1n)),
  },
  {
    name: 'equal-ids-in-flight-share-an-answer',
    rule: 'envelope.id-echoed',
    description: 'Requests that are in flight with the same id all get the answer to the first one.',
    begin: () => {
      const inFlight = new Map<string, Promise<HttpReply>>()
      return {
        async exchange(request, forward) {
          const call = jsonOf(request.body)
          const id = isObject(call) ? JSON.stringify(call['id'] ?? null) : 'null'
          const first = inFlight.get(id)
          if (id !== 'null' && first !== undefined) return { reply: await first, isChanged: true }
          const own = forward(request).finally(() => inFlight.delete(id))
          inFlight.set(id, own)
          return { reply: await own, isChanged: false }
        },
      }
    },
  },
  {
    name: 'string-id-refused',
    rule: 'envelope.id-string',
    description: 'A string id is refused.',
    begin: () => ({
      answer: (answer, { idText }) =>
        idText?.startsWith('"')
          ? { ...refused(answer, -32600, 'The id must be an integer'), idText: 'null' }
          : answer,
    }),
  },
  {
    name: 'string-id-becomes-a-number',
    rule: 'envelope.id-string',
    description: 'A string id of digits is echoed as a number, any other string as 0.',
    begin: () => ({
      answer: (answer) => {
        const [, digits = '0'] = /^"(\d*)"$/.exec(answer.idText ?? '') ?? []
        return answer.idText?.startsWith('"') ? { ...answer, idText: String(Number(digits)) } : answer
      },
    }),
  },
  {
    name: 'string-id-beyond-latin-1-garbled',
    rule: 'envelope.id-string',
    description: 'Characters beyond Latin-1 in a string id are echoed as question marks.',
    begin: () => ({
      answer(answer) {
        const idText = answer.idText?.replaceAll(/[\u0100-\uffff]/g, '?')
        return idText === answer.idText ? answer : { ...answer, idText }
      },
    }),
  },
  {
    name: 'null-id-answered',
    rule: 'envelope.id-type',
    description: 'A request whose id is null, a fraction or true is processed.',
    begin: () =>
      letThrough(
        ({ idText = '0' }) => /^(null|true|false|-?\d+\.\d+)$/.test(idText),
        (call) => ({ ...call, idText: '0' }),
      ),
  },
  {
    name: 'missing-id-answered',
    rule: 'envelope.id-required',
    description: 'A request without an id is processed.',
    begin: () =>
      letThrough(
        ({ idText }) => idText === undefined,
        (call) => ({ ...call, idText: '0' }),
      ),
  },
  {
    name: 'version-not-checked',
    rule: 'envelope.version',
    description: 'A request without jsonrpc "2.0" is processed.',
    begin: () =>
      letThrough(
        ({ jsonrpc }) => jsonrpc !== '2.0',
        (call) => ({ ...call, jsonrpc: '2.0' }),
      ),
  },
  {
    name: 'named-params-accepted',
    rule: 'envelope.params-by-position',
    description: 'Parameters by name are used in the order of the object.',
    begin: () =>
      letThrough(
        ({ params }) => isObject(params),
        (call) => ({ ...call, params: Object.values(call.params as JsonObject) as JsonValue[] }),
      ),
  },
  {
    name: 'absent-params-refused',
    rule: 'envelope.params-absent',
    description: 'A request without params is refused.',
    begin: () => ({
      answer: (answer, { params }) =>
        params === undefined ? refused(answer, -32600, 'params must be a list') : answer,
    }),
  },
  {
    name: 'result-and-error-both-there',
    rule: 'envelope.response',
    description: 'Answers have both result and error, one of them null.',
    begin: () => ({ answer: bothMembers }),
  },
  {
    name: 'null-result-left-out',
    rule: 'envelope.response',
    description: 'An answer with a null result lacks the member result.',
    begin: () => ({
      answer: (answer) => (answer.result === null ? { ...answer, result: undefined } : answer),
    }),
  },
  {
    name: 'answer-without-version',
    rule: 'envelope.response',
    description: 'Answers lack jsonrpc.',
    begin: () => ({ answer: (answer) => ({ ...answer, jsonrpc: undefined }) }),
  },
  {
    name: 'error-code-is-a-string',
    rule: 'envelope.error-object',
    description: 'Error codes are strings.',
    begin: () =>
      onError((error, answer) => ({ ...answer, error: { ...error, code: String(error['code']) } })),
  },
  {
    name: 'error-tells-a-stack',
    rule: 'envelope.no-internals',
    description: 'The data of an error is a stack trace of the server.',
    begin: () =>
      onError((error, answer) => ({
        ...answer,
        error: { ...error, data: 'Error\n    at callMethod (/srv/app/dist/server/run-call.js:31:11)' },
      })),
  },
  {
    name: 'error-of-a-node-names-it',
    rule: 'envelope.no-internals',
    description: 'The message of a refused call has the address of the node.',
    begin: () =>
      onError((error, answer) =>
        error['code'] === -32003
          ? { ...answer, error: { ...error, message: `${error['message']} (http://10.0.0.7:4444)` } }
          : answer,
      ),
  },
  {
    name: 'unparsable-body-is-200',
    rule: 'envelope.parse-error',
    description: 'A body that is not JSON is answered with HTTP 200.',
    begin: () => statusBecomes(200, isParseError),
  },
  {
    name: 'unparsable-body-is-an-invalid-request',
    rule: 'envelope.parse-error',
    description: 'A body that is not JSON is answered with -32600.',
    begin: () => ({
      reply: (reply) =>
        isParseError(reply) ? withBody(reply, textOf(reply.body).replace('-32700', '-32600')) : reply,
    }),
  },
  {
    name: 'nesting-overflows',
    rule: 'envelope.nesting-limit',
    description: 'A body that is nested too deeply causes an internal error.',
    begin: () => ({
      reply: (reply, { body }) =>
        reply.status === 400 && textOf(body).includes('['.repeat(limits.nestingDepth - 4))
          ? { ...withBody(reply, internalError), status: 500 }
          : reply,
    }),
  },
  {
    name: 'unknown-method-has-another-code',
    rule: 'envelope.unknown-method',
    description: 'An unknown method is answered with -32600.',
    begin: () => codeBecomes(-32601, -32600),
  },
  {
    name: 'unknown-method-in-other-words',
    rule: 'envelope.unknown-method',
    description: 'The error of an unknown method has a message that programs do not recognise.',
    begin: () => ({
      answer: (answer) =>
        codeOf(answer) === -32601
          ? { ...answer, error: { code: -32601, message: 'Method not found' } }
          : answer,
    }),
  },
  {
    name: 'unknown-method-is-null',
    rule: 'envelope.unknown-method',
    description: 'An unknown method is answered with null.',
    begin: () => ({ answer: (answer) => (codeOf(answer) === -32601 ? answered(answer, null) : answer) }),
  },
  {
    name: 'duplicate-members-refused',
    rule: 'envelope.duplicate-members',
    description: 'A request with a duplicate member is refused.',
    begin: () => refusing((text) => /"id":.*"id":/.test(text) && text.startsWith('{')),
  },
  {
    name: 'unknown-members-refused',
    rule: 'envelope.unknown-members',
    description: 'A request with members that the envelope does not define is refused.',
    begin: () =>
      refusing((_text, request) =>
        Object.keys(request).some((name) => !['jsonrpc', 'id', 'method', 'params'].includes(name)),
      ),
  },
  {
    name: 'method-of-another-type-not-found',
    rule: 'envelope.method',
    description: 'A method that is not a string is treated as an unknown method.',
    begin: () => ({
      reply: (reply, { body }) => {
        const request = jsonOf(body)
        return isObject(request) && typeof request['method'] !== 'string' && reply.status === 400
          ? jsonReply(reply, 200, textOf(reply.body).replace('-32600', '-32601'))
          : reply
      },
    }),
  },
  {
    name: 'scalar-body-is-unparsable',
    rule: 'envelope.method',
    description: 'A body that is a number, a string, a boolean or null is treated as invalid JSON.',
    begin: () => ({
      reply: (reply, { body }) => {
        const request = jsonOf(body)
        return request !== undefined && (request === null || typeof request !== 'object')
          ? withBody(reply, textOf(reply.body).replace('-32600', '-32700'))
          : reply
      },
    }),
  },
  {
    name: 'nesting-limit-one-too-low',
    rule: 'envelope.nesting-limit',
    description: 'A body nested exactly to the limit is refused.',
    begin: () =>
      refusing(
        (text) =>
          text.includes('['.repeat(limits.nestingDepth - 1)) &&
          !text.includes('['.repeat(limits.nestingDepth)),
      ),
  },
  {
    name: 'many-values-overflow',
    rule: 'envelope.value-limit',
    description: 'A body with too many values causes an internal error.',
    begin: () => ({
      reply: (reply, { body }) =>
        reply.status === 413 && textOf(body).includes('0,'.repeat(1_000))
          ? { ...withBody(reply, internalError), status: 500 }
          : reply,
    }),
  },
  {
    name: 'value-limit-one-too-low',
    rule: 'envelope.value-limit',
    description: 'A body with exactly the maximum number of values is refused.',
    begin: () => refusing((text) => text.includes('0,'.repeat(limits.bodyValues - 10))),
  },
  {
    name: 'scalar-params-mean-none',
    rule: 'envelope.params-by-position',
    description: 'Parameters that are null, a string, a number or a boolean are treated as absent.',
    begin: () =>
      letThrough(
        ({ params }) => params !== undefined && (params === null || typeof params !== 'object'),
        (call) => ({ ...call, params: [] }),
      ),
  },
]

const isParseError = ({ status, body }: HttpReply) => status === 400 && textOf(body).includes('"code":-32700')

const textOf = (body: Uint8Array) => Buffer.from(body).toString()

const internalError =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Maximum call stack size exceeded"}}'
