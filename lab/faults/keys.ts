import {
  answered,
  answeredFor,
  codeOf,
  type Fault,
  type FaultHooks,
  type HttpReply,
  type HttpRequest,
  headerOf,
  isList,
  isObject,
  jsonOf,
  jsonReply,
  pageReply,
  rpcError,
  statusBecomes,
  withBody,
  withHeader,
} from 'concordat/conformance'

/** Pattern of a key (specification 5). */
const KEY = /[A-Za-z0-9]{30}-[A-Z]$/

const pathOnly = (path: string) => path.split('?')[0] ?? path

const refusal = (reply: HttpReply, status: number, message: string) =>
  jsonReply(reply, status, rpcError(-32016, message))

/** Answers the last item of a batch with a result if the service refused it with a given code. */
const answeredInBatch = (code: number, isMeant: (request: HttpRequest) => boolean): FaultHooks => ({
  reply(reply, request) {
    const answers = jsonOf(reply.body)
    const last = isList(answers) ? answers.at(-1) : undefined
    const error = isObject(last) ? last['error'] : undefined
    if (!isList(answers) || !isObject(last) || !isMeant(request)) return reply
    if (!isObject(error) || error['code'] !== code) return reply
    const { id = null, jsonrpc = '2.0' } = last
    return withBody(reply, JSON.stringify([...answers.slice(0, -1), { jsonrpc, id, result: '0x1' }]))
  },
})

