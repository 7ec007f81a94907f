import { STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import { limits } from '@concordat/node-access-contract/contract'
import {
  answered,
  codeOf,
  type Fault,
  type FaultHooks,
  type HttpReply,
  headerOf,
  isList,
  isObject,
  jsonOf,
  jsonReply,
  onObject,
  pageReply,
  rpcError,
  statusBecomes,
  withBody,
  withHeader,
  withoutHeader,
} from 'concordat/conformance'

const ORIGIN = 'access-control-allow-origin'
const ALLOWED = 'access-control-allow-headers'
const EXPOSED = 'access-control-expose-headers'

/** Error of a response that is not a batch. */
const errorOf = ({ body }: HttpReply) => {
  const answer = jsonOf(body)
  return isObject(answer) && isObject(answer['error']) ? answer['error'] : undefined
}

/** Sets the content type of responses to text/plain. */
const plainText = (isMeant: (reply: HttpReply) => boolean): FaultHooks => ({
  reply: (reply) =>
    isMeant(reply) ? { ...reply, headers: withHeader(reply.headers, 'content-type', 'text/plain') } : reply,
})

const isBatchAnswer = ({ body }: HttpReply) => isList(jsonOf(body))

/** Compresses a response with gzip. */
function compressed(reply: HttpReply): HttpReply {
  const body = gzipSync(reply.body)
  const headers = withHeader(reply.headers, 'content-encoding', 'gzip')
  const isChunked = headerOf(headers, 'transfer-encoding') !== undefined
  return {
    ...reply,
    body,
    headers: isChunked ? headers : withHeader(headers, 'content-length', `${body.length}`),
  }
}

/** Faults in HTTP: statuses, verbs and headers (specification 7.5; Fetch standard, CORS protocol). */
export const httpFaults: readonly Fault[] = [
  {
    name: 'cors-header-missing',
    rule: 'http.cors',
    description: 'Answers do not allow other origins, so browsers hide them.',
    begin: () => withoutHeader(ORIGIN),
  },
  {
    name: 'limit-headers-not-exposed',
    rule: 'http.cors',
    description: 'Web pages of other origins cannot read the limit headers.',
    begin: () => withoutHeader(EXPOSED),
  },
  {
    name: 'cors-on-good-answers-only',
    rule: 'http.cors',
    description: 'Answers with an error status do not allow other origins.',
    begin: () => withoutHeader(ORIGIN, ({ status }) => status >= 400),
  },
  {
    name: 'preflight-is-404',
    rule: 'http.preflight',
    description: 'OPTIONS is answered with 404.',
    begin: () => ({
      reply: (reply, { verb }) => (verb === 'OPTIONS' ? pageReply(reply, 404, 'Not Found') : reply),
    }),
  },
  {
    name: 'preflight-refuses-tracing',
    rule: 'http.preflight',
    description: 'OPTIONS does not allow the headers that tracing in browsers adds.',
    begin: () => ({
      reply: (reply, { verb }) =>
        verb === 'OPTIONS'
          ? { ...reply, headers: withHeader(reply.headers, ALLOWED, 'content-type, accept, authorization') }
          : reply,
    }),
  },
  {
    name: 'preflight-needs-a-key',
    rule: 'http.preflight',
    description: 'OPTIONS without a key is answered with 401.',
    begin: () => ({
      reply: (reply, { verb, path }) =>
        verb === 'OPTIONS' && path.length < 20
          ? jsonReply(reply, 401, rpcError(-32016, 'An API key is required'))
          : reply,
    }),
  },
  {
    name: 'call-error-is-400',
    rule: 'http.call-error-200',
    description: 'An error of one call is answered with HTTP 400.',
    begin: () => statusBecomes(400, (reply) => reply.status === 200 && errorOf(reply) !== undefined),
  },
  {
    name: 'revert-is-500',
    rule: 'http.call-error-200',
    description: 'A revert is answered with HTTP 500.',
    begin: () => statusBecomes(500, (reply) => errorOf(reply)?.['code'] === 3),
  },
  {
    name: 'cors-missing-from-batches',
    rule: 'http.cors',
    description: 'Answers to batches do not allow other origins.',
    begin: () => withoutHeader(ORIGIN, isBatchAnswer),
  },
  {
    name: 'content-type-missing-from-batches',
    rule: 'http.json-answers',
    description: 'Answers to batches have no content type.',
    begin: () => withoutHeader('content-type', isBatchAnswer),
  },
  {
    name: 'results-are-plain-text',
    rule: 'http.json-answers',
    description: 'Results have the content type text/plain.',
    begin: () => plainText(({ status }) => status === 200),
  },
  {
    name: 'answers-always-compressed',
    rule: 'http.compression',
    description: 'Answers are compressed with gzip, whatever the request accepts.',
    begin: () => ({
      reply: (reply) => (reply.body.length === 0 ? reply : compressed(reply)),
    }),
  },
  {
    name: 'errors-are-pages',
    rule: 'http.json-errors',
    description: 'Answers with an error status are HTML.',
    begin: () => ({
      reply: (reply) =>
        reply.status >= 400 ? pageReply(reply, reply.status, STATUS_CODES[reply.status] ?? '') : reply,
    }),
  },
  {
    name: 'errors-are-plain-text',
    rule: 'http.json-errors',
    description: 'Answers with an error status have the content type text/plain.',
    begin: () => plainText(({ status }) => status >= 400),
  },
  {
    name: 'get-answers-a-page',
    rule: 'http.verbs',
    description: 'GET is answered with a status page.',
    begin: () => ({
      reply: (reply, { verb }) => (verb === 'GET' ? pageReply(reply, 200, 'It works') : reply),
    }),
  },
  {
    name: 'allow-header-missing',
    rule: 'http.verbs',
    description: 'The refusal of a verb does not list the allowed verbs.',
    begin: () => withoutHeader('allow', ({ status }) => status === 405),
  },
  {
    name: 'any-content-type-accepted',
    rule: 'http.media-type',
    description: 'The content type of a request is not checked.',
    begin: () => ({
      request: (request) =>
        request.verb === 'POST' && headerOf(request.headers, 'content-type') !== 'application/json'
          ? { ...request, headers: withHeader(request.headers, 'content-type', 'application/json') }
          : request,
    }),
  },
  {
    name: 'large-body-is-an-internal-error',
    rule: 'http.body-limit',
    description: 'A body over the limit is answered with 500.',
    begin: () => ({
      reply: (reply, { body }) =>
        reply.status === 413 && body.length > limits.bodyBytes
          ? jsonReply(reply, 500, rpcError(-32603, 'request entity too large'))
          : reply,
    }),
  },
  {
    name: 'unread-body-is-a-broken-connection',
    rule: 'http.refused-body',
    description: 'A large body that is refused unread breaks the connection, which proxies answer with 502.',
    begin: () => ({
      reply: (reply, { body }) =>
        reply.status === 415 && body.length > limits.smallBodyBytes
          ? jsonReply(reply, 502, rpcError(-32603, 'bad gateway'))
          : reply,
    }),
  },
  {
    name: 'many-headers-are-400',
    rule: 'http.header-limit',
    description: 'Headers over the limit are answered with 400.',
    begin: () => statusBecomes(400, ({ status }) => status === 431),
  },
  {
    name: 'accept-is-checked',
    rule: 'http.accept-ignored',
    description: 'A request that does not accept JSON is answered with 406.',
    begin: () => ({
      reply: (reply, { headers }) =>
        /json|\*\/\*/.test(headerOf(headers, 'accept') ?? '*/*')
          ? reply
          : jsonReply(reply, 406, rpcError(-32600, 'Not Acceptable')),
    }),
  },
  {
    name: 'subscription-accepted',
    rule: 'http.no-events',
    description: 'eth_subscribe is answered with the number of a subscription.',
    begin: () => ({
      answer: (answer, { method }) =>
        method === 'eth_subscribe' && codeOf(answer) === -32601 ? answered(answer, '0x1') : answer,
    }),
  },
  {
    name: 'discovered-document-is-another',
    rule: 'http.discover',
    description: 'rpc.discover returns a document without servers.',
    begin: () => onObject(['rpc.discover'], ({ servers: _servers, ...document }) => document),
  },
  {
    name: 'discovered-document-is-short',
    rule: 'http.discover',
    description: 'rpc.discover returns methods without the members that all of them have.',
    begin: () =>
      onObject(['rpc.discover'], (document) => ({
        ...document,
        methods: (isList(document['methods']) ? document['methods'] : []).map((method) => {
          if (!isObject(method)) return method
          const { errors: _errors, paramStructure: _structure, 'x-cost': _cost, ...own } = method
          return own
        }),
      })),
  },
  {
    name: 'discovered-document-tells-private-terms',
    rule: 'http.discover',
    description: 'rpc.discover returns the calls that the service makes to its nodes.',
    begin: () =>
      onObject(['rpc.discover'], (document) => ({
        ...document,
        info: { ...(isObject(document['info']) && document['info']), 'x-node-calls': {} },
      })),
  },
  {
    name: 'first-piece-of-the-body-only',
    rule: 'http.post',
    description: 'Only the first piece of a body that arrives in pieces is read.',
    begin: () => ({
      request: (request) =>
        request.firstPiece.length === request.body.length
          ? request
          : withBody(request, Buffer.from(request.firstPiece).toString()),
    }),
  },
  {
    name: 'charset-refused',
    rule: 'http.post',
    description: 'A content type with a charset is refused.',
    begin: () => ({
      reply: (reply, { headers }) =>
        /charset=utf-8/i.test(headerOf(headers, 'content-type') ?? '')
          ? jsonReply(reply, 415, rpcError(-32600, 'Unsupported Media Type'))
          : reply,
    }),
  },
  {
    name: 'encoded-body-is-unparsable',
    rule: 'http.media-type',
    description: 'A compressed body is read without decompression and refused as invalid JSON.',
    begin: () => ({
      reply: (reply, { headers }) =>
        reply.status === 415 && headerOf(headers, 'content-encoding') !== undefined
          ? jsonReply(reply, 400, rpcError(-32700, 'Parse error'))
          : reply,
    }),
  },
  {
    name: 'body-of-the-limit-refused',
    rule: 'http.body-limit',
    description: 'A body with exactly the maximum size is refused.',
    begin: () => ({
      reply: (reply, { body }) =>
        body.length === limits.bodyBytes
          ? jsonReply(reply, 413, rpcError(-32600, 'request entity too large'))
          : reply,
    }),
  },
]
