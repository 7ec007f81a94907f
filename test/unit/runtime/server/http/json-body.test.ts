import t from 'tap'
import { bodyProblem, isJsonBody } from '../../../../../src/runtime/server/http/json-body.js'

const json = 'application/json'

t.test('only UTF-8 JSON is accepted', async (t) => {
  const cases: { type: string | undefined; encoding?: string; want: boolean }[] = [
    { type: 'application/json', want: true },
    { type: 'Application/JSON', want: true },
    { type: ' application/json ', want: true },
    { type: 'application/json;charset=utf-8', want: true },
    { type: 'application/json; charset=UTF-8', want: true },
    { type: 'application/json; Charset="Utf-8"', want: true },
    { type: 'application/json ; charset = utf8', want: true },
    { type: 'application/json; version=1', want: true },
    { type: 'application/json;', want: true },
    { type: 'application/json; charset=UTF8; version=1', want: true },
    { type: 'application/json', encoding: 'identity', want: true },
    { type: 'application/json', encoding: 'Identity', want: true },
    { type: 'application/json', encoding: ' identity ', want: true },
    { type: undefined, want: false },
    { type: '', want: false },
    { type: 'application/jsonp', want: false },
    { type: 'application/json-rpc', want: false },
    { type: 'application/json, text/plain', want: false },
    { type: 'text/plain', want: false },
    { type: 'text/json', want: false },
    { type: 'application/json; charset=iso-8859-1', want: false },
    { type: 'application/json; charset=utf-16', want: false },
    { type: 'application/json; charset=', want: false },
    { type: 'application/json; CHARSET=latin1', want: false },
    { type: 'application/json; charset', want: false },
    { type: 'application/json; charset=utf-8""', want: false },
    { type: 'application/json; charset="utf-8', want: false },
    { type: 'application/json; charset=utf-8"', want: false },
    { type: 'application/json; charset=x"utf-8"', want: false },
    { type: 'application/json; charset="utf-8"x', want: false },
    { type: 'application/json; version=1; charset=latin1', want: false },
    { type: 'text/plain; application/json', want: false },
    { type: 'application/json; charset=utf-8; charset=latin1', want: false },
    { type: 'application/json', encoding: 'gzip', want: false },
    { type: 'application/json', encoding: 'identity, br', want: false },
    { type: 'application/json', encoding: '', want: false },
  ]
  for (const { type, encoding, want } of cases)
    t.equal(isJsonBody(type, encoding), want, `${type} ${encoding}`)
})

t.test('a body of exactly the limit is read, and a longer one is refused before', async (t) => {
  const rows: readonly [length: string | undefined, want: string | undefined][] = [
    [undefined, undefined],
    ['0', undefined],
    ['9', undefined],
    ['999', undefined],
    ['1000', undefined],
    ['1001', 'bodyTooLarge'],
    ['90000000000000000000', 'bodyTooLarge'],
  ]
  for (const [length, want] of rows) {
    const headers = { 'content-type': json, 'content-length': length }
    t.equal(bodyProblem(headers, { bodyBytes: 1_000 }), want, length ?? 'in chunks')
  }
})

t.test('a body of another content type is refused for its type, whatever its length', async (t) => {
  const problem = (headers: object, contentTypes?: readonly string[]) =>
    bodyProblem({ 'content-length': '2', ...headers }, { bodyBytes: 1 }, contentTypes)
  t.equal(problem({}), 'unsupportedMediaType')
  t.equal(problem({ 'content-type': 'text/plain' }), 'unsupportedMediaType')
  t.equal(problem({ 'content-type': json, 'content-encoding': 'gzip' }), 'unsupportedMediaType')
  t.equal(problem({ 'content-type': json }), 'bodyTooLarge')
  const own = ['application/json-rpc', 'text/json']
  t.equal(problem({ 'content-type': json }, own), 'unsupportedMediaType')
  t.equal(problem({ 'content-type': 'text/json' }, own), 'bodyTooLarge')
  t.equal(problem({ 'content-type': 'Application/JSON-RPC; charset=utf-8' }, own), 'bodyTooLarge')
  t.equal(problem({ 'content-type': 'application/json-rpc; charset=latin1' }, own), 'unsupportedMediaType')
})