/** Faults in the handling of keys (specification 5). */
export const keyFaults: readonly Fault[] = [
  {
    name: 'path-in-any-case-served',
    rule: 'keys.missing',
    description: 'The part of the path before the key may have upper-case letters.',
    begin: () => ({
      request: (request) => {
        const [, before = '', rest = ''] = /^(.*\/)([^/]*)$/.exec(request.path) ?? []
        const path = `${before.toLowerCase()}${rest}`
        return path === request.path ? request : { ...request, path }
      },
    }),
  },
  {
    name: 'method-list-ignored',
    rule: 'keys.contract-list',
    description: 'A method that is not on the list of a key is answered.',
    begin: () => answeredFor(-32601, ['eth_blockNumber'], '0x1'),
  },
  {
    name: 'method-list-ignored-in-a-batch-over-v2',
    rule: 'keys.contract-list',
    description: 'In a batch over /v2/, a method that is not on the list of a key is answered.',
    begin: () => answeredInBatch(-32601, ({ path }) => path.startsWith('/v2/')),
  },
  {
    name: 'contract-list-ignored-at-the-end-of-a-batch',
    rule: 'keys.contract-list-applies',
    description: 'The last item of a batch is answered, although its contract is not on the list of the key.',
    begin: () => answeredInBatch(-32016, () => true),
  },
  {
    name: 'contract-list-ignored-for-upper-case',
    rule: 'keys.contract-list-applies',
    description: 'An address in upper case is answered, although it is not on the list of the key.',
    begin: () => ({
      answer: (answer, { params }) =>
        codeOf(answer) === -32016 && /"0x[0-9]*[A-F]/.test(JSON.stringify(params))
          ? answered(answer, '0x')
          : answer,
    }),
  },
  {
    name: 'contract-list-ignored-for-state',
    rule: 'keys.contract-list-applies',
    description: 'State of a contract that is not on the list of a key is answered.',
    begin: () => answeredFor(-32016, ['eth_getBalance', 'eth_getCode', 'eth_getStorageAt'], '0x'),
  },
  {
    name: 'contract-list-ignored-for-calls',
    rule: 'keys.contract-list-applies',
    description: 'Calls to a contract that is not on the list of a key are answered.',
    begin: () => answeredFor(-32016, ['eth_call', 'eth_estimateGas'], '0x'),
  },
  {
    name: 'contract-list-ignored-for-logs',
    rule: 'keys.contract-list-applies',
    description: 'A filter without an address is answered, even if the key has a list of contracts.',
    begin: () => answeredFor(-32016, ['eth_getLogs'], []),
  },
  {
    name: 'any-origin-echoed',
    rule: 'keys.origin-list',
    description: 'For a key with a list of origins, answers allow any origin.',
    begin: () => ({
      reply: (reply) =>
        headerOf(reply.headers, 'vary') === undefined
          ? reply
          : { ...reply, headers: withHeader(reply.headers, 'access-control-allow-origin', '*') },
    }),
  },
  {
    name: 'origin-compared-by-its-beginning',
    rule: 'keys.origin-list',
    description: 'An origin that only starts with a listed origin of the key is accepted.',
    begin: () => ({
      reply: (reply, { headers }) =>
        reply.status === 403 && headerOf(headers, 'origin')?.startsWith('https://allowed.example') === true
          ? jsonReply(reply, 200, rpcError(-32601, 'No such method'))
          : reply,
    }),
  },
  {
    name: 'unsigned-token-taken',
    rule: 'keys.jwt',
    description: 'A token with the algorithm "none" is accepted.',
    begin: () => ({
      reply: (reply, { headers }) =>
        reply.status === 401 && headerOf(headers, 'authorization')?.endsWith('.') === true
          ? jsonReply(reply, 200, rpcError(-32601, 'No such method'))
          : reply,
    }),
  },
  {
    name: 'client-list-refused-as-a-key',
    rule: 'keys.client-list',
    description: 'A client that is not on the list of a key is refused with 401.',
    begin: () => statusBecomes(401, ({ status }) => status === 403),
  },
  {
    name: 'malformed-key-told-apart',
    rule: 'keys.refused-alike',
    description: 'A malformed key is refused with a different message and status.',
    begin: () => ({
      reply: (reply, { path, verb }) =>
        verb === 'POST' && reply.status === 401 && pathOnly(path).length > 1 && !KEY.test(pathOnly(path))
          ? refusal(reply, 400, 'This is no API key')
          : reply,
    }),
  },
  {
    name: 'unknown-key-told-apart',
    rule: 'keys.refused-alike',
    description: 'An unknown key of valid form is refused with a different message.',
    begin: () => ({
      reply: (reply, { path }) =>
        reply.status === 401 && KEY.test(pathOnly(path))
          ? refusal(reply, 401, 'There is no such API key')
          : reply,
    }),
  },
  {
    name: 'network-not-served-refused-alike',
    rule: 'keys.network-served',
    description: 'A key of a network that is not served is refused like an unknown key.',
    begin: () => ({
      reply: (reply) =>
        reply.status === 401 && Buffer.from(reply.body).includes('does not serve')
          ? refusal(reply, 401, 'This API key is not accepted')
          : reply,
    }),
  },
  {
    name: 'revoked-key-accepted',
    rule: 'keys.change-takes-effect',
    description: 'A deleted key still works.',
    begin: () => {
      let accepted: string | undefined
      return {
        async reply(reply, request, forward) {
          const { path, verb } = request
          if (verb !== 'POST') return reply
          if (reply.status !== 401) {
            accepted = path
            return reply
          }
          return accepted !== undefined && KEY.test(pathOnly(path))
            ? await forward({ ...request, path: accepted })
            : reply
        },
      }
    },
  },
  {
    name: 'case-of-a-key-ignored',
    rule: 'keys.format',
    description: 'Keys are case-insensitive.',
    begin: () => {
      const accepted = new Set<string>()
      return {
        async reply(reply, request, forward) {
          if (reply.status !== 401) accepted.add(request.path)
          const same = [...accepted].find((path) => path.toLowerCase() === request.path.toLowerCase())
          return reply.status === 401 && same !== undefined
            ? await forward({ ...request, path: same })
            : reply
        },
      }
    },
  },
  {
    name: 'v2-form-is-404',
    rule: 'keys.v2-form',
    description: 'The path /v2/{key} does not exist.',
    begin: () => ({
      reply: (reply, { path }) => (path.startsWith('/v2/') ? pageReply(reply, 404, 'Not Found') : reply),
    }),
  },
  {
    name: 'missing-key-is-404',
    rule: 'keys.missing',
    description: 'A request without a key is answered with 404.',
    begin: () => ({
      reply: (reply, { path, verb }) =>
        verb === 'POST' && reply.status === 401 && ['/', '/v2', '/v2/', '/json-rpc'].includes(pathOnly(path))
          ? refusal(reply, 404, 'Not Found')
          : reply,
    }),
  },
  {
    name: 'query-breaks-the-key',
    rule: 'keys.query-ignored',
    description: 'A query string counts as part of the key, which is refused.',
    begin: () => ({
      reply: (reply, { path }) =>
        path.includes('?') ? refusal(reply, 401, 'This API key is not accepted') : reply,
    }),
  },
  {
    name: 'slash-breaks-the-key',
    rule: 'keys.trailing-slash',
    description: 'A request with a slash after the key is answered as one without a key.',
    begin: () => ({
      reply: (reply, { path }) =>
        /-[A-Z]\/$/.test(pathOnly(path)) ? refusal(reply, 401, 'An API key is required') : reply,
    }),
  },
  {
    name: 'unknown-path-is-404',
    rule: 'keys.missing',
    description: 'An unknown path is answered with 404.',
    begin: () => ({
      reply: (reply, { path }) =>
        reply.status === 401 && /^\/(?!v2\/|json-rpc\/)[^/]+\/./.test(pathOnly(path))
          ? pageReply(reply, 404, 'Not Found')
          : reply,
    }),
  },
  {
    name: 'refusal-repeats-the-key',
    rule: 'keys.never-logged',
    description: 'The refusal of a key contains the key.',
    begin: () => ({
      reply: (reply, { path }) =>
        reply.status === 401 ? refusal(reply, 401, `${pathOnly(path).slice(1)} is not accepted`) : reply,
    }),
  },
  {
    name: 'call-error-repeats-the-key',
    rule: 'keys.never-logged',
    description: 'The message of a failed call contains the key.',
    begin: () => ({
      reply: (reply, { path }) => {
        const answer = reply.status === 200 ? jsonOf(reply.body) : undefined
        const error = isObject(answer) ? answer['error'] : undefined
        if (!isObject(answer) || !isObject(error)) return reply
        const message = `${error['message']} (${pathOnly(path)})`
        return withBody(reply, JSON.stringify({ ...answer, error: { ...error, message } }))
      },
    }),
  },
  {
    name: 'header-repeats-the-key',
    rule: 'keys.never-logged',
    description: 'A header of batch answers contains the key.',
    begin: () => ({
      reply: (reply, { path }) =>
        isList(jsonOf(reply.body))
          ? { ...reply, headers: withHeader(reply.headers, 'x-upstream-path', pathOnly(path)) }
          : reply,
    }),
  },
  {
    name: 'refusals-not-limited',
    rule: 'keys.refusals-limited',
    description: 'The number of refused keys is not limited.',
    begin: () => ({
      reply: (reply) =>
        reply.status === 429 && Buffer.from(reply.body).includes('-32016')
          ? refusal(reply, 401, 'This API key is not accepted')
          : reply,
    }),
  },
]
